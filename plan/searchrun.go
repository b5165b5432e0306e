package plan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/geom"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/plan/internal/mmd"
	"github.com/go-pcd/pcd/tensor"
)

// search runs a method that searches.
func (t Team) search(ctx context.Context, o Options) (*Result, error) {
	began := time.Now()
	low := newMPD(t, o)
	bounds := o.Search
	bounds.Memory = o.memory()
	s := mmd.New(t.mmdTeam(), low, o.Method.traits().mmd(), bounds)
	n, err := s.Run(ctx)
	var refused *pcd.ProblemError
	if errors.As(err, &refused) {
		return nil, err
	}
	out := &Result{Search: s.Report(), Seconds: low.seconds, Status: statusOf(s.Report())}
	out.Seconds.Total = time.Since(began).Seconds()
	if judgeErr := t.collect(out, n, o); err == nil {
		err = judgeErr
	}
	return out, err
}

// statusOf returns the status of the run that a search makes.
func statusOf(r *SearchReport) pcd.Status {
	switch r.Status {
	case mmd.Cancelled:
		return pcd.Interrupted
	case mmd.Broken:
		return pcd.Failed
	default:
		return pcd.Complete
	}
}

// collect fills a result with the paths of a node, which may be nil, in the units
// of the task.
func (t Team) collect(out *Result, n *mmd.Node, o Options) error {
	for _, r := range t.Robots {
		out.Limits = append(out.Limits, t.judgedLimit(r))
	}
	if n == nil {
		out.Judged = []Measures{navmetric.NoResult(len(t.Robots))}
		return nil
	}
	for i := range t.Robots {
		states := n.States(i)
		x := tensor.New(1, len(states)/channels, channels)
		copy(x.Data, states)
		t.toTask(x)
		if o.Settings.PinGoal {
			t.restoreEnds(x, t.Robots[i])
		}
		if o.Settings.Velocities {
			differentiate(x, t.Step)
		}
		out.Samples = append(out.Samples, x)
	}
	return t.assess(out)
}

// checkSearch returns an error for the first thing that keeps a team from being
// searched for, beyond what [Team.Check] finds. Speed limits do not enter, so any
// goal is in reach.
func (t Team) checkSearch(o Options) error {
	if t.curved() {
		return &TeamError{Reason: fmt.Sprintf("motion curve with method %s, want one that samples all robots together", o.Method)}
	}
	free := o.Settings
	free.PinGoal = false
	if err := t.Check(free); err != nil {
		return err
	}
	if n := t.Robots[0].Model.Waypoints(); n < smoothingWindow {
		return &TeamError{Reason: fmt.Sprintf("%s needs models of at least %d waypoints to smooth their paths, got %d", o.Method, smoothingWindow, n)}
	}
	if o.Search.Expansions < 0 {
		return fmt.Errorf("plan: search limited to %d expansions, want 0 (no limit) or more", o.Search.Expansions)
	}
	for i := range t.Robots {
		if err := t.checkSpacing(i); err != nil {
			return err
		}
	}
	return nil
}

// checkSpacing returns an error when the start or goal of robot i is in conflict
// with that of a robot before it: no constraint can move them.
func (t Team) checkSpacing(i int) error {
	r, team := t.Robots[i], t.mmdTeam()
	for j, other := range t.Robots[:i] {
		need := team.Distance(i, j)
		for _, place := range []struct {
			name string
			p, q geom.Vec2
		}{{"start", r.Start, other.Start}, {"goal", r.Goal, other.Goal}} {
			if d := place.p.Dist(place.q); d < need {
				return t.collision(i, place.name, "the "+place.name+" of "+other.Name, d, need)
			}
		}
	}
	return nil
}
