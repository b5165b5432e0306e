package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func mish64(x float64) float64 { return x * math.Tanh(math.Log1p(math.Exp(x))) }

func mishSlope64(x float64) float64 {
	th := math.Tanh(math.Log1p(math.Exp(x)))
	return th + x*(1-th*th)/(1+math.Exp(-x))
}

func silu64(x float64) float64 { return x / (1 + math.Exp(-x)) }

func siluSlope64(x float64) float64 {
	q := 1 / (1 + math.Exp(-x))
	return q * (1 + x*(1-q))
}

// ulp is the distance between float32 numbers near x.
func ulp(x float64) float64 {
	f := float32(math.Abs(x))
	return float64(math.Nextafter32(f, math.MaxFloat32) - f)
}

// sweepInputs covers [lo, hi] densely, and the neighbourhood of zero by decades.
func sweepInputs(lo, hi float64) []float32 {
	x := Alloc(400_003)
	for i := range x {
		x[i] = float32(lo + (hi-lo)*float64(i)/float64(len(x)-1))
	}
	for i := range 60 {
		x[1000+i] = float32(math.Pow(10, -float64(i)/2))
		x[2000+i] = -x[1000+i]
	}
	return x
}

// TestActivationsWithinTheirBounds measures the error of the kernels in units in
// the last place of the float64 value. The portable kernels may be one unit worse,
// because they round products and sums separately.
func TestActivationsWithinTheirBounds(t *testing.T) {
	withKind(t, func(t *testing.T) {
		extra := 0.0
		if active == Portable {
			extra = 1
		}
		for _, c := range []struct {
			name  string
			f     func(dst, x []float32)
			want  func(float64) float64
			lo    float64
			hi    float64
			bound float64
		}{
			{"Exp", Exp, math.Exp, -87, 88, 1.5},
			{"Mish", Mish, mish64, -87, 100, 5},
			{"SiLU", SiLU, silu64, -80, 100, 5},
		} {
			x := sweepInputs(c.lo, c.hi)
			y := Alloc(len(x))
			c.f(y, x)
			worst, at := 0.0, float32(0)
			for i, v := range x {
				w := c.want(float64(v))
				if e := math.Abs(float64(y[i])-w) / ulp(w); e > worst {
					worst, at = e, v
				}
			}
			t.Logf("%s: at most %.2f ulp, at %v", c.name, worst, at)
			if worst > c.bound+extra {
				t.Errorf("%s(%v) is off by %.2f ulp, want at most %v", c.name, at, worst, c.bound+extra)
			}
		}
	})
}

func TestActivationGradientsWithinTheirBounds(t *testing.T) {
	withKind(t, func(t *testing.T) {
		for _, c := range []struct {
			name string
			f    func(dst, x, dy []float32)
			want func(float64) float64
		}{
			{"MishGrad", MishGrad, mishSlope64},
			{"SiLUGrad", SiLUGrad, siluSlope64},
		} {
			x := sweepInputs(-80, 80)
			y, ones := Alloc(len(x)), Alloc(len(x))
			for i := range ones {
				ones[i] = 1
			}
			c.f(y, x, ones)
			worst, at := 0.0, float32(0)
			for i, v := range x {
				if e := math.Abs(float64(y[i])-c.want(float64(v))) / 5e-7; e > worst {
					worst, at = e, v
				}
			}
			if worst > 1 {
				t.Errorf("%s(%v) is off by %.3g, want at most 5e-7", c.name, at, worst*5e-7)
			}
		}
	})
}

func TestActivationsAtTheEnds(t *testing.T) {
	withKind(t, func(t *testing.T) {
		huge := float32(math.MaxFloat32)
		x := []float32{float32(math.NaN()), huge, -huge, 0, -90}
		y := make([]float32, len(x))
		for name, f := range map[string]func(dst, x []float32){"Mish": Mish, "SiLU": SiLU} {
			f(y, x)
			if y[0] == y[0] || y[1] != huge || math.Abs(float64(y[2])) > 10 || y[3] != 0 || math.Abs(float64(y[4])) > 1e-35 {
				t.Errorf("%s(NaN, max, -max, 0, -90) = %v", name, y)
			}
		}
		Exp(y, x)
		if math.IsInf(float64(y[1]), 0) || y[2] <= 0 || y[3] != 1 {
			t.Errorf("Exp(NaN, max, -max, 0, -90) = %v", y)
		}
	})
}

