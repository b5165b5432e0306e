package plan

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// constraint keeps one robot away from places at given times. Its gradient is
// clipped as a whole.
type constraint struct {
	disks []disk
	soft  bool // a wish, with a tenth of the weight
}

// disk is a place that a robot stays out of at the waypoints [from, to). Lengths
// are in map units.
type disk struct {
	center   geom.Vec2
	radius   float64
	from, to int
}

// The published constants of constraints.
const (
	constraintRadius = 2.4 // in mean radii of the pair
	constraintReach  = 2   // waypoints before and from a conflict on
	hardWeight       = 0.2
	softWeight       = 0.02
)

// weight returns the strength of the constraint in the guidance.
func (c constraint) weight() float64 {
	if c.soft {
		return softWeight
	}
	return hardWeight
}

// resolve returns the constraint, the same for both robots, that keeps them from
// where their conflict is. last is the number of the last waypoint.
func (t Team) resolve(c conflict, last int) constraint {
	return constraint{disks: []disk{{
		center: c.midpoint, radius: constraintRadius * t.meanRadius(c.a, c.b),
		from: max(c.waypoint-constraintReach, 0), to: min(c.waypoint+constraintReach, last),
	}}}
}

// avoid returns the constraint that keeps robot i from the other robots that have
// a path, at all waypoints but the first. ok is false when there are none. A hard
// one leaves out the last waypoint, as in the reference.
func (t Team) avoid(i int, paths [][]geom.Vec2, soft bool) (c constraint, ok bool) {
	c.soft = soft
	for j, path := range paths {
		if j == i || path == nil {
			continue
		}
		end := len(path)
		if !soft {
			end--
		}
		for h := 1; h < len(path); h++ {
			c.disks = append(c.disks, disk{
				center: path[h], radius: constraintRadius * t.meanRadius(i, j), from: h, to: min(h+1, end),
			})
		}
	}
	return c, len(c.disks) > 0
}

// constraintCost is the cost of a constraint, as far as the path p is inside the
// disks (q, r) that are in force at its waypoints:
//
//	c(p) = Σ_h Σ_(q, r) max(0, r - ‖p_h - q‖)
//
// in map units. The gradient at a centre is 0. Source: Shaoul et al., "Multi-Robot
// Motion Planning with Diffusion Models" (ICLR 2025).
type constraintCost struct {
	at [][]disk // in force at each waypoint
}

// newConstraintCost returns the cost of a constraint for paths of a length.
func newConstraintCost(c constraint, waypoints int) constraintCost {
	out := constraintCost{at: make([][]disk, waypoints)}
	for _, d := range c.disks {
		for h := max(d.from, 0); h < min(d.to, waypoints); h++ {
			out.at[h] = append(out.at[h], d)
		}
	}
	return out
}

// Add implements [cost.Cost].
func (c constraintCost) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	stride := x[0].Shape[1]
	for k := range x[0].N {
		p, total := x[0].Sample(k), 0.0
		for h, disks := range c.at {
			position := geom.Vec2{X: float64(p[h*stride]), Y: float64(p[h*stride+1])}
			for _, d := range disks {
				offset := position.Sub(d.center)
				distance := offset.Norm()
				if distance > d.radius {
					continue
				}
				total += d.radius - distance
				if grad != nil && distance > 0 {
					g := grad[0].Sample(k)[h*stride:]
					g[0] -= float32(weight * offset.X / distance)
					g[1] -= float32(weight * offset.Y / distance)
				}
			}
		}
		if value != nil {
			value[k] += weight * total
		}
	}
	return nil
}

// Check implements [cost.Cost].
func (c constraintCost) Check(shapes []tensor.Shape) error {
	if len(shapes) != 1 || len(shapes[0]) != 2 || shapes[0][0] != len(c.at) || shapes[0][1] < 2 {
		return &cost.ShapeError{Cost: "constraint", Shapes: shapes, Want: fmt.Sprintf("one path of %d points in the plane", len(c.at))}
	}
	return nil
}
