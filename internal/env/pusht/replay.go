package pusht

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Demonstration is a recorded episode: States[i] is the state before Actions[i].
// The state after the last action is not part of it.
type Demonstration struct {
	States  []State
	Actions []geom.Vec2 // targets of the agent, px
}

// Replayed compares a demonstration with what its actions lead to in this world.
type Replayed struct {
	// Trajectory[i] is the state before action i; one more follows the last action.
	Trajectory []State

	// The largest distances from the recorded states, in pixels and radians. Angles
	// are compared modulo a turn.
	AgentError, BlockError, AngleError float64

	// Coverage of the last recorded state: as recorded, as replayed, and as replayed
	// after the last action.
	RecordedCoverage, Coverage, FinalCoverage float64
}

// Replay repeats a demonstration in a new world, from its first state at rest.
// Recordings in float32 cannot be followed exactly: the rounding of the first
// state stays, and grows where the block is caught between agent and wall.
//
// It returns a [*DemonstrationError], [*StateError] or [*TargetError] if the
// demonstration cannot be replayed.
func Replay(d Demonstration) (*Replayed, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	w := NewWorld()
	w.place(d.States[0])
	r := &Replayed{Trajectory: make([]State, 0, len(d.States)+1)}
	for i, recorded := range d.States {
		r.compare(w.State(), recorded)
		r.Coverage = w.Coverage()
		w.step(d.Actions[i])
	}
	r.Trajectory = append(r.Trajectory, w.State())
	r.RecordedCoverage = Coverage(d.States[len(d.States)-1].Block)
	r.FinalCoverage = w.Coverage()
	return r, nil
}

func (d Demonstration) check() error {
	if len(d.States) == 0 || len(d.States) != len(d.Actions) {
		return &DemonstrationError{States: len(d.States), Actions: len(d.Actions)}
	}
	for i, a := range d.Actions {
		if !reachable(a) {
			return &TargetError{Action: i, X: a.X, Y: a.Y}
		}
	}
	for _, s := range d.States { // the agent may have left the window, so only NaN matters
		for i, v := range s.Array() {
			if v-v != 0 {
				return &StateError{What: stateNames[i], Value: v}
			}
		}
	}
	return d.States[0].check(0)
}

// compare appends a state to the trajectory and enters its errors.
func (r *Replayed) compare(s, recorded State) {
	r.Trajectory = append(r.Trajectory, s)
	r.AgentError = max(r.AgentError, s.Agent.Dist(recorded.Agent))
	r.BlockError = max(r.BlockError, s.Block.Position.Dist(recorded.Block.Position))
	turn := math.Remainder(s.Block.Angle-recorded.Block.Angle, 2*math.Pi)
	r.AngleError = max(r.AngleError, math.Abs(turn))
}
