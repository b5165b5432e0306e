package mmd

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// Planner plans for one robot at a time, under the constraints that a search over
// all of them sets.
type Planner interface {
	// Plan draws a Batch of paths. The same request gives the same paths. It
	// returns no Batch with an error.
	Plan(ctx context.Context, r Request) (*Batch, error)
}

// Request is what a low-level planner is asked for.
type Request struct {
	Robot       int
	Replan      int // how many times the robot has been planned in this search
	Constraints []Constraint
	Seed        *Batch // paths of the robot to start from; nil starts from noise
}

// Batch holds paths of one robot.
type Batch struct {
	States tensor.Batch // of shape [waypoints, 4], in map units and seconds
	Free   []int        // samples that keep clear of obstacles and inside the map
	Best   int          // the cheapest of them; -1 when there is none
}

// Path returns the positions of a sample.
func (b *Batch) Path(sample int) []geom.Vec2 {
	return geom.Points(nil, b.States.Sample(sample), Channels)
}
