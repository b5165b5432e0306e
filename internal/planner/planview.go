package planner

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// pagePaths is how many paths an animated page holds at most.
const pagePaths = 1024

// planPictures are the pictures of a plan.
type planPictures struct {
	task    *PlanTask
	result  *plan.Result
	summary *PlanSummary
}

func (p planPictures) view() render.PlanView {
	s := p.summary
	samples := pagePaths/newViewer(p.task.Team).parts/len(p.task.Team.Robots) - 1
	if p.task.Team.Shortest { // samples have another clock
		samples = 0
	}
	v := PlanView(p.task.Team, p.result, samples)
	v.Samples[0].Order = newViewer(p.task.Team).order(s.Shown().Order)
	v.Title = fmt.Sprintf("%s: %s, %s", orElse(s.Name, filepath.Base(s.Task)), plural.Of(len(s.Robots), "robot"), s.Method)
	v.Note = planNote(p.result, s.Lateness)
	return v
}

// Figure implements [Pictures].
func (p planPictures) Figure() (*render.Figure, error) { return render.Plan(p.view()) }

// Animation implements [Pictures].
func (p planPictures) Animation() (*render.Animation, error) { return render.Animate(p.view()) }

// PlanView returns what pictures show of a planned team: the plan, or what came nearest to
// one, without its order of passages, then at most so many samples. Lengths are in the units of the task.
func PlanView(team plan.Team, r *plan.Result, samples int) render.PlanView {
	v := newViewer(team)
	out := v.empty(r)
	out.Samples = []render.SampleView{v.jointPlan(r, r.Nearest())}
	for k := range min(samples, r.Samples[0].N) {
		out.Samples = append(out.Samples, v.sample(r, k))
	}
	return out
}

// SampleView returns what pictures show of joint sample k, as drawn.
func SampleView(team plan.Team, r *plan.Result, k int) render.PlanView {
	v := newViewer(team)
	out := v.empty(r)
	out.Samples = []render.SampleView{v.sample(r, k)}
	return out
}

// viewer translates from the units of the map to those of the task.
type viewer struct {
	team   plan.Team
	frame  nav2d.Frame
	origin geom.Vec2 // of stored positions
	parts  int       // points of a path from waypoint to waypoint
}

// curveParts is how many straight pieces show the way from knot to knot of a curve. They
// leave it by a sixteenth of what a straight line from knot to knot does.
const curveParts = 4

func newViewer(team plan.Team) viewer {
	v := viewer{team: team, frame: team.TaskFrame(), origin: team.Origin(), parts: 1}
	if team.Motion != plan.Polyline {
		v.parts = curveParts
	}
	return v
}

// way returns the points of robot i that are shown of row k of trajectories, or of its curve
// where there is one.
func (v viewer) way(i int, x tensor.Batch, k int, curves []geom.Curve) []geom.Vec2 {
	path := geom.Points(nil, x.Sample(k), nav2d.Channels)
	for h := range path {
		path[h] = path[h].Add(v.origin)
	}
	if v.parts == 1 {
		return path
	}
	c := geom.Curve{}
	if curves != nil {
		c = curves[i]
	} else {
		r := v.team.Robots[i]
		c = geom.NaturalSpline(path, v.team.Step, r.StartVelocity.Scale(v.frame.Scale), r.GoalVelocity.Scale(v.frame.Scale))
	}
	out := []geom.Vec2{c.X[0]}
	for h := range c.Spans() {
		b := c.Span(h)
		for m := 1; m <= v.parts; m++ {
			out = append(out, b.At(float64(m)/float64(v.parts)))
		}
	}
	return out
}

// wayOfTraffic returns the points of a mover that are shown.
func (v viewer) wayOfTraffic(m plan.Mover) (out []geom.Vec2) {
	path := v.team.PathOf(m)
	for h := range len(path) - 1 {
		for k := range v.parts {
			out = append(out, v.frame.FromMap(path[h].Lerp(path[h+1], float64(k)/float64(v.parts))))
		}
	}
	return append(out, v.frame.FromMap(path[len(path)-1]))
}

