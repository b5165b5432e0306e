package plan

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/memory"
)

// search looks for paths of all robots that are not in conflict, robot by robot.
type search struct {
	team    Team
	low     lowLevel
	options SearchOptions
	soft    bool // the paths of the others are soft constraints: ECBS
	warm    bool // replans start from the batch before: XCBS

	replans []int       // per robot
	room    memory.Room // for nodes
	started time.Time
	report  SearchReport
}

// newSearch returns the search of a method.
func newSearch(t Team, low lowLevel, m Method, o SearchOptions) *search {
	if o.TimeLimit == 0 {
		o.TimeLimit = DefaultTimeLimit
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &search{
		team: t, low: low, options: o, started: o.Now(),
		soft: m.traits().soft, warm: m.traits().warm,
		replans: make([]int, len(t.Robots)), room: memory.Room{Left: math.MaxInt64}, report: SearchReport{Status: Searching},
	}
}

// run searches by a method. It returns the node with the paths found, nil when
// there are none.
func (s *search) run(ctx context.Context, m Method) (*node, error) {
	if m.traits().search == byPriority {
		return s.prioritized(ctx)
	}
	return s.conflictBased(ctx)
}

// node is a plan for all robots: a state of the search.
type node struct {
	robots    []trajectory
	conflicts []conflict
	order     int // of creation
}

// trajectory is the part of a node for one robot.
type trajectory struct {
	states      []float32    // of the trajectory, in map units
	path        []geom.Vec2  // its positions; nil before the robot is planned
	constraints []constraint // hard ones, in the order in which they were set
	batch       *batch       // the trajectory is from, for warm starts
}

// trajectoryWords are those of a trajectory in a node, beside what it shares.
const trajectoryWords = 10

// paths returns the paths of all robots.
func (n *node) paths() [][]geom.Vec2 {
	out := make([][]geom.Vec2, len(n.robots))
	for i, r := range n.robots {
		out[i] = r.path
	}
	return out
}

// plan draws paths for a robot under the hard constraints it has in a node and,
// for ECBS, away from the paths of the others.
func (s *search) plan(ctx context.Context, n *node, i int, hard []constraint) (*batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := request{robot: i, replan: s.replans[i], constraints: hard}
	if s.soft {
		if c, ok := s.team.avoid(i, n.paths(), true); ok {
			r.constraints = append(r.constraints[:len(hard):len(hard)], c)
		}
	}
	if s.warm {
		r.seed = n.robots[i].batch
	}
	b, err := s.low.plan(ctx, r)
	if err != nil {
		return nil, err
	}
	s.replans[i]++
	s.report.Plans++
	s.tell()
	return b, nil
}

// tell reports progress.
func (s *search) tell() {
	s.report.Seconds = s.options.Now().Sub(s.started).Seconds()
	if s.options.Progress != nil {
		s.options.Progress(s.report)
	}
}

// take makes a sample the path of robot i in a node. The batch of the sample stays in
// memory as long as the node does.
func (s *search) take(n *node, i int, b *batch, sample int, hard []constraint) {
	s.room.Take(4*len(b.states.Data) + len(n.robots)*trajectoryWords*memory.WordBytes)
	n.robots[i] = trajectory{states: b.states.Sample(sample), path: b.path(sample), constraints: hard}
	if s.warm {
		n.robots[i].batch = b
	} else { // let the rest of the batch go
		n.robots[i].states = append([]float32(nil), n.robots[i].states...)
	}
}

// fewest returns the first free sample with the fewest conflicts between robot i
// and the others of a node, -1 when none is free. Samples come in their order, after
// the favourite if there is one: another must have strictly fewer than it.
func (s *search) fewest(n *node, i int, b *batch, favourite int) int {
	best, conflicts, paths := -1, math.MaxInt, n.paths()
	order := b.free
	if favourite >= 0 {
		order = append([]int{favourite}, order...)
	}
	var path []geom.Vec2
	for _, k := range order {
		path = geom.Points(path, b.states.Sample(k), channels)
		if c := s.team.conflictsOf(i, path, paths, conflicts); c < conflicts {
			best, conflicts = k, c
		}
	}
	return best
}

// end sets how the search ended.
func (s *search) end(status SearchStatus, n *node) {
	s.report.Status = status
	if n != nil {
		s.report.Conflicts = len(n.conflicts)
	}
	s.tell()
}

// fail sets the status for an error of a plan and returns it.
func (s *search) fail(err error, n *node) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		s.end(Cancelled, n)
	} else {
		s.end(Broken, n)
	}
	return err
}
