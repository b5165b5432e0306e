package messages

import (
	"math"
	"sort"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/paths"
)

// Team is a certified motion and what it was made of.
type Team struct {
	Name      string // of the scene
	Robots    []Robot
	Obstacles []geom.Convex
	Border    *geom.Box // nil is none
	Made      Made
	Plan      []byte // plan.json, for recordings; nil is none

	index *geom.Index // of the obstacles
}

// Robot is a disk on its path, which has times.
type Robot struct {
	Name   string
	Radius float64
	Path   *paths.Path
}

// Made says what a file was made of.
type Made struct {
	Scene   string  `json:"scene_sha256,omitempty"` // "" where it is not known
	Plan    string  `json:"plan_sha256"`
	Margin  float64 `json:"margin"` // that the certificate keeps beyond contact
	Program string  `json:"program"`
}

// State is where a robot is at a time.
type State struct {
	X, V, A geom.Vec2
	Heading float64 // of the velocity, in radians from -π to π
}

// end returns the time of the last point of all.
func (m *Team) end() (end float64) {
	for _, r := range m.Robots {
		end = max(end, r.Path.Times[len(r.Path.Times)-1])
	}
	return end
}

// times returns the times of a rate from the first point to the last one, which is among them.
func (m *Team) times(rate float64) (out []float64) {
	end := m.end()
	for k := 0; ; k++ {
		t := float64(k) / rate
		if t >= end {
			return append(out, end)
		}
		out = append(out, t)
	}
}

// at returns where a robot is at a time, without its heading.
func (r *Robot) at(t float64) State {
	p := r.Path
	last := len(p.X) - 1
	switch {
	case t <= p.Times[0] && !(p.V != nil && last > 0 && t == p.Times[0]):
		return State{X: p.X[0]}
	case t > p.Times[last] || last == 0:
		return State{X: p.X[last]}
	}
	k := min(max(sort.SearchFloat64s(p.Times, t)-1, 0), last-1)
	if k+1 < last && p.Times[k+1] == t {
		k++ // at a knot, the span that begins there
	}
	h := p.Times[k+1] - p.Times[k]
	u := (t - p.Times[k]) / h
	if p.V == nil {
		return State{X: p.X[k].Lerp(p.X[k+1], u), V: p.X[k+1].Sub(p.X[k]).Scale(1 / h)}
	}
	b := geom.Curve{X: p.X[k : k+2], V: p.V[k : k+2], Step: h}.Span(0)
	return State{X: b.At(u), V: b.Velocity(u).Scale(1 / h), A: b.Acceleration(u).Scale(1 / (h * h))}
}

// step returns the time of the first piece.
func (r *Robot) step() float64 {
	if len(r.Path.Times) < 2 {
		return 1
	}
	return r.Path.Times[1] - r.Path.Times[0]
}

// States returns where a robot is at some times. One that stands keeps its heading, or has that
// with which it starts.
func (r *Robot) States(times []float64) []State {
	out := make([]State, len(times))
	heading, known := 0.0, false
	for k, t := range times {
		s := r.at(t)
		if s.V.Norm() > 1e-9*(1+s.A.Norm()*r.step()) {
			heading = math.Atan2(s.V.Y, s.V.X)
			for j := 0; !known && j < k; j++ {
				out[j].Heading = heading
			}
			known = true
		}
		s.Heading = heading
		out[k] = s
	}
	return out
}
