package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func exactGELU(x float64) float64 { return x * 0.5 * math.Erfc(-x/math.Sqrt2) }

func exactGELUSlope(x float64) float64 {
	return 0.5*math.Erfc(-x/math.Sqrt2) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
}

func exactQuick(x float64) float64 { return x / (1 + math.Exp(-1.702*x)) }

func exactQuickSlope(x float64) float64 {
	q := 1 / (1 + math.Exp(-1.702*x))
	return q * (1 + 1.702*x*(1-q))
}

// grid of arguments: even steps, and random ones.
func arguments(from, to float64) []float32 {
	x := Alloc(20001)
	for i := range x {
		x[i] = float32(from + (to-from)*float64(i)/20000)
	}
	return x
}

// checkUlps bounds the relative error in units in the last place.
func checkUlps(t *testing.T, what string, x, got []float32, exact func(float64) float64, ulps float64) {
	t.Helper()
	worst, at := 0.0, float32(0)
	for i, v := range x {
		w := exact(float64(v))
		e := math.Abs(float64(got[i])-w) / max(math.Abs(w)*0x1p-23, 0x1p-149)
		if !(e <= worst) {
			worst, at = e, v
		}
	}
	t.Logf("%s: %.2f ulp", what, worst)
	if !(worst <= ulps) {
		t.Errorf("%s: error of %.2f units in the last place at %v, want %v", what, worst, at, ulps)
	}
}

func checkAbsolute(t *testing.T, what string, x, got []float32, exact func(float64) float64, most float64) {
	t.Helper()
	worst := 0.0
	for i, v := range x {
		if e := math.Abs(float64(got[i]) - exact(float64(v))); !(e <= worst) {
			worst = e
		}
	}
	t.Logf("%s: %.2g", what, worst)
	if !(worst <= most) {
		t.Errorf("%s: error of %.2g, want %.2g", what, worst, most)
	}
}

func TestGELU(t *testing.T) {
	withKind(t, func(t *testing.T) {
		x, ones := arguments(-13, 30), arguments(1, 1)
		y := Alloc(len(x))
		GELU(y, x)
		checkUlps(t, "gelu", x, y, exactGELU, 6)
		GELUGrad(y, x, ones)
		checkAbsolute(t, "gelu'", x, y, exactGELUSlope, 5e-7)
		QuickGELU(y, x)
		checkUlps(t, "quick gelu", x, y, exactQuick, 16) // the argument of exp is rounded: 22 of 0.5 ulp
		QuickGELUGrad(y, x, ones)
		checkAbsolute(t, "quick gelu'", x, y, exactQuickSlope, 5e-7)
		far := []float32{-1e30, -100, -20, 20, 100, 1e30, float32(math.Inf(1))}
		GELU(y[:7], far)
		for i, v := range far {
			if w := max(v, 0); math.Abs(float64(y[i]-w)) > 1e-35*math.Abs(float64(v)) {
				t.Errorf("gelu(%v) = %v, want %v", v, y[i], w)
			}
		}
	})
}

func TestGEGLU(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 52))
		for _, n := range []int{1, 16, 37, 64} {
			rows := 5
			x, dy := Matrix{normals(r, rows*(2*n+3)), rows, 2 * n, 2*n + 3}, Matrix{normals(r, rows*n), rows, n, n}
			y, dx := Matrix{Alloc(rows * n), rows, n, n}, Matrix{Alloc(rows * 2 * n), rows, 2 * n, 2 * n}
			GEGLU(y, x)
			GEGLUGrad(dx, x, dy)
			for i := range rows {
				for j := range n {
					a, b, d := float64(x.row(i)[j]), float64(x.row(i)[n+j]), float64(dy.row(i)[j])
					for k, e := range [3][2]float64{
						{float64(y.row(i)[j]), a * exactGELU(b)}, {float64(dx.row(i)[j]), d * exactGELU(b)},
						{float64(dx.row(i)[n+j]), d * a * exactGELUSlope(b)},
					} {
						if math.Abs(e[0]-e[1]) > 2e-6*(1+math.Abs(e[1])) {
							t.Fatalf("%d columns, row %d, column %d: number %d = %v, want %v", n, i, j, k, e[0], e[1])
						}
					}
				}
			}
		}
	})
}

