package main

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/render"
)

// planView returns what pictures show of a planned team: the best joint sample first,
// then at most others more, in their order. Lengths are in the units of the task.
func planView(team plan.Team, r *plan.Result, others int) render.PlanView {
	v := viewer{team: team, frame: team.Frame}
	if v.frame.Scale == 0 {
		v.frame.Scale = 1
	}
	out := render.PlanView{Map: v.ground(), Step: team.Step, Robots: v.robots(), SpeedUnit: "normalised units/s"}
	if v.scaled() {
		out.SpeedUnit = "units/s"
	}
	out.Samples = []render.SampleView{v.sample(r, r.Best.Sample)}
	for k := 0; k < r.Trajectories[0].N && len(out.Samples) <= others; k++ {
		if k != r.Best.Sample {
			out.Samples = append(out.Samples, v.sample(r, k))
		}
	}
	return out
}

// viewer translates from the units of the map to those of the task.
type viewer struct {
	team  plan.Team
	frame nav2d.Frame
}

// scaled reports whether the task is a user's, whose speeds are lengths per
// second; those of the published tasks are in normalised units.
func (v viewer) scaled() bool { return v.team.Frame != (nav2d.Frame{}) }

// unit returns the unit of speed of robot i in normalised units per second of its
// model.
func (v viewer) unit(i int) float64 {
	if !v.scaled() {
		return 1
	}
	half := v.team.Robots[i].Model.HalfRange()
	return max(half[0], half[1]) * v.frame.Scale
}

// ground returns the map.
func (v viewer) ground() render.MapView {
	bounds := v.team.Map.Bounds
	out := render.MapView{Bounds: geom.Box{Min: v.frame.FromMap(bounds.Min), Max: v.frame.FromMap(bounds.Max)}}
	for _, s := range v.team.Map.Obstacles {
		out.Obstacles = append(out.Obstacles, v.solid(s))
	}
	return out
}

// solid returns an obstacle in the units of the task.
func (v viewer) solid(s geom.Solid) geom.Solid {
	scale := v.frame.Scale
	switch s := s.(type) {
	case geom.Box:
		return geom.Box{Min: v.frame.FromMap(s.Min), Max: v.frame.FromMap(s.Max)}
	case geom.RoundedBox:
		return geom.RoundedBox{Center: v.frame.FromMap(s.Center), Size: s.Size.Scale(scale), Radius: s.Radius * scale}
	case geom.Circle:
		return geom.Circle{Center: v.frame.FromMap(s.Center), Radius: s.Radius * scale}
	default:
		return s // maps are made of the above
	}
}

func (v viewer) robots() (out []render.RobotView) {
	for i, r := range v.team.Robots {
		out = append(out, render.RobotView{
			Name: r.Name, Radius: r.Radius * v.frame.Scale, Limit: r.Limit * v.unit(i),
			Start: v.frame.FromMap(r.Start), Goal: v.frame.FromMap(r.Goal),
		})
	}
	return out
}

// sample returns joint sample k with what is wrong with it.
func (v viewer) sample(r *plan.Result, k int) render.SampleView {
	rules := v.team.Rules()
	out := render.SampleView{Name: fmt.Sprint("sample ", k)}
	var inMap [][]geom.Vec2
	for _, x := range r.Trajectories {
		path := geom.Points(nil, x.Sample(k), nav2d.Channels)
		out.Paths = append(out.Paths, path)
		way := make([]geom.Vec2, len(path))
		for h, p := range path {
			way[h] = v.frame.ToMap(p)
		}
		inMap = append(inMap, way)
		if !v.scaled() {
			out.Speeds = append(out.Speeds, rules.Speeds(way))
		}
	}
	out.Marks = render.FindMarks(rules, r.Limits, inMap)
	for i := range out.Marks {
		out.Marks[i].At = v.frame.FromMap(out.Marks[i].At)
	}
	out.Facts = v.facts(r, k)
	return out
}

// facts says how good a joint sample is.
func (v viewer) facts(r *plan.Result, k int) []render.Fact {
	j := r.Judged[k]
	out := []render.Fact{
		fact("robots", j.Safe(), "keep apart", "collide"),
		fact("obstacles", j.Clear(), "avoided", "hit"),
	}
	for i, limit := range r.Limits {
		if math.IsInf(limit, 1) {
			continue
		}
		numbers := fmt.Sprintf("%.4g of %.4g", j.TopSpeed[i]*v.unit(i), limit*v.unit(i))
		out = append(out, fact("top speed of "+v.team.Robots[i].Name, j.Within(i, limit), numbers, numbers))
	}
	if r.Certificate.Certified {
		out = append(out, fact("speed limits", true, "certified for every sample", ""))
	}
	return out
}

// fact returns what is good or bad about a sample.
func fact(name string, ok bool, good, bad string) render.Fact {
	if ok {
		return render.Fact{Name: name, Value: good, Tone: render.Good}
	}
	return render.Fact{Name: name, Value: bad, Tone: render.Bad}
}
