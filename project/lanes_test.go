package project

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// mixedPaths returns paths that take different ways through the lanes: noise of all
// sizes, members, paths far from their start and paths at rest.
func mixedPaths(rows, n int) (x, start tensor.Batch) {
	x, start = noisyPaths(21, rows, n, 0.05)
	r := rand.New(rand.NewPCG(22, 23))
	for k := range rows {
		away, noise := 0.0, 0.0
		switch k % 7 {
		case 1:
			away = 5
		case 2:
			noise = math.Pow(10, 3*r.Float64()-2)
		case 3:
			away = 1e4
		case 4:
			for h := range n {
				copy(x.Sample(k)[2*h:], start.Sample(k))
			}
		}
		for i := range x.Sample(k) {
			x.Sample(k)[i] += float32(away + noise*r.NormFloat64())
		}
	}
	return x, start
}

// TestLanesDoNotMatter projects paths in batches of all sizes, from all positions,
// and wants the same bits.
func TestLanesDoNotMatter(t *testing.T) {
	const rows, n = 41, 63
	const newton = 10 // iterations after which Newton's method gives up
	ctx := context.Background()
	x, start := mixedPaths(rows, n)
	for _, limit := range []float64{0.02, 0.1} {
		s, err := NewSpeedLimit(limit, Path{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		want := tensor.New(rows, n, 2)
		total, err := s.Project(ctx, want, x)
		if err != nil || total.Status != Converged || total.ViolationAfter > 0 || total.Samples != rows {
			t.Fatalf("limit %v: %+v, %v", limit, total, err)
		}
		if total.MaxIterations <= newton {
			t.Errorf("limit %v: at most %d iterations, want paths that Newton's method does not finish", limit, total.MaxIterations)
		}
		for _, size := range []int{1, 2, 3, 4, 5, 7, 40} {
			got, sum := tensor.New(rows, n, 2), Report{}
			for lo := 0; lo < rows; lo += size {
				hi := min(lo+size, rows)
				r, err := s.Project(ctx, got.Rows(lo, hi), x.Rows(lo, hi))
				if err != nil {
					t.Fatal(err)
				}
				sum = sum.Merge(r)
			}
			if sum != total {
				t.Errorf("limit %v, batches of %d: report %+v, want %+v", limit, size, sum, total)
			}
			for i, v := range got.Data {
				if math.Float32bits(v) != math.Float32bits(want.Data[i]) {
					t.Fatalf("limit %v, batches of %d: element %d is %v, want %v", limit, size, i, v, want.Data[i])
				}
			}
		}
	}
}

// TestLanesAgreeWithSinglePaths compares the lanes with the portable code. Both
// solve to a residual of 1e-8 of the limit, and rounding may then take other turns.
func TestLanesAgreeWithSinglePaths(t *testing.T) {
	const rows = 35
	for _, n := range []int{1, 2, 3, 16, 63} {
		x, start := mixedPaths(rows, n)
		for _, limit := range []float64{0.02, 0.2} {
			s, err := NewSpeedLimit(limit, Path{Start: start})
			if err != nil {
				t.Fatal(err)
			}
			together, alone := tensor.New(rows, n, 2), tensor.New(rows, n, 2)
			if _, err := s.Project(context.Background(), together, x); err != nil {
				t.Fatal(err)
			}
			for k := range rows {
				projectRow(s, alone, x, k)
			}
			if d := farthest32(together.Data, widened(alone)); d > 2e-6 {
				t.Errorf("n = %d, limit %v: lanes and single paths differ by %g, want 2e-6", n, limit, d)
			}
		}
	}
}

// TestLanesInPlace projects a batch onto itself, with channels that are no part of
// the path.
func TestLanesInPlace(t *testing.T) {
	const rows, n = 9, 20
	planar, start := mixedPaths(rows, n)
	s, err := NewSpeedLimit(0.05, Path{Start: start, Skip: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.New(rows, n, 3)
	for i := range x.Data {
		if x.Data[i] = float32(i); i%3 < 2 {
			x.Data[i] = planar.Data[i/3*2+i%3]
		}
	}
	dst := tensor.New(rows, n, 3)
	ctx := context.Background()
	if _, err := s.Project(ctx, dst, x); err != nil {
		t.Fatal(err)
	}
	original := append([]float32(nil), x.Data...)
	if _, err := s.Project(ctx, x, x); err != nil {
		t.Fatal(err)
	}
	for i, v := range x.Data {
		if v != dst.Data[i] {
			t.Fatalf("element %d is %v in place, want %v", i, v, dst.Data[i])
		}
		if (i%3 == 2 || i%(3*n) < 3) && v != original[i] {
			t.Fatalf("element %d is not part of the path and changed from %v to %v", i, original[i], v)
		}
	}
}
