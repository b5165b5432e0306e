package nav2d

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
)

// Reference returns the map with the distance field of the reference
// implementation: distances and gradients are evaluated in float32, in the order of
// its operations, at its nodes. Only the last bits differ, but they decide the
// gradient where two faces of an obstacle are equally near: half of each at exact
// ties.
//
// Source: the collision fields of MPD (Carvalho et al., IROS 2023) as used by PCD.
func (m *Map) Reference() *Map { return m.reference() }

func (m *Map) withReferenceField() *Map {
	r := *m
	nodes := referenceNodes()
	grid := field.Tabulate(square, gridNodes, gridNodes, func(i, j int) (d, gx, gy float32) {
		return referenceDistance(m.Obstacles, nodes[i], nodes[j])
	})
	r.grid = func() *field.Grid { return grid }
	r.reference = func() *Map { return &r }
	return &r
}

// referenceNodes returns the nodes of the reference on either axis: float32 numbers
// evenly spaced from -1 to 1 as a vector unit of eight lanes makes them. The first of
// eight is rounded once, the others are that plus a rounded multiple of the step, and
// the upper half counts from the end.
func referenceNodes() [gridNodes]float32 {
	const lanes = 8
	step := float32(2) / (gridNodes - 1)
	var out [gridNodes]float32
	for k := range out {
		first := k / lanes * lanes
		base := float32(-1 + float64(step)*float64(first))
		if first >= gridNodes/2 {
			base = float32(1 - float64(step)*float64(gridNodes-1-first))
		}
		out[k] = base + float32(step*float32(k-first))
	}
	return out
}

// referenceDistance returns the distance to the nearest solid, at most distanceCap,
// and its gradient. The first of equally near solids counts.
func referenceDistance(solids geom.Union, x, y float32) (d, gx, gy float32) {
	d = distanceCap
	for _, s := range solids {
		if v, vx, vy := solidDistance(s, x, y); v < d {
			d, gx, gy = v, vx, vy
		}
	}
	return d, gx, gy
}

func solidDistance(s geom.Solid, x, y float32) (d, gx, gy float32) {
	switch s := s.(type) {
	case geom.RoundedBox:
		return boxDistance(s, x, y)
	case geom.Circle:
		dx, dy := x-float32(s.Center.X), y-float32(s.Center.Y)
		r := norm32(dx, dy)
		if r == 0 {
			return -float32(s.Radius), 0, 0
		}
		return r - float32(s.Radius), dx / r, dy / r
	default: // the reference has no other
		v, g := s.SignedDistance(geom.Vec2{X: float64(x), Y: float64(y)})
		return float32(v), float32(g.X), float32(g.Y)
	}
}

// boxDistance is min(max(q), 0) + ‖max(q, 0)‖ - ρ with q = |p - c| - w/2 + ρ, in
// float32. Where the larger of q counts and both are equal, each gets half of the
// gradient.
func boxDistance(b geom.RoundedBox, x, y float32) (d, gx, gy float32) {
	dx, dy := x-float32(b.Center.X), y-float32(b.Center.Y)
	rho := float32(b.Radius)
	qx := float32(abs32(dx)-float32(b.Size.X/2)) + rho
	qy := float32(abs32(dy)-float32(b.Size.Y/2)) + rho
	outside := norm32(max(qx, 0), max(qy, 0))
	d = float32(min(max(qx, qy), 0)+outside) - rho
	switch {
	case outside > 0:
		gx, gy = max(qx, 0)/outside, max(qy, 0)/outside
	case qx == qy:
		gx, gy = 0.5, 0.5
	case qx > qy:
		gx = 1
	default:
		gy = 1
	}
	return d, gx * sign32(dx), gy * sign32(dy)
}

func abs32(v float32) float32 { return float32(math.Abs(float64(v))) }

// sign32 is the derivative of the absolute value, 0 at 0.
func sign32(v float32) float32 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// norm32 returns the length of a vector.
func norm32(x, y float32) float32 {
	return float32(math.Sqrt(float64(float32(x*x) + float32(y*y))))
}
