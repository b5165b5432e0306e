package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/tensor"
)

// pairOf returns arms with policies that have learned for some steps.
func pairOf(t *testing.T, steps int) (pair [2]*robot) {
	t.Helper()
	for i, a := range arms {
		p, err := learn(t.Context(), a, steps, uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		if pair[i], err = newRobot(a, p); err != nil {
			t.Fatal(err)
		}
	}
	return pair
}

// TestArms checks the gradient through the kinematics by the laws of costs, and drives pairs by
// policies that know nothing yet: whatever they ask for, angles stay within the limits.
func TestArms(t *testing.T) {
	pair := pairOf(t, 1)
	shape := tensor.Shape{horizon, joints}
	lawtest.Cost(t, hands{pair, cost.LogBarrier{Alpha: 1}}, []tensor.Shape{shape, shape}, lawtest.CostOptions{Scale: 0.3})
	for _, r := range pair {
		for i := range joints {
			low, high := r.bound(i, r.low[i], 1), r.bound(i, r.high[i], -1)
			if a, b := r.commanded(i, float32(low)), r.commanded(i, float32(high)); a < r.low[i] || b > r.high[i] || a > r.low[i]+1e-5 || b < r.high[i]-1e-5 {
				t.Errorf("%s, joint %d: the bounds stand for %g to %g, want %g to %g", r.name, i, a, b, r.low[i], r.high[i])
			}
		}
	}
	tasks := newTasks(3, 1)
	var drives []*drive
	for _, strength := range []float64{0, coupled} {
		d, err := driveAll(t.Context(), pair, tasks, strength)
		if err != nil {
			t.Fatal(err)
		}
		if !d.certified {
			t.Error("a plan is not certified")
		}
		touched := 0
		for k := range tasks {
			for i, a := range arms {
				for h, q := range d.angles[k][i] {
					if !a.within(q) {
						t.Errorf("pair %d, %s arm, step %d: %v leaves %v to %v", k, a.name, h, q, a.low, a.high)
					}
					if a.low[1]-q[1] > -1e-5 || q[1]-a.high[1] > -1e-5 {
						touched++
					}
				}
			}
		}
		if touched == 0 {
			t.Error("no angle lies on a limit: the test is too easy")
		}
		drives = append(drives, d)
	}
	path := filepath.Join(t.TempDir(), "arms.png")
	if err := picture(path, drives, tasks); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() < 1000 {
		t.Errorf("no picture: %v", err)
	}
}

// TestHandsStayApart trains for a while and wants the coupling to keep hands apart.
func TestHandsStayApart(t *testing.T) {
	thorough.Test(t)
	pair, tasks := pairOf(t, 50), newTasks(5, 3)
	near := map[float64]int{}
	for _, strength := range []float64{0, coupled} {
		d, err := driveAll(t.Context(), pair, tasks, strength)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(d.summary(tasks))
		for k := range tasks {
			least := math.Inf(1)
			for _, v := range d.distances(k) {
				least = min(least, v)
			}
			if least < apart {
				near[strength]++
			}
		}
	}
	if near[0] < 4 || near[coupled] > 1 {
		t.Errorf("hands come near in %d of 5 pairs alone and in %d coupled, want at least 4 and at most 1", near[0], near[coupled])
	}
}
