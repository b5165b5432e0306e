package pusht_test

import (
	"errors"
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
)

// recorded runs actions and keeps what a recorder keeps: float32 states before
// each action, with the angle within a turn.
func recorded(t *testing.T, start pusht.State, actions []geom.Vec2) pusht.Demonstration {
	w := placed(t, start)
	d := pusht.Demonstration{Actions: actions}
	for _, a := range actions {
		s := w.State().Array()
		s[4] = math.Mod(s[4]+20*math.Pi, 2*math.Pi)
		for i := range s {
			s[i] = float64(float32(s[i]))
		}
		d.States = append(d.States, pusht.StateOf(s))
		step(t, w, a.X, a.Y)
	}
	return d
}

func TestReplayFollowsRecording(t *testing.T) {
	almost, push := nearlyDone()
	actions := []geom.Vec2{almost.Agent, almost.Agent}
	for range 10 {
		actions = append(actions, push)
	}
	almost.Block.Angle -= 2 * math.Pi
	d := recorded(t, almost, actions)
	r, err := pusht.Replay(d)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Trajectory) != len(actions)+1 {
		t.Errorf("trajectory of %d states, want %d", len(r.Trajectory), len(actions)+1)
	}
	if r.AgentError > 5e-5 || r.BlockError > 5e-5 || r.AngleError > 1e-6 {
		t.Errorf("errors %v, %v, %v; want those of rounding to float32", r.AgentError, r.BlockError, r.AngleError)
	}
	if r.AgentError == 0 && r.BlockError == 0 {
		t.Error("no rounding at all: nothing was compared")
	}
	if math.Abs(r.Coverage-r.RecordedCoverage) > 1e-5 || r.FinalCoverage < 0.95 {
		t.Errorf("coverage %v, recorded %v, finally %v", r.Coverage, r.RecordedCoverage, r.FinalCoverage)
	}
}

func TestReplayReportsErrors(t *testing.T) {
	almost, push := nearlyDone()
	d := recorded(t, almost, []geom.Vec2{push, push, push, push})
	d.States[2].Agent.X += 3
	d.States[2].Block.Position.Y -= 2
	d.States[3].Block.Angle += 0.25 + 2*math.Pi
	r, err := pusht.Replay(d)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.AgentError-3) > 1e-3 || math.Abs(r.BlockError-2) > 1e-3 || math.Abs(r.AngleError-0.25) > 1e-5 {
		t.Errorf("errors %v, %v, %v; want 3, 2, 0.25", r.AgentError, r.BlockError, r.AngleError)
	}
}

func TestReplayRefusesBadInput(t *testing.T) {
	almost, push := nearlyDone()
	good := func() pusht.Demonstration { return recorded(t, almost, []geom.Vec2{push, push}) }
	var demonstration *pusht.DemonstrationError
	if _, err := pusht.Replay(pusht.Demonstration{}); !errors.As(err, &demonstration) {
		t.Errorf("empty demonstration: %v", err)
	}
	d := good()
	d.Actions = d.Actions[:1]
	if _, err := pusht.Replay(d); !errors.As(err, &demonstration) {
		t.Errorf("too few actions: %v", err)
	}
	d = good()
	d.Actions[1].X = math.NaN()
	var target *pusht.TargetError
	if _, err := pusht.Replay(d); !errors.As(err, &target) || target.Action != 1 {
		t.Errorf("NaN action: %v", err)
	}
	d = good()
	d.States[1].Block.Angle = math.Inf(1)
	var state *pusht.StateError
	if _, err := pusht.Replay(d); !errors.As(err, &state) {
		t.Errorf("infinite angle: %v", err)
	}
	d = good()
	d.States[0].Agent.X = 600
	if _, err := pusht.Replay(d); !errors.As(err, &state) {
		t.Errorf("start outside the window: %v", err)
	}
}
