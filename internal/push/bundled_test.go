package push

import (
	"testing"

	"github.com/go-pcd/pcd/internal/env/pusht"
)

// The policy that ships is the one its card describes, and pushes: in two published
// conditions it moves the block towards the goal within ten seconds, under a certified
// limit.
func TestBundledPolicyPushes(t *testing.T) {
	m, err := Bundled()
	if err != nil {
		t.Fatal(err)
	}
	if m.Steps != PublishedSteps || m.Card.Steps == 0 || m.Card.Loss == 0 {
		t.Errorf("card %+v", m.Card)
	}
	o := options(t, DPProj)
	states := conditions(pusht.Conditions)
	const first, second = 20, 39 // the block begins near its goal
	starts := append(Starts(first, states[first], 1), Starts(second, states[second], 1)...)
	r := do(t, m, starts, Run{Options: o, EpisodeSteps: 96})
	if !r.Certificate.Certified {
		t.Errorf("certificate %+v", r.Certificate)
	}
	judged, err := r.Judge([]float64{8.4})
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range judged {
		before := pusht.Reward(pusht.Coverage(starts[k].State.Block))
		if s.Completion[0] < before+0.2 && s.Completion[1] < before+0.2 {
			t.Errorf("pair %d: rewards %v, %v at the start", k, s.Completion, before)
		}
	}
}
