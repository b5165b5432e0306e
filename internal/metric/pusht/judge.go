package pusht

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/metric"
)

// Conventions of the PushT tables.
const (
	Segment = 8    // actions that are planned together
	seconds = 0.01 // between two actions in the published speeds, though an action lasts a tenth of a second
	slack   = 5e-4 // tolerance on speeds
)

// The bounds of actions in pixels that the published tables normalise by. They
// are rounded, so they differ a little from those of the model.
var least, greatest = geom.Vec2{X: 0.0091, Y: 0.2790}, geom.Vec2{X: 511.9651, Y: 511.9563}

// normalise maps the bounds to [-1, 1].
func normalise(p geom.Vec2) geom.Vec2 {
	const margin = 1e-6
	return geom.Vec2{
		X: 2*(p.X-least.X)/(greatest.X-least.X+margin) - 1,
		Y: 2*(p.Y-least.Y)/(greatest.Y-least.Y+margin) - 1,
	}
}

// Trajectory is what one of two coupled policies did in its environment.
type Trajectory struct {
	Actions []geom.Vec2 // targets in px, planned in segments of [Segment]; a rest is left out
	Agent   []geom.Vec2 // place of the agent before each action, px
	Rewards []float64   // after each action, in [0, 1]
}

// Pair is a pair of coupled trajectories from the same initial condition.
type Pair [2]Trajectory

// Sample is a judged pair.
type Sample struct {
	DTW, DFD   float64      // distance of the two plans, normalised units, mean over segments
	Completion [2]float64   // largest reward of each member
	Within     [][2]float64 // per limit, the fraction of segments of each member that keep it
}

// Error says why a pair cannot be judged.
type Error struct {
	Member  int
	Problem string
}

func (e *Error) Error() string { return fmt.Sprintf("metric: member %d: %s", e.Member, e.Problem) }

// check returns what makes a trajectory unusable, or "".
func (t *Trajectory) check(segments int) string {
	switch {
	case segments == 0:
		return fmt.Sprintf("%d actions are fewer than a segment of %d", len(t.Actions), Segment)
	case len(t.Actions)/Segment != segments:
		return fmt.Sprintf("%d actions make %d segments, the other member has %d", len(t.Actions), len(t.Actions)/Segment, segments)
	case len(t.Agent) < segments*Segment:
		return fmt.Sprintf("%d places of the agent for %d actions", len(t.Agent), len(t.Actions))
	case len(t.Rewards) == 0:
		return "no rewards"
	}
	for i := range segments * Segment {
		if !t.Actions[i].IsFinite() {
			return fmt.Sprintf("action %d is %v; leave out what was never planned", i, t.Actions[i])
		}
		if !t.Agent[i].IsFinite() {
			return fmt.Sprintf("place %d of the agent is %v", i, t.Agent[i])
		}
	}
	for i, r := range t.Rewards {
		if !(r >= 0 && r <= 1) {
			return fmt.Sprintf("reward %d is %v, not in [0, 1]", i, r)
		}
	}
	return ""
}

// Judge measures a pair against speed limits, in normalised units per
// hundredth of a second. The error is a [*Error].
//
// The speed of an action is its distance from the one before, of the first of a
// segment its distance from the agent. Since the agent lags behind its targets,
// that first distance is large even when the agent moves slowly.
//
// Source: PCD, section on PushT: DTW, DFD, CS and TC.
func Judge(p Pair, limits []float64) (Sample, error) {
	segments := len(p[0].Actions) / Segment
	for m := range p {
		if problem := p[m].check(segments); problem != "" {
			return Sample{}, &Error{Member: m, Problem: problem}
		}
	}
	s := Sample{Within: make([][2]float64, len(limits))}
	var plans [2][Segment]geom.Vec2
	for k := range segments {
		for m := range p {
			first := k * Segment
			for h := range plans[m] {
				plans[m][h] = normalise(p[m].Actions[first+h])
			}
			top := topSpeed(normalise(p[m].Agent[first]), plans[m][:])
			for i, limit := range limits {
				s.Within[i][m] += metric.Indicator(top <= limit+slack)
			}
		}
		s.DTW += metric.DTW(plans[0][:], plans[1][:])
		s.DFD += metric.Frechet(plans[0][:], plans[1][:])
	}
	s.DTW /= float64(segments)
	s.DFD /= float64(segments)
	for m := range p {
		for i := range limits {
			s.Within[i][m] /= float64(segments)
		}
		s.Completion[m] = slices.Max(p[m].Rewards)
	}
	return s, nil
}

// Speeds returns the speeds of the actions of a trajectory, as [Judge]
// takes them: [Segment] of every segment.
func Speeds(t Trajectory) []float64 {
	var out []float64
	for k := range len(t.Actions) / Segment * Segment {
		to, from := normalise(t.Actions[k]), t.Agent[k]
		if k%Segment != 0 {
			from = t.Actions[k-1]
		}
		out = append(out, to.Dist(normalise(from))/seconds)
	}
	return out
}

// topSpeed returns the largest speed of a plan that starts at from.
func topSpeed(from geom.Vec2, plan []geom.Vec2) (top float64) {
	for _, p := range plan {
		top = math.Max(top, p.Dist(from)/seconds)
		from = p
	}
	return top
}