// TestActivationsGiveTheSameBitsOnVectorKinds includes rows that end within a vector.
func TestActivationsGiveTheSameBitsOnVectorKinds(t *testing.T) {
	if detect() < AVX512 {
		t.Logf("this machine runs kinds up to %v only: nothing to compare", detect())
		return
	}
	defer force(selected)
	for _, n := range []int{1, 7, 8, 24, 61} {
		run := func(kind Kind) []float32 {
			force(kind)
			r := rand.New(rand.NewPCG(53, 54))
			x, dy := normals(r, 4*n), normals(r, 4*n)
			m, d, half := Matrix{x, 4, n, n}, Matrix{dy, 4, n, n}, Matrix{dy, 2, n, n}
			pair := Matrix{x, 2, 2 * n, 2 * n}
			a, b := normals(r, n), normals(r, n)
			var all []float32
			for _, f := range []func(dst []float32){
				func(dst []float32) { GELU(dst, x) }, func(dst []float32) { GELUGrad(dst, x, dy) },
				func(dst []float32) { QuickGELU(dst, x) }, func(dst []float32) { QuickGELUGrad(dst, x, dy) },
				func(dst []float32) { GEGLU(Matrix{dst, 2, n, n}, pair) },
				func(dst []float32) { GEGLUGrad(Matrix{dst, 2, 2 * n, 2 * n}, pair, half) },
				func(dst []float32) { NormSiLU(Matrix{dst, 4, n, n}, m, a, b) },
				func(dst []float32) { Scale(Matrix{dst, 4, n, n}, m, a, b) },
				func(dst []float32) {
					g := NormGrad{A: a, B: b, XScale: b, XBias: a, Sum: Alloc(n), SumX: Alloc(n)}
					NormSiLUGrad(Matrix{dst, 4, n, n}, m, d, &g)
					all = append(append(all, g.Sum...), g.SumX...)
				},
			} {
				dst := Alloc(4 * n)
				f(dst)
				all = append(all, dst...)
			}
			return all
		}
		requireSame(t, fmt.Sprintf("avx2 and avx512, %d columns", n), run(AVX2), run(AVX512))
	}
}

// TestRectify has numbers of both signs, zeros and one that is not a number.
func TestRectify(t *testing.T) {
	nan, negativeZero := float32(math.NaN()), float32(math.Copysign(0, -1))
	withKind(t, func(t *testing.T) {
		n := 45
		x, dy, y, d := Alloc(n), Alloc(n), Alloc(n), Alloc(n)
		for i := range x {
			x[i], dy[i] = float32(i%7-3), float32(i+1)
		}
		x[3], x[10], x[44] = negativeZero, nan, nan
		Rectify(y, x)
		RectifyGrad(d, x, dy)
		for i, v := range x {
			want, slope := v, float32(0)
			if v < 0 {
				want = 0
			}
			if v > 0 {
				slope = dy[i]
			}
			if math.Float32bits(y[i]) != math.Float32bits(want) || d[i] != slope {
				t.Errorf("rectify(%v) = %v, its gradient %v; want %v, %v", v, y[i], d[i], want, slope)
			}
		}
	})
}

// TestLarger takes the maximum of three and gives its gradient to the first that has it, in
// rows with other numbers between them.
func TestLarger(t *testing.T) {
	withKind(t, func(t *testing.T) {
		const rows, cols, stride = 3, 37, 41
		matrix := func() Matrix { return Matrix{Alloc(rows * stride), rows, cols, stride} }
		var x, d [3]Matrix
		most, rest := matrix(), matrix()
		for j := range x {
			x[j], d[j] = matrix(), matrix()
			for i := range x[j].Data {
				x[j].Data[i] = float32((i*(j+2) + j) % 5)
			}
		}
		copy(most.Data, x[0].Data)
		Larger(most, x[1], most)
		Larger(most, x[2], most)
		for i := range rest.Data {
			rest.Data[i] = float32(i + 1)
		}
		for j := range x {
			LargerGrad(d[j], x[j], most, rest)
		}
		for i := range most.Data {
			inside := i%stride < cols
			want, first := max(x[0].Data[i], x[1].Data[i], x[2].Data[i]), inside
			if !inside {
				want = x[0].Data[i]
			}
			if most.Data[i] != want {
				t.Errorf("maximum of %v, %v, %v = %v", x[0].Data[i], x[1].Data[i], x[2].Data[i], most.Data[i])
			}
			for j := range x {
				slope := float32(0)
				if x[j].Data[i] == want && first {
					slope, first = float32(i+1), false
				}
				if d[j].Data[i] != slope {
					t.Errorf("gradient of number %d of element %d = %v, want %v", j, i, d[j].Data[i], slope)
				}
			}
		}
	})
}
