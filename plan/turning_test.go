package plan

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// What ways of arcs came to is not computed again when a ladder comes to them once more.
func TestArcsAreTriedOnce(t *testing.T) {
	walls := []geom.Box{{Min: at(-1, 0.06), Max: at(1, 1)}, {Min: at(-1, -1), Max: at(1, -0.06)}} // a corridor for one
	team, paths := walled(t, 1, 0.05, walls, [2]geom.Vec2{at(-0.7, 0), at(0.7, 0)}, [2]geom.Vec2{at(0.7, 0), at(-0.7, 0)})
	team.Motion = Curve
	var x []tensor.Batch
	for i, path := range paths {
		team.Robots[i].TurningRadius = 0.2
		b := tensor.New(1, len(path), channels)
		for h, p := range path {
			b.Data[h*channels], b.Data[h*channels+1] = float32(p.X), float32(p.Y)
		}
		if i == 0 { // which starts by turning too tightly
			b.Data[channels+1] = 0.005
		}
		x = append(x, b)
	}
	a, err := team.attemptOf(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.climb(t.Context(), turnRung); err != nil || a.safe() || a.arcs == nil {
		t.Fatalf("%v, safe %v, want robots that meet on arcs", err, a.safe())
	}
	first, rounds := a.at, a.rounds
	if err := a.climb(t.Context(), repairAsIs); err != nil || a.safe() {
		t.Fatalf("%v, safe %v", err, a.safe())
	}
	repaired := a.rounds
	a.outcome.Verdict = a.arcs.outcome.Verdict // which turns too tightly, too
	if err := a.climb(t.Context(), turnRung); err != nil || a.rounds != repaired || rounds == 0 {
		t.Errorf("%v, %d rounds after %d of a repair", err, a.rounds, repaired)
	}
	for i := range first {
		if !slices.Equal(a.at[i].Data, first[i].Data) {
			t.Errorf("robot %d is elsewhere than on its arcs", i)
		}
	}
}
