package pusht

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
)

// touched is what an action did: bits of the pairs that touched in any substep, the
// most pairs that touched at once, and the points of contact over all substeps.
type touched struct{ mask, most, points int }

func (w *World) observedStep(target geom.Vec2) (t touched) {
	for range substeps {
		w.agent.steer(target)
		w.advance()
		t.most = max(t.most, w.n)
		for _, k := range w.active[:w.n] {
			t.points += w.touch[k].n
			if k < parts {
				t.mask |= 1 << k // agent with bar, with stem
			} else {
				t.mask |= 4 << (k/parts - 1) // block with a wall
			}
		}
	}
	return t
}

// Which pairs touch, how many at once and at how many points, in every action of
// all rollouts.
func TestContactsOfRollouts(t *testing.T) {
	const agentWall = 64 // a pair that moves nothing: the world does without it
	a := golden.Open(t, "testdata/rollouts.npz")
	contacts := 0
	for r := range 20 {
		get := func(name string) []float64 { return a.Float64(fmt.Sprintf("%s_%d", name, r)) }
		ints := func(name string) []int { return a.Ints(fmt.Sprintf("%s_%d", name, r)) }
		s, actions := get("init"), get("actions")
		w := NewWorld()
		if err := w.Place(State{Agent: geom.Vec2{X: s[0], Y: s[1]}, Block: Pose{Position: geom.Vec2{X: s[2], Y: s[3]}, Angle: s[4]}}); err != nil {
			t.Fatal(err)
		}
		masks, most, points := ints("pair_mask"), ints("max_block_pairs"), ints("contact_points")
		for i := range masks {
			got := w.observedStep(geom.Vec2{X: actions[2*i], Y: actions[2*i+1]})
			want := touched{masks[i] &^ agentWall, most[i], points[i]}
			if masks[i]&agentWall != 0 {
				want.points = got.points // those of the agent at a wall are counted there
			}
			if got != want {
				t.Errorf("rollout %d, action %d: %+v, want %+v", r, i, got, want)
			}
			contacts += got.points
		}
	}
	if contacts == 0 {
		t.Error("nothing ever touched")
	}
}

func TestKeypoints(t *testing.T) {
	var got []float64
	for _, p := range keypoints {
		got = append(got, p.X, p.Y)
	}
	golden.Close(t, "keypoints", got, golden.Open(t, "testdata/initial_conditions.npz").Float64("keypoints_local"), 1e-12, 0)
}
