package plan

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
)

// course is the motion of a body on the clock of the robots: where it is at their
// waypoints, straight in between but for its turns.
type course struct {
	path  []geom.Vec2
	turns []turn // between waypoints, in order of time
}

// turn is where a body turns or changes its speed between two waypoints.
type turn struct {
	at    float64 // counted in waypoints
	point geom.Vec2
}

// PathOf returns where traffic is at the waypoints.
func (t Team) PathOf(m Mover) []geom.Vec2 { return m.course(t.Step, t.waypoints()).path }

// at returns where a mover with times is, in seconds from the first waypoint.
func (m Mover) at(seconds float64) geom.Vec2 {
	k, _ := slices.BinarySearch(m.Times, seconds)
	switch {
	case k == 0:
		return m.Path[0]
	case k == len(m.Times):
		return m.Path[k-1]
	}
	return m.Path[k-1].Lerp(m.Path[k], (seconds-m.Times[k-1])/(m.Times[k]-m.Times[k-1]))
}

// course returns the motion of a mover over some waypoints, so many seconds apart.
func (m Mover) course(step float64, waypoints int) course {
	if m.Times == nil {
		return course{path: m.Path}
	}
	var c course
	for h := range waypoints {
		c.path = append(c.path, m.at(float64(h)*step))
	}
	for k, at := range m.clock(step) {
		switch h := math.Trunc(at); {
		case at < 0 || at > float64(waypoints-1):
		case at == h:
			c.path[int(h)] = m.Path[k]
		default:
			c.turns = append(c.turns, turn{at, m.Path[k]})
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

// inTask returns traffic in the units of the task.
func (m Mover) inTask(f nav2d.Frame, step float64, waypoints int) separation.Mover {
	out, c := separation.Mover{Radius: m.Radius * f.Scale}, m.course(step, waypoints)
	next := 0
	for h, p := range c.path {
		out.Path = append(out.Path, f.FromMap(p))
		out.Times = append(out.Times, float64(h))
		for ; next < len(c.turns) && c.turns[next].at < float64(h+1); next++ {
			out.Path = append(out.Path, f.FromMap(c.turns[next].point))
			out.Times = append(out.Times, c.turns[next].at)
		}
	}
	if c.turns == nil {
		out.Times = nil
	}
	return out
}

// later returns a mover after some seconds, a whole number of steps.
func (m Mover) later(steps int, step float64) Mover {
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
	m.Path = path
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

// turnsOn returns the turns between waypoint h and the next.
func (c course) turnsOn(h int) []turn {
	if len(c.turns) == 0 {
		return nil
	}
	from := sort.Search(len(c.turns), func(k int) bool { return c.turns[k].at > float64(h) })
	to := sort.Search(len(c.turns), func(k int) bool { return c.turns[k].at > float64(h+1) })
	return c.turns[from:to]
}

// seenFrom calls f for the straight pieces of the motion of a robot, from p to q while h
// goes on to the next waypoint, seen from the body.
func (c course) seenFrom(p, q geom.Vec2, h int, f func(u, v geom.Vec2)) {
	u := p.Sub(c.path[h])
	for _, t := range c.turnsOn(h) {
		v := p.Lerp(q, t.at-float64(h)).Sub(t.point)
		f(u, v)
		u = v
	}
	f(u, q.Sub(c.path[h+1]))
}

// padded returns a course up to a last waypoint, staying at its end.
func (c course) padded(last int) course {
	c.path = padded(c.path, last)
	return c
}
