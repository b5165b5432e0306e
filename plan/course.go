package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/timed"
	"github.com/go-pcd/pcd/plan/route"
	"github.com/go-pcd/pcd/project/separation"
)

// PathOf returns where traffic is at the waypoints.
func (t Team) PathOf(m Mover) []geom.Vec2 { return m.course(t.Step, t.waypoints()).Path }

// course returns the motion of a mover over some waypoints, so many seconds apart.
func (m Mover) course(step float64, waypoints int) route.Course {
	if m.Times == nil {
		return route.Course{Path: m.Path}
	}
	var c route.Course
	for h := range waypoints {
		c.Path = append(c.Path, timed.At(m.Times, m.Path, float64(h)*step))
	}
	for k, at := range m.clock(step) {
		switch h := math.Trunc(at); {
		case at < 0 || at > float64(waypoints-1):
		case at == h:
			c.Path[int(h)] = m.Path[k]
		default:
			c.Turns = append(c.Turns, route.Turn{At: at, Point: m.Path[k]})
		}
	}
	return c
}

// sameTime is how near to a waypoint, counted in waypoints, a time is taken for that of the
// waypoint: rounding parts them by less.
const sameTime = 1e-12

// clock returns the times of a mover counted in waypoints.
func (m Mover) clock(step float64) []float64 {
	out := make([]float64, len(m.Times))
	for k, t := range m.Times {
		out[k] = t / step
		if h := math.Round(out[k]); math.Abs(out[k]-h) < sameTime*(1+math.Abs(h)) {
			out[k] = h
		}
	}
	for k := range out { // unless two of them would be one
		if k > 0 && !(out[k] > out[k-1]) {
			out[k-1], out[k] = m.Times[k-1]/step, m.Times[k]/step
		}
	}
	return out
}

// inTask returns traffic in the units of the task, over so many waypoints and, where it still
// moves after these, up to the number of waypoints at which the plan is over.
func (m Mover) inTask(f nav2d.Frame, step float64, waypoints, over int) separation.Mover {
	m.Path = m.pathIn(f)
	if m.Times == nil {
		over = waypoints
	} else { // nothing changes when it has come to rest
		over = max(waypoints, int(min(float64(over), math.Ceil(m.Times[len(m.Times)-1]/step)+1)))
	}
	out, c := separation.Mover{Radius: m.Radius * f.Scale}, m.course(step, over)
	next := 0
	for h, p := range c.Path {
		out.Path = append(out.Path, p)
		out.Times = append(out.Times, float64(h))
		for ; next < len(c.Turns) && c.Turns[next].At < float64(h+1); next++ {
			out.Path = append(out.Path, c.Turns[next].Point)
			out.Times = append(out.Times, c.Turns[next].At)
		}
	}
	if c.Turns == nil && over == waypoints {
		out.Times = nil
	}
	return out
}

// pathIn returns the path in the units of the task: as it was given, if it was.
func (m Mover) pathIn(f nav2d.Frame) []geom.Vec2 {
	out := make([]geom.Vec2, len(m.Path))
	same := 0x1p-48 * (math.Abs(f.Center.X) + math.Abs(f.Center.Y) + f.Scale)
	for k, p := range m.Path {
		out[k] = f.FromMap(p)
		if len(m.GivenPath) == len(m.Path) && m.GivenPath[k].Dist(out[k]) <= same+0x1p-48*f.Scale*p.Norm() {
			out[k] = m.GivenPath[k]
		}
	}
	return out
}

// Later returns a mover after some seconds, a whole number of steps.
func (m Mover) Later(steps int, step float64) Mover {
	if m.Times != nil {
		m.Times = slices.Clone(m.Times)
		for k := range m.Times {
			m.Times[k] -= float64(steps) * step
		}
		return m
	}
	n := min(steps, len(m.Path)-1)
	path := slices.Clone(m.Path[n:])
	for len(path) < len(m.Path) {
		path = append(path, m.Path[len(m.Path)-1])
	}
	m.Path, m.GivenPath = path, nil
	return m
}

// check says what is wrong with the path of a mover beside robots of so many waypoints, ""
// when nothing is.
func (m Mover) check(waypoints int) string {
	if m.Times == nil && len(m.Path) != waypoints {
		return fmt.Sprintf("its path has %d points and no times, want one for each of the %d waypoints", len(m.Path), waypoints)
	}
	if m.Times != nil && (len(m.Times) != len(m.Path) || len(m.Path) == 0) {
		return fmt.Sprintf("its path has %d points and %d times, want as many", len(m.Path), len(m.Times))
	}
	for k, t := range m.Times {
		if math.IsNaN(t) || math.IsInf(t, 0) || k > 0 && !(t > m.Times[k-1]) {
			return fmt.Sprintf("time %d of its path is %v, want numbers that increase", k, t)
		}
	}
	for k, p := range m.Path {
		if !p.IsFinite() {
			return fmt.Sprintf("point %d of its path is (%v, %v), want finite numbers", k, p.X, p.Y)
		}
	}
	return ""
}
