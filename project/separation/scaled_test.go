package separation_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// What fails most, and by how much, does not depend on the unit of length: speeds, gaps, angles and curvatures compare.
func TestViolationsHaveOneUnit(t *testing.T) {
	const scale = 256
	r := rand.New(rand.NewPCG(6, 2))
	var seen [8]int
	for range 200 {
		w := curved(crossing(32).World)
		w.Motion.PerUnit = [2]float64{}
		x := []tensor.Batch{tensor.New(1, 32, 4), tensor.New(1, 32, 4), tensor.New(1, 32, 4)}
		drawCrossing(r, [][]float32{x[0].Data, x[1].Data, x[2].Data})
		heading := geom.Vec2{X: 1}
		w.Robots[0].TurnRate, w.Robots[1].TurningRadius, w.Robots[2].Headings[0] = 0.1*r.Float64(), r.Float64(), &heading
		w.Robots[0].Change, w.Robots[1].Step = 0.02*r.Float64(), w.Robots[1].Step*r.Float64()
		curves := w.Curves(x, 0)
		small, large := w.JudgeCurves(curves), larger(w, scale).JudgeCurves(largerCurves(curves, scale))
		k := small.Worst(w.Margin)
		if large.Worst(scale*w.Margin) != k || large.Violation(scale*w.Margin) != scale*small.Violation(w.Margin) {
			t.Errorf("%v by %v, %g times as large %v by %v", k, small.Violation(w.Margin), float64(scale), large.Worst(scale*w.Margin), large.Violation(scale*w.Margin))
		}
		seen[k]++
	}
	if slices.IndexFunc(seen[:], func(n int) bool { return n > 150 }) >= 0 {
		t.Errorf("of the kinds %v fail most: this proves little", seen)
	}
}

// larger returns a world whose lengths are multiplied.
func larger(w *separation.World, by float64) *separation.World {
	out := *w
	out.Margin *= by
	out.Border = &geom.Box{Min: w.Border.Min.Scale(by), Max: w.Border.Max.Scale(by)}
	out.Robots, out.Obstacles, out.Traffic = slices.Clone(w.Robots), slices.Clone(w.Obstacles), slices.Clone(w.Traffic)
	for i := range out.Robots {
		b := &out.Robots[i]
		b.Radius, b.Inset, b.TurningRadius = b.Radius*by, b.Inset*by, b.TurningRadius*by
		for k, u := range b.Unit {
			if b.Unit[k] = u * by; u == 0 {
				b.Unit[k] = by
			}
		}
	}
	for i, o := range out.Obstacles {
		out.Obstacles[i] = geom.Convex{Core: largerPoints(o.Core, by), Radius: o.Radius * by}
	}
	for i, m := range out.Traffic {
		out.Traffic[i].Radius, out.Traffic[i].Path = m.Radius*by, largerPoints(m.Path, by)
	}
	return &out
}

func largerCurves(curves []geom.Curve, by float64) (out []geom.Curve) {
	for _, c := range curves {
		out = append(out, geom.Curve{X: largerPoints(c.X, by), V: largerPoints(c.V, by), Step: c.Step})
	}
	return out
}

func largerPoints(points []geom.Vec2, by float64) (out []geom.Vec2) {
	for _, p := range points {
		out = append(out, p.Scale(by))
	}
	return out
}