// empty returns the view of a team without paths.
func (v viewer) empty(r *plan.Result) render.PlanView {
	u := unitsOf(v.team)
	return render.PlanView{Map: v.ground(), Step: v.team.Step / float64(v.parts), Parts: v.parts, Robots: v.robots(r), LengthUnit: u.Length, SpeedUnit: u.Speed}
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
	case geom.Convex:
		out := geom.Convex{Radius: s.Radius * scale}
		for _, p := range s.Core {
			out.Core = append(out.Core, v.frame.FromMap(p))
		}
		return out
	default:
		return s // maps are made of the above
	}
}

func (v viewer) robots(result *plan.Result) (out []render.RobotView) {
	for i, r := range v.team.Robots {
		out = append(out, render.RobotView{
			Name: r.Name, Radius: v.team.RadiusOf(r), Limit: inUnits(v.team, result.Limits[i]), Acceleration: v.team.AccelerationOf(r),
			Start: v.frame.FromMap(r.Start), Goal: v.frame.FromMap(r.Goal),
		})
	}
	for _, m := range v.team.Traffic {
		path := v.team.PathOf(m)
		out = append(out, render.RobotView{
			Name: m.Name, Radius: v.team.RadiusOfTraffic(m),
			Start: v.frame.FromMap(path[0]), Goal: v.frame.FromMap(path[len(path)-1]),
		})
	}
	return out
}

// sample returns joint sample k with what is wrong with it.
func (v viewer) sample(r *plan.Result, k int) render.SampleView {
	out := v.paths(r, r.Samples, k, nil)
	out.Name = fmt.Sprint("sample ", k)
	out.Facts = v.facts(r, r.Judged[k])
	return out
}

// paths returns row k of trajectories, or curves, with marks where it breaks a rule at a point
// that is shown.
func (v viewer) paths(r *plan.Result, trajectories []tensor.Batch, k int, curves []geom.Curve) render.SampleView {
	rules := v.team.Rules()
	rules.Step /= float64(v.parts)
	var out render.SampleView
	var inMap [][]geom.Vec2
	for i, x := range trajectories {
		path := v.way(i, x, k, curves)
		out.Paths = append(out.Paths, path)
		way := make([]geom.Vec2, len(path))
		for h, p := range path {
			way[h] = v.frame.ToMap(p)
		}
		inMap = append(inMap, way)
		if !v.team.IsScene() {
			out.Speeds = append(out.Speeds, rules.Speeds(way))
		}
	}
	out.Marks = render.FindMarks(rules, r.Limits, inMap)
	for i := range out.Marks {
		out.Marks[i].At = v.frame.FromMap(out.Marks[i].At)
	}
	for _, m := range v.team.Traffic {
		out.Paths = append(out.Paths, v.wayOfTraffic(m))
	}
	return out
}

// facts says how good a joint sample is at its waypoints.
func (v viewer) facts(r *plan.Result, j navmetric.Sample) []render.Fact {
	out := []render.Fact{
		fact("robots at waypoints", j.Safe(), "keep apart", "collide"),
		fact("obstacles at waypoints", j.Clear(), "avoided", "hit"),
	}
	out = append(out, v.speedFacts(r, j)...)
	if r.SampleLimits.Certified {
		out = append(out, fact("speed limits", true, "certified for every sample", ""))
	}
	return out
}

// listedRobots is how many robots have a fact of their own.
const listedRobots = 8

// speedFacts says who keeps the speed limits: every robot, or of many those who do not.
func (v viewer) speedFacts(r *plan.Result, j navmetric.Sample) (out []render.Fact) {
	limited, within := 0, 0
	for i, limit := range r.Limits {
		if math.IsInf(limit, 1) {
			continue
		}
		limited++
		ok := j.Within(i, limit)
		if ok {
			within++
		}
		if !ok || len(r.Limits) <= listedRobots {
			numbers := fmt.Sprintf("%.4g of %.4g", inUnits(v.team, j.TopSpeed[i]), inUnits(v.team, limit))
			if !ok {
				top, most := told.Apart(inUnits(v.team, j.TopSpeed[i]), inUnits(v.team, limit), 4)
				numbers = top + " of " + most
			}
			out = append(out, fact("top speed of "+v.team.Robots[i].Name, ok, numbers, numbers))
		}
	}
	if len(r.Limits) > listedRobots && limited > 0 {
		numbers := fmt.Sprintf("%d of %d robots keep them", within, limited)
		out = append(out, fact("speed limits at waypoints", within == limited, numbers, numbers))
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
