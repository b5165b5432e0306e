package plan

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// lowLevel plans for one robot at a time, under the constraints that a search over
// all of them sets.
type lowLevel interface {
	// plan draws a batch of paths. The same request gives the same paths. It
	// returns no batch with an error.
	plan(ctx context.Context, r request) (*batch, error)
}

// request is what a low-level planner is asked for.
type request struct {
	robot       int
	replan      int // how many times the robot has been planned in this search
	constraints []constraint
	seed        *batch // paths of the robot to start from; nil starts from noise
}

// batch holds paths of one robot.
type batch struct {
	states tensor.Batch // of shape [waypoints, 4], in map units and seconds
	free   []int        // samples that keep clear of obstacles and inside the map
	best   int          // the cheapest of them; -1 when there is none
}

// path returns the positions of a sample.
func (b *batch) path(sample int) []geom.Vec2 {
	return geom.Points(nil, b.states.Sample(sample), channels)
}
