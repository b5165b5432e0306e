package separation

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// delivered returns paths as others see them: not counted from the origin.
func (w *World) delivered(p *paths) *paths {
	if w.Origin == (geom.Vec2{}) {
		return p
	}
	out := p.clone()
	for i := range w.Robots {
		px, py := out.row(i, 0), out.row(i, 1)
		for h := range px {
			px[h], py[h] = px[h]+w.Origin.X, py[h]+w.Origin.Y
		}
	}
	w.seen(out, geom.Vec2{})
	return out
}

// local returns the world as it is seen from its origin, for solvers: float64 has digits for
// them there. Its limits leave room for what rounding costs on the way to the world itself,
// in which all is judged. A world whose origin is zero is its own.
func (w *World) local() *World {
	if w.Origin == (geom.Vec2{}) {
		return w
	}
	out := *w
	out.Origin = geom.Vec2{}
	lost := 0x1p-51 * (math.Abs(w.Origin.X) + math.Abs(w.Origin.Y))
	out.Margin += lost
	if b := w.Border; b != nil {
		out.Border = &geom.Box{Min: b.Min.Sub(w.Origin), Max: b.Max.Sub(w.Origin)}
	}
	out.Robots = slices.Clone(w.Robots)
	for i := range out.Robots {
		r := &out.Robots[i]
		unit := min(r.unit(0), r.unit(1))
		if r.Step > 0 {
			r.Step = max(r.Step-2*lost/unit, r.Step/2)
		}
		if r.Change > 0 {
			r.Change = max(r.Change-4*lost/unit, r.Change/2)
		}
		if e := r.Ends; e != nil {
			r.Ends = &[2]geom.Vec2{e[0].Sub(w.Origin), e[1].Sub(w.Origin)}
		}
	}
	out.Obstacles = make([]geom.Convex, len(w.Obstacles))
	for i, c := range w.Obstacles {
		core := slices.Clone(c.Core)
		for k := range core {
			core[k] = core[k].Sub(w.Origin)
		}
		out.Obstacles[i] = geom.Convex{Core: core, Radius: c.Radius}
	}
	out.Traffic = make([]Mover, len(w.Traffic))
	for i, m := range w.Traffic {
		out.Traffic[i] = m.from(w.Origin)
	}
	return &out
}

// from returns a mover as it is seen from an origin.
func (m Mover) from(origin geom.Vec2) Mover {
	if origin == (geom.Vec2{}) {
		return m
	}
	m.Path = slices.Clone(m.Path)
	for k := range m.Path {
		m.Path[k] = m.Path[k].Sub(origin)
	}
	return m
}
