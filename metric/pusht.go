package metric

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// Conventions of the PushT tables.
const (
	PushTSegment = 8    // actions that are planned together
	pushTSeconds = 0.01 // between two actions in the published speeds, though an action lasts a tenth of a second
	pushTSlack   = 5e-4 // tolerance on speeds
)

// The bounds of actions in pixels that the published tables normalise by. They
// are rounded, so they differ a little from those of the model.
var pushTMin, pushTMax = geom.Vec2{X: 0.0091, Y: 0.2790}, geom.Vec2{X: 511.9651, Y: 511.9563}

// pushTNormalise maps the bounds to [-1, 1].
func pushTNormalise(p geom.Vec2) geom.Vec2 {
	const margin = 1e-6
	return geom.Vec2{
		X: 2*(p.X-pushTMin.X)/(pushTMax.X-pushTMin.X+margin) - 1,
		Y: 2*(p.Y-pushTMin.Y)/(pushTMax.Y-pushTMin.Y+margin) - 1,
	}
}

// PushTTrajectory is what one of two coupled policies did in its environment.
type PushTTrajectory struct {
	Actions []geom.Vec2 // targets in px, planned in segments of [PushTSegment]; a rest is left out
	Agent   []geom.Vec2 // place of the agent before each action, px
	Rewards []float64   // after each action, in [0, 1]
}

// PushTPair is a pair of coupled trajectories from the same initial condition.
type PushTPair [2]PushTTrajectory

// PushTSample is a judged pair.
type PushTSample struct {
	DTW, DFD   float64      // distance of the two plans, normalised units, mean over segments
	Completion [2]float64   // largest reward of each member
	Within     [][2]float64 // per limit, the fraction of segments of each member that keep it
}

// PushTError says that a pair cannot be judged.
type PushTError struct {
	Condition, Pair, Member int
	Problem                 string
}

func (e *PushTError) Error() string {
	return fmt.Sprintf("metric: PushT condition %d, pair %d, member %d: %s", e.Condition, e.Pair, e.Member, e.Problem)
}

// check returns what makes a trajectory unusable, or "".
func (t *PushTTrajectory) check(segments int) string {
	switch {
	case segments == 0:
		return fmt.Sprintf("%d actions are fewer than a segment of %d", len(t.Actions), PushTSegment)
	case len(t.Actions)/PushTSegment != segments:
		return fmt.Sprintf("%d actions make %d segments, the other member has %d", len(t.Actions), len(t.Actions)/PushTSegment, segments)
	case len(t.Agent) < segments*PushTSegment:
		return fmt.Sprintf("%d places of the agent for %d actions", len(t.Agent), len(t.Actions))
	case len(t.Rewards) == 0:
		return "no rewards"
	}
	for i := range segments * PushTSegment {
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

// JudgePushT measures a pair against speed limits, in normalised units per
// hundredth of a second. The error is a [*PushTError] with condition and pair 0.
//
// The speed of an action is its distance from the one before, of the first of a
// segment its distance from the agent. Since the agent lags behind its targets,
// that first distance is large even when the agent moves slowly.
//
// Source: PCD, section on PushT: DTW, DFD, CS and TC.
func JudgePushT(p PushTPair, limits []float64) (PushTSample, error) {
	segments := len(p[0].Actions) / PushTSegment
	for m := range p {
		if problem := p[m].check(segments); problem != "" {
			return PushTSample{}, &PushTError{Member: m, Problem: problem}
		}
	}
	s := PushTSample{Within: make([][2]float64, len(limits))}
	var plans [2][PushTSegment]geom.Vec2
	for k := range segments {
		for m := range p {
			first := k * PushTSegment
			for h := range plans[m] {
				plans[m][h] = pushTNormalise(p[m].Actions[first+h])
			}
			top := topSpeed(pushTNormalise(p[m].Agent[first]), plans[m][:])
			for i, limit := range limits {
				s.Within[i][m] += indicator(top <= limit+pushTSlack)
			}
		}
		s.DTW += DTW(plans[0][:], plans[1][:])
		s.DFD += Frechet(plans[0][:], plans[1][:])
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

// PushTSpeeds returns the speeds of the actions of a trajectory, as [JudgePushT]
// takes them: [PushTSegment] of every segment.
func PushTSpeeds(t PushTTrajectory) []float64 {
	var out []float64
	for k := range len(t.Actions) / PushTSegment * PushTSegment {
		to, from := pushTNormalise(t.Actions[k]), t.Agent[k]
		if k%PushTSegment != 0 {
			from = t.Actions[k-1]
		}
		out = append(out, to.Dist(pushTNormalise(from))/pushTSeconds)
	}
	return out
}

// topSpeed returns the largest speed of a plan that starts at from.
func topSpeed(from geom.Vec2, plan []geom.Vec2) (top float64) {
	for _, p := range plan {
		top = math.Max(top, p.Dist(from)/pushTSeconds)
		from = p
	}
	return top
}