// TestNormKernels compares the fused passes with their formulas in float64.
func TestNormKernels(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, size := range [][2]int{{64, 32}, {7, 8}, {1, 40}, {3, 5}, {8, 256}, {4, 17}} {
			checkNorm(t, r, size[0], size[1])
		}
	})
}

func checkNorm(t *testing.T, r *rand.Rand, rows, cols int) {
	mat := func() Matrix {
		stride := cols + r.IntN(4)
		return Matrix{Data: normals(r, rows*stride), Rows: rows, Cols: cols, Stride: stride}
	}
	x, y, dst := mat(), mat(), mat()
	a, b, scale, shift := normals(r, cols), normals(r, cols), normals(r, cols), normals(r, cols)
	at := func(m Matrix, i, c int) float64 { return float64(m.Data[i*m.Stride+c]) }
	check := func(what string, want func(i, c int) float64) {
		t.Helper()
		for i := range rows {
			for c := range cols {
				if w := want(i, c); math.Abs(at(dst, i, c)-w) > 2e-6*(1+math.Abs(w)) {
					t.Fatalf("%s of %d×%d at (%d, %d) = %v, want %v", what, rows, cols, i, c, at(dst, i, c), w)
				}
			}
		}
	}
	column := func(what string, got []float32, want func(i, c int) float64) {
		t.Helper()
		for c := range cols {
			s, abs := 0.0, 0.0
			for i := range rows {
				s, abs = s+want(i, c), abs+math.Abs(want(i, c))
			}
			if math.Abs(float64(got[c])-s) > 4e-6*(1+abs) {
				t.Fatalf("%s of %d×%d, column %d = %v, want %v", what, rows, cols, c, got[c], s)
			}
		}
	}
	z := func(i, c int) float64 { return at(x, i, c)*float64(a[c]) + float64(b[c]) }
	NormMish(dst, x, a, b)
	check("NormMish", func(i, c int) float64 { return mish64(z(i, c)) })
	NormMishShift(dst, x, a, b, shift)
	check("NormMishShift", func(i, c int) float64 { return mish64(z(i, c)) + float64(shift[c]) })
	NormMishFilm(dst, x, a, b, scale, shift)
	check("NormMishFilm", func(i, c int) float64 { return mish64(z(i, c))*float64(scale[c]) + float64(shift[c]) })
	NormMishAdd(dst, x, y, a, b)
	check("NormMishAdd", func(i, c int) float64 { return mish64(z(i, c)) + at(y, i, c) })
	Affine(dst, x, y, a, b, shift)
	check("Affine", func(i, c int) float64 {
		return at(x, i, c)*float64(a[c]) + at(y, i, c)*float64(b[c]) + float64(shift[c])
	})
	Add(dst, x, y)
	check("Add", func(i, c int) float64 { return at(x, i, c) + at(y, i, c) })
	sum := Alloc(cols)
	Sums(sum, x)
	column("Sums", sum, func(i, c int) float64 { return at(x, i, c) })
	Squares(sum, x, shift)
	column("Squares", sum, func(i, c int) float64 { return math.Pow(at(x, i, c)-float64(shift[c]), 2) })

	for film := range 3 {
		g := &NormGrad{A: a, B: b, XScale: scale, XBias: shift, Sum: Alloc(cols), SumX: Alloc(cols)}
		factor := func(int) float64 { return 1 }
		if film > 0 {
			g.SumY = Alloc(cols)
		}
		if film > 1 {
			g.Scale, g.SumYValue = normals(r, cols), Alloc(cols)
			factor = func(c int) float64 { return float64(g.Scale[c]) }
		}
		dz := func(i, c int) float64 { return at(y, i, c) * factor(c) * mishSlope64(z(i, c)) }
		NormMishGrad(dst, x, y, g)
		check("NormMishGrad", dz)
		column("Sum", g.Sum, dz)
		column("SumX", g.SumX, func(i, c int) float64 {
			return dz(i, c) * (at(x, i, c)*float64(scale[c]) + float64(shift[c]))
		})
		if film > 0 {
			column("SumY", g.SumY, func(i, c int) float64 { return at(y, i, c) })
		}
		if film > 1 {
			column("SumYValue", g.SumYValue, func(i, c int) float64 { return at(y, i, c) * mish64(z(i, c)) })
		}
	}
}
