package mmd

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// Constraint keeps one robot away from places at given times. Its gradient is
// clipped as a whole.
type Constraint struct {
	Disks []Disk
	Soft  bool // a wish, with a tenth of the weight
}

// Disk is a place that a robot stays out of at the waypoints [from, to). Lengths
// are in map units.
type Disk struct {
	Center   geom.Vec2
	Radius   float64
	From, To int
}

// The published constants of constraints.
const (
	constraintRadius = 2.4 // in mean radii of the pair
	constraintReach  = 2   // waypoints before and from a conflict on
	hardWeight       = 0.2
	softWeight       = 0.02
)

// Cost returns the cost of paths of so many waypoints under the constraint.
func (c Constraint) Cost(waypoints int) cost.Cost { return newConstraintCost(c, waypoints) }

// Weight returns the strength of the Constraint in the guidance.
func (c Constraint) Weight() float64 {
	if c.Soft {
		return softWeight
	}
	return hardWeight
}

// resolve returns the Constraint, the same for both robots, that keeps them from
// where their conflict is. last is the number of the last waypoint.
func (t Team) resolve(c conflict, last int) Constraint {
	return Constraint{Disks: []Disk{{
		Center: c.midpoint, Radius: constraintRadius * t.meanRadius(c.a, c.b),
		From: max(c.waypoint-constraintReach, 0), To: min(c.waypoint+constraintReach, last),
	}}}
}

// avoid returns the Constraint that keeps robot i from the other robots that have
// a path, at all waypoints but the first. ok is false when there are none. A hard
// one leaves out the last waypoint, as in the reference.
func (t Team) avoid(i int, paths [][]geom.Vec2, soft bool) (c Constraint, ok bool) {
	c.Soft = soft
	for j, path := range paths {
		if j == i || path == nil {
			continue
		}
		end := len(path)
		if !soft {
			end--
		}
		for h := 1; h < len(path); h++ {
			c.Disks = append(c.Disks, Disk{
				Center: path[h], Radius: constraintRadius * t.meanRadius(i, j), From: h, To: min(h+1, end),
			})
		}
	}
	return c, len(c.Disks) > 0
}

// constraintCost is the cost of a Constraint, as far as the path p is inside the
// disks (q, r) that are in force at its waypoints:
//
//	c(p) = Σ_h Σ_(q, r) max(0, r - ‖p_h - q‖)
//
// in map units. The gradient at a centre is 0. Source: Shaoul et al., "Multi-Robot
// Motion Planning with Diffusion Models" (ICLR 2025).
type constraintCost struct {
	at [][]Disk // in force at each waypoint
}

// newConstraintCost returns the cost of a Constraint for paths of a length.
func newConstraintCost(c Constraint, waypoints int) constraintCost {
	out := constraintCost{at: make([][]Disk, waypoints)}
	for _, d := range c.Disks {
		for h := max(d.From, 0); h < min(d.To, waypoints); h++ {
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
				offset := position.Sub(d.Center)
				distance := offset.Norm()
				if distance > d.Radius {
					continue
				}
				total += d.Radius - distance
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
