package separation_test

import (
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// A joint motion is certified where it is for each of its robots, among traffic and for robots that are late as well.
func TestFirstFailing(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of one goroutine")
	}
	r := rand.New(rand.NewPCG(5, 41))
	var seen [2]int
	for round := range 60 {
		s := crossing(32)
		if round%2 == 1 {
			s = amongTurning(r, 32)
		}
		w := curved(s.World)
		w.Margin, w.Lateness = 0.03*r.Float64(), []float64{0, 0.5 * r.Float64()}[r.IntN(2)]
		w.Robots[0].TurnRate = []float64{0, 0.4}[r.IntN(2)]
		x := []tensor.Batch{tensor.New(1, 32, 4), tensor.New(1, 32, 4), tensor.New(1, 32, 4)}
		drawCrossing(r, [][]float32{x[0].Data, x[1].Data, x[2].Data})
		w.Brief = true
		if _, err := w.Repair(t.Context(), x, x, 0); err != nil {
			t.Fatal(err)
		}
		for range r.IntN(3) {
			x[r.IntN(3)].Data[4*(1+r.IntN(30))+1] += float32(0.05 * r.NormFloat64())
		}
		curves := w.Curves(x, 0)
		all, whole := true, w.JudgeCurves(curves)
		for i := range curves {
			k, m, fails := w.FirstFailing(curves, i)
			if fails && (m.Robot != i || whole[k].Value >= m.Value+1e-9) {
				t.Fatalf("robot %d: %v is %+v, of all robots %+v", i, k, m, whole[k])
			}
			if fails && k == separation.Bodies {
				if pair, own := pairOf(w, curves, i, m.Other); pair.JudgeCurves(own)[k].Value > m.Value+1e-9 {
					t.Fatalf("robot %d: %+v, but the two are farther apart", i, m)
				}
			}
			all = all && !fails
		}
		if all != whole.Certified(w.Margin) {
			t.Fatalf("round %d: certified one by one %v, together %+v", round, all, whole)
		}
		seen[map[bool]int{true: 1}[all]]++
	}
	if seen[0] < 15 || seen[1] < 15 {
		t.Errorf("%d motions that are not certified and %d that are: this proves nothing", seen[0], seen[1])
	}
}

// pairOf returns robot i with another robot, or with traffic, and nobody else.
func pairOf(w *separation.World, curves []geom.Curve, i, other int) (*separation.World, []geom.Curve) {
	pair, own := *w, []geom.Curve{curves[i]}
	pair.Robots, pair.Traffic = []separation.Robot{w.Robots[i]}, nil
	if t := other - len(w.Robots); t >= 0 {
		pair.Traffic = w.Traffic[t : t+1]
	} else {
		pair.Robots, own = append(pair.Robots, w.Robots[other]), append(own, curves[other])
	}
	return &pair, own
}
