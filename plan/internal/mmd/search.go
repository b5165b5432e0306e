package mmd

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/memory"
)

// Search looks for paths of all robots that are not in conflict, robot by robot.
type Search struct {
	team    Team
	low     Planner
	method  Method
	options Options

	replans []int       // per robot
	room    memory.Room // for nodes
	started time.Time
	report  Report
}

// New returns the search of a method.
func New(t Team, low Planner, m Method, o Options) *Search {
	if o.TimeLimit == 0 {
		o.TimeLimit = DefaultTimeLimit
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Memory == 0 {
		o.Memory = math.MaxInt64
	}
	return &Search{
		team: t, low: low, method: m, options: o, started: o.Now(),
		replans: make([]int, len(t)), room: memory.Room{Left: o.Memory}, report: Report{Status: Searching},
	}
}

// Run searches by the method. It returns the node with the paths found, nil when
// there are none.
func (s *Search) Run(ctx context.Context) (*Node, error) {
	if s.method.ByPriority {
		return s.prioritized(ctx)
	}
	return s.conflictBased(ctx)
}

// Node is a plan for all robots: a state of the search.
type Node struct {
	robots    []trajectory
	conflicts []conflict
	order     int // of creation
}

// States returns the states of robot i, in map units and seconds.
func (n *Node) States(i int) []float32 { return n.robots[i].states }

// Report returns how the search went.
func (s *Search) Report() *Report { return &s.report }

// trajectory is the part of a node for one robot.
type trajectory struct {
	states      []float32    // of the trajectory, in map units
	path        []geom.Vec2  // its positions; nil before the robot is planned
	constraints []Constraint // hard ones, in the order in which they were set
	batch       *Batch       // the trajectory is from, for warm starts
}

// trajectoryWords are those of a trajectory in a node, beside what it shares.
const trajectoryWords = 10

// paths returns the paths of all robots.
func (n *Node) paths() [][]geom.Vec2 {
	out := make([][]geom.Vec2, len(n.robots))
	for i, r := range n.robots {
		out[i] = r.path
	}
	return out
}

// plan draws paths for a robot under the hard constraints it has in a node and,
// for ECBS, away from the paths of the others.
func (s *Search) plan(ctx context.Context, n *Node, i int, hard []Constraint) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := Request{Robot: i, Replan: s.replans[i], Constraints: hard}
	if s.method.Soft {
		if c, ok := s.team.avoid(i, n.paths(), true); ok {
			r.Constraints = append(r.Constraints[:len(hard):len(hard)], c)
		}
	}
	if s.method.Warm {
		r.Seed = n.robots[i].batch
	}
	b, err := s.low.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	s.replans[i]++
	s.report.Plans++
	s.tell()
	return b, nil
}

// tell reports progress.
func (s *Search) tell() {
	s.report.Seconds = s.options.Now().Sub(s.started).Seconds()
	if s.options.Progress != nil {
		s.options.Progress(s.report)
	}
}

// take makes a sample the path of robot i in a node. The Batch of the sample stays in
// memory as long as the node does.
func (s *Search) take(n *Node, i int, b *Batch, sample int, hard []Constraint) {
	s.room.Take(4*len(b.States.Data) + len(n.robots)*trajectoryWords*memory.WordBytes)
	n.robots[i] = trajectory{states: b.States.Sample(sample), path: b.Path(sample), constraints: hard}
	if s.method.Warm {
		n.robots[i].batch = b
	} else { // let the rest of the Batch go
		n.robots[i].states = append([]float32(nil), n.robots[i].states...)
	}
}

// fewest returns the first free sample with the fewest conflicts between robot i
// and the others of a node, -1 when none is free. Samples come in their order, after
// the favourite if there is one: another must have strictly fewer than it.
func (s *Search) fewest(n *Node, i int, b *Batch, favourite int) int {
	best, conflicts, paths := -1, math.MaxInt, n.paths()
	order := b.Free
	if favourite >= 0 {
		order = append([]int{favourite}, order...)
	}
	var path []geom.Vec2
	for _, k := range order {
		path = geom.Points(path, b.States.Sample(k), Channels)
		if c := s.team.conflictsOf(i, path, paths, conflicts); c < conflicts {
			best, conflicts = k, c
		}
	}
	return best
}

// end sets how the search ended.
func (s *Search) end(status Status, n *Node) {
	s.report.Status = status
	if n != nil {
		s.report.Conflicts = len(n.conflicts)
	}
	s.tell()
}

// fail sets the status for an error of a plan and returns it.
func (s *Search) fail(err error, n *Node) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		s.end(Cancelled, n)
	} else {
		s.end(Broken, n)
	}
	return err
}
