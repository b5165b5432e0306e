package messages

import (
	"sort"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
	"github.com/go-pcd/pcd/internal/heading"
	"github.com/go-pcd/pcd/internal/paths"
)

// Team is a certified motion and what it was made of.
type Team struct {
	Name      string // of the scene
	Robots    []Robot
	Traffic   []Robot // that moves by the clock, whatever robots do
	Obstacles []geom.Convex
	Border    *geom.Box // nil is none
	Room      float64   // that the certificate leaves between robots and beside obstacles, beyond its margin; +Inf without either
	Made      Made
	Plan      []byte // plan.json, for recordings; nil is none

	index *field.Index // of the obstacles
}

// Robot is a disk on its path, which has times.
type Robot struct {
	Name   string
	Radius float64
	Path   *paths.Path
	Turns  heading.Rule // but for Hardly
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
	Heading float64 // radians from -π to π
}

// Curved reports whether robots go along curves, and not straight from point to point.
func (m *Team) Curved() bool { return m.Robots[0].Path.Curved() }

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

// hardly is the part of its radius by which a robot has to have left a place of rest until its velocity tells
// where it looks.
const hardly = 1e-4

// States returns where a robot is at some times. One that stands keeps its heading, or has that
// with which it starts, or turns on the spot.
func (r *Robot) States(times []float64) []State {
	out := make([]State, len(times))
	rule := r.Turns
	rule.Hardly = hardly * r.Radius
	looks := heading.Along(pieces(r.Path), rule)
	for k, t := range times {
		out[k] = r.at(t)
		out[k].Heading = looks.At(t)
	}
	return out
}

// pieces returns the pieces of a path between its points.
func pieces(p *paths.Path) (out []heading.Piece) {
	for k := range len(p.X) - 1 {
		b := geom.Straight(p.X[k], p.X[k+1])
		if p.V != nil {
			b = geom.Curve{X: p.X[k : k+2], V: p.V[k : k+2], Step: p.Times[k+1] - p.Times[k]}.Span(0)
		}
		out = append(out, heading.Piece{From: p.Times[k], To: p.Times[k+1], Way: b})
	}
	return out
}
