package project

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

func TestHullGolden(t *testing.T) {
	g := readNPZ(t, "convex_hull.npz")
	for _, name := range []string{
		"d16_M2", "d16_M4", "d64_M3", "d64_M6", "d256_M5", "d1024_M2", "d1024_M6", "d4096_M2", "d4096_M6",
	} {
		e, z := g["E_"+name], g["z_"+name]
		d, m := e.shape[1], e.shape[0]
		exemplars, x := batchOf(t, float32s(e.data), d), batchOf(t, float32s(z.data), d)
		h, err := NewHull(exemplars)
		if err != nil {
			t.Fatal(err)
		}
		weights := make([]float64, x.N*m)
		if err := h.Weights(weights, x); err != nil {
			t.Fatal(err)
		}
		if diff, _ := farthest(weights, g["lambda_exact_"+name].data); !(diff <= 1e-9) {
			t.Errorf("%s: weights are off by %.3g, want 1e-9", name, diff)
		}
		point := make([]float64, d)
		for k := range x.N {
			h.ProjectExact(point, z.row(k), x.Shape, k)
			if diff, _ := farthest(point[:16], g["proj_exact_first16_"+name].row(k)); !(diff <= 1e-9) {
				t.Errorf("%s, row %d: point is off by %.3g, want 1e-9", name, k, diff)
			}
			want := g["dist2_exact_"+name].data[k]
			if dist2 := squared(z.row(k), point); math.Abs(dist2-want) > 1e-9*(1+want) {
				t.Errorf("%s, row %d: squared distance %v, want %v", name, k, dist2, want)
			}
		}
	}
}

func squared(a, b []float64) (s float64) {
	for i := range a {
		s += (a[i] - b[i]) * (a[i] - b[i])
	}
	return s
}

func TestHullDegenerateGolden(t *testing.T) {
	g := readNPZ(t, "convex_hull_degenerate.npz")
	for _, suffix := range []string{"", "_dup"} {
		e, z := g["E"+suffix], g["z"+suffix]
		d := e.shape[1]
		h, err := NewHull(batchOf(t, float32s(e.data), d))
		if err != nil {
			t.Fatal(err)
		}
		point := make([]float64, d)
		for k := range z.shape[0] {
			h.ProjectExact(point, z.row(k), tensor.Shape{d}, k)
			if diff, _ := farthest(point, g["proj_exact"+suffix].row(k)); !(diff <= 1e-9) {
				t.Errorf("hull%s, row %d: point is off by %.3g, want 1e-9", suffix, k, diff)
			}
		}
	}
}

// TestHullRowsAreIndependent projects rows alone, together, in another order and in
// place, among members, points at the edge of the band and points far away, and wants
// the same bits.
func TestHullRowsAreIndependent(t *testing.T) {
	const rows, m, d = 9, 5, 1100 // more than two chunks, and a rest
	exemplars, x := gaussianHull(rows, m, d)
	h, err := NewHull(exemplars)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	want := tensor.New(rows, d)
	if _, err := h.Project(ctx, want, x); err != nil {
		t.Fatal(err)
	}
	copy(x.Sample(2), want.Sample(2)) // a member
	copy(x.Sample(5), want.Sample(5))
	for i := range x.Sample(5) {
		x.Sample(5)[i] *= 1 + 0x1p-20 // just outside
	}
	for i := range x.Sample(7) {
		x.Sample(7)[i] *= 1e6
	}
	total, err := h.Project(ctx, want, x)
	if err != nil || total.Moved != rows-1 || total.ViolationAfter > 0 {
		t.Fatalf("Project = %+v, %v, want to move all but one row", total, err)
	}
	same := func(what string, k int, got []float32) {
		t.Helper()
		for i, v := range got {
			if math.Float32bits(v) != math.Float32bits(want.Sample(k)[i]) {
				t.Fatalf("%s, row %d: element %d is %v, want %v", what, k, i, v, want.Sample(k)[i])
			}
		}
	}
	sum, got, violation := Report{}, tensor.New(1, d), make([]float64, rows)
	h.Violation(violation, x)
	for k := range rows {
		r, err := h.Project(ctx, got, x.Rows(k, k+1))
		if err != nil || r.ViolationBefore != violation[k] {
			t.Errorf("row %d alone: %+v, %v, want the violation %v before", k, r, err, violation[k])
		}
		same("alone", k, got.Data)
		sum = sum.Merge(r)
	}
	if sum != total {
		t.Errorf("reports of single rows add up to %+v, want %+v", sum, total)
	}
	if _, err := h.Project(ctx, x, x); err != nil {
		t.Fatal(err)
	}
	for k := range rows {
		same("in place", k, x.Sample(k))
	}
}

// TestHullsAndFarHalfSpaces intersects hulls of one and two points of all sizes with
// half-spaces that may be as far away as float64 goes: there is a report, also where
// the two do not meet.
func TestHullsAndFarHalfSpaces(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of many sets, whose goroutines the laws watch")
	}
	r := rand.New(rand.NewPCG(1, 2))
	apart, met := 0, 0
	for range 1000 {
		m, d := 1+r.IntN(2), 1+r.IntN(4)
		exemplars, x, normal := tensor.New(m, d), tensor.New(2, d), make([]float64, d)
		for i := range exemplars.Data {
			exemplars.Data[i] = float32(math.Pow(10, 60*r.Float64()-30) * r.NormFloat64())
		}
		for i := range normal {
			normal[i], x.Data[i] = r.NormFloat64(), float32(r.NormFloat64())
		}
		h, err := NewHull(exemplars)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewHalfSpace(normal, math.Pow(10, 400*r.Float64()-200)*r.NormFloat64())
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewIntersection(IntersectionOptions{MaxIterations: 100}, h, p)
		if err != nil {
			t.Fatal(err)
		}
		out := tensor.New(2, d)
		report, err := s.Project(context.Background(), out, x)
		if err != nil || report.Samples != 2 || report.Status == Converged && !(report.ViolationAfter <= 0) {
			t.Fatalf("%d points, %d dimensions: %+v, %v", m, d, report, err)
		}
		if met++; report.Status != Converged {
			apart, met = apart+1, met-1
		}
	}
	if apart == 0 || met == 0 {
		t.Errorf("%d intersections are empty and %d are not, want both", apart, met)
	}
}

func BenchmarkHull(b *testing.B) {
	for m := 2; m <= 6; m++ {
		b.Run(fmt.Sprintf("exemplars=%d", m), func(b *testing.B) {
			exemplars, x := gaussianHull(25, m, 16384)
			h, err := NewHull(exemplars)
			if err != nil {
				b.Fatal(err)
			}
			dst := tensor.New(x.N, x.Shape...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Project(context.Background(), dst, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
