package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// wide returns n normal float64 numbers.
func wide(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// closeSum reports whether a sum of n terms is right: each of n additions and products
// rounds once, relative to the sum of absolute terms.
func closeSum(got, want, abs float64, n int) bool {
	return math.Abs(got-want) <= 0x1p-52*float64(n)*abs
}

// TestSpans compares the kernels of long vectors with plain loops.
func TestSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 7, 8, 9, 16, 23, 512} {
		x, base := normals(r, n), wide(r, n)
		p := [3][]float64{wide(r, n), wide(r, n), wide(r, n)}
		w := [3]float64{0.25, -3, 0.7}
		withKind(t, func(t *testing.T) {
			v := make([]float64, n)
			squares, want := Center(v, x, base), 0.0
			for j := range x {
				e := float64(x[j]) - base[j]
				if v[j] != e {
					t.Fatalf("n=%d: Center: element %d is %v, want %v", n, j, v[j], e)
				}
				want += e * e
			}
			if !closeSum(squares, want, want, n) {
				t.Errorf("n=%d: Center = %v, want %v", n, squares, want)
			}
			for i, got := range Dot3(v, p) {
				want, abs := 0.0, 0.0
				for j := range v {
					want += v[j] * p[i][j]
					abs += math.Abs(v[j] * p[i][j])
				}
				if !closeSum(got, want, abs, n) {
					t.Errorf("n=%d: Dot3[%d] = %v, want %v", n, i, got, want)
				}
			}
			point := make([]float64, n)
			Combine3(point, base, w, p)
			for j, got := range point {
				want := base[j] + w[0]*p[0][j] + w[1]*p[1][j] + w[2]*p[2][j]
				if math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
					t.Fatalf("n=%d: Combine3: element %d is %v, want %v", n, j, got, want)
				}
			}
			checkApart(t, x, point)
		})
	}
}

func checkApart(t *testing.T, x []float32, v []float64) {
	t.Helper()
	out := append([]float32(nil), x...)
	distance, missed := Apart(out, out, v) // in place
	wantDistance, wantMissed := 0.0, 0.0
	for j := range v {
		if out[j] != float32(v[j]) {
			t.Fatalf("n=%d: Apart: element %d is %v, want %v", len(x), j, out[j], float32(v[j]))
		}
		e, f := float64(x[j])-v[j], float64(out[j])-v[j]
		wantDistance, wantMissed = wantDistance+e*e, wantMissed+f*f
	}
	if !closeSum(distance, wantDistance, wantDistance, len(x)) || !closeSum(missed, wantMissed, wantMissed, len(x)) {
		t.Errorf("n=%d: Apart = %v, %v, want %v, %v", len(x), distance, missed, wantDistance, wantMissed)
	}
}
