package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// kinds returns the kinds that this machine and build can run.
func kinds() []Kind {
	var all []Kind
	for k := Portable; k <= detect(); k++ {
		all = append(all, k)
	}
	return all
}

// withKind runs f as a subtest with every kind in force.
func withKind(t *testing.T, f func(t *testing.T)) {
	for _, k := range kinds() {
		if testing.Short() && k != selected {
			continue // goroutines divide the work alike, whatever computes it
		}
		t.Run(k.String(), func(t *testing.T) {
			defer force(selected)
			force(k)
			f(t)
		})
	}
}

func normals(r *rand.Rand, n int) []float32 {
	x := Alloc(n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// naive returns the product and the sum of absolute terms, by a triple loop in
// float64.
func naive(a []float32, from Rows, m int, w []float32, k, n int, bias []float32) (c, abs []float64) {
	c, abs = make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			s, t := float64(bias[j]), math.Abs(float64(bias[j]))
			for l := range k {
				p := float64(a[from.at(i)+l]) * float64(w[l*n+j])
				s += p
				t += math.Abs(p)
			}
			c[i*n+j], abs[i*n+j] = s, t
		}
	}
	return c, abs
}

type productCase struct {
	m, k, n, length    int
	stride, pad, extra int
}

func (c productCase) String() string { return fmt.Sprintf("%+v", struct{ productCase }{c}) }

// checkProduct compares Product with the triple loop: |error| ≤ (k+2) ε Σ|terms|,
// the bound of a sum of k rounded products.
func checkProduct(t *testing.T, r *rand.Rand, c productCase) {
	t.Helper()
	segments := (c.m + c.length - 1) / c.length
	from := Rows{Length: c.length, Stride: c.stride, Jump: c.length*c.stride + c.pad}
	to := Rows{Length: c.length, Stride: c.n + c.extra, Jump: c.length*(c.n+c.extra) + c.pad}
	a := normals(r, segments*from.Jump+c.k)
	w, bias := normals(r, c.k*c.n), normals(r, c.n)
	dst := normals(r, segments*to.Jump+c.n)
	before := append([]float32(nil), dst...)
	p := NewPanels(c.k, c.n)
	rows := make([]int32, c.k)
	for i := range rows {
		rows[i] = int32(i * c.n)
	}
	p.Pack(w, rows, 1)
	p.SetBias(bias)
	want, abs := naive(a, from, c.m, w, c.k, c.n, bias)
	Product(dst, to, a, from, c.m, p, false)
	compareRows(t, c, dst, to, want, abs, nil)
	after := append([]float32(nil), dst...)
	Product(dst, to, a, from, c.m, p, true)
	for i := range want {
		b := float64(bias[i%c.n])
		abs[i] += math.Abs(float64(after[to.at(i/c.n)+i%c.n])) + 2*math.Abs(b)
		want[i] -= b
	}
	compareRows(t, c, dst, to, want, abs, after)
	written := make([]bool, len(dst))
	for i := range c.m {
		for j := range c.n {
			written[to.at(i)+j] = true
		}
	}
	for i, v := range dst {
		if !written[i] && v != before[i] {
			t.Fatalf("%v: element %d outside the product was written", c, i)
		}
	}
}

func compareRows(t *testing.T, c productCase, dst []float32, to Rows, want, abs []float64, base []float32) {
	t.Helper()
	for i := range c.m {
		for j := range c.n {
			at := to.at(i) + j
			w := want[i*c.n+j]
			if base != nil {
				w += float64(base[at])
			}
			if d := math.Abs(float64(dst[at]) - w); d > float64(c.k+4)*0x1p-24*abs[i*c.n+j] {
				t.Fatalf("%v: element (%d, %d) = %v, want %v", c, i, j, dst[at], w)
			}
		}
	}
}

func TestProductAgainstTripleLoop(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			c := productCase{m: 1 + r.IntN(40), k: 1 + r.IntN(50), n: 1 + r.IntN(80), length: 1 + r.IntN(20),
				stride: 1 + r.IntN(30), pad: r.IntN(20), extra: r.IntN(5)}
			checkProduct(t, r, c)
		}
		checkProduct(t, r, productCase{m: 30, k: 2*blockK + 7, n: 33, length: 8, stride: 64})
	})
}

// TestProductOfBandsSkipsZeros compares bands with the whole product of rows that
// are zero outside the bands.
func TestProductOfBandsSkipsZeros(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for _, channels := range []int{3, 100} {
			const length, taps, segments, n = 4, 5, 7, 37
			from := Rows{Length: length, Stride: channels, Jump: (length + 4) * channels}
			to := Rows{Length: length, Stride: n, Jump: (length + 1) * n}
			a, w := Alloc(segments*from.Jump), normals(r, taps*channels*n)
			for s := range segments {
				copy(a[s*from.Jump+2*channels:][:length*channels], normals(r, length*channels))
			}
			p := NewPanels(taps*channels, n)
			rows := make([]int32, taps*channels)
			for i := range rows {
				rows[i] = int32(i * n)
			}
			p.Pack(w, rows, 1)
			p.SetBias(normals(r, n))
			bands := []Band{{0, 1, 2 * channels, 5 * channels}, {1, 1, channels, 5 * channels},
				{2, 1, 0, 4 * channels}, {3, 1, 0, 3 * channels}}
			want, got := Alloc(segments*to.Jump), Alloc(segments*to.Jump)
			for _, add := range []bool{false, true} {
				Product(want, to, a, from, segments*length, p, add)
				ProductOfBands(got, to, a, from, segments, bands, p, add)
				requireSame(t, fmt.Sprintf("%d channels, add %v", channels, add), got, want)
			}
		}
	})
}

func FuzzProduct(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint16(20), uint8(4), uint8(2), uint8(9), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, m uint8, k uint16, n, length, stride, pad, extra uint8) {
		c := productCase{m: 1 + int(m)%70, k: 1 + int(k)%700, n: 1 + int(n)%100, length: 1 + int(length)%70,
			stride: int(stride), pad: int(pad), extra: int(extra) % 40}
		withKind(t, func(t *testing.T) { checkProduct(t, rand.New(rand.NewPCG(seed, 0)), c) })
	})
}

// TestProductRowsDoNotDependOnTheirPlace computes the rows of a product one by
// one, in parts and together.
func TestProductRowsDoNotDependOnTheirPlace(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, n := range []int{1, 4, 16, 31, 32, 40, 96} {
			const m, k = 29, 400
			a, w := normals(r, m*7+k), normals(r, k*n)
			p := NewPanels(k, n)
			rows := make([]int32, k)
			for i := range rows {
				rows[i] = int32(i * n)
			}
			p.Pack(w, rows, 1)
			from := Rows{Length: 1, Jump: 7}
			want, got := Alloc(m*n), Alloc(m*n)
			Product(want, Dense(n), a, from, m, p, false)
			for at := 0; at < m; {
				rows := min(1+r.IntN(14), m-at)
				Product(got[at*n:], Dense(n), a[at*7:], from, rows, p, false)
				at += rows
			}
			requireSame(t, fmt.Sprintf("n = %d", n), got, want)
		}
	})
}

func requireSame(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: element %d = %v, want %v bit for bit", what, i, got[i], want[i])
		}
	}
}

func TestTransposedProductAgainstTripleLoop(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for range 200 {
			k, n, length, segments := 1+r.IntN(40), 1+r.IntN(70), 1+r.IntN(20), 1+r.IntN(60)
			from := Rows{Length: length, Stride: 1 + r.IntN(20)}
			from.Jump = length*from.Stride + r.IntN(9)
			with := Rows{Length: length, Stride: n + r.IntN(5)}
			with.Jump = length*with.Stride + r.IntN(9)
			a, b := normals(r, segments*from.Jump+k+TileRows), normals(r, segments*with.Jump+n)
			ld := n + r.IntN(3)
			dst := normals(r, Round(k, TileRows)*ld)
			old := append([]float32(nil), dst...)
			add := r.IntN(2) == 1
			TransposedProduct(dst, ld, k, n, a, from, b, with, segments, add)
			for i := range k * n {
				s, abs := 0.0, 0.0
				if add {
					s = float64(old[i/n*ld+i%n])
					abs = math.Abs(s)
				}
				for l := range segments * length {
					p := float64(a[from.at(l)+i/n]) * float64(b[with.at(l)+i%n])
					s += p
					abs += math.Abs(p)
				}
				if d := math.Abs(float64(dst[i/n*ld+i%n]) - s); d > float64(segments*length+2)*0x1p-24*abs {
					t.Fatalf("k %d n %d segments %d length %d: element %d = %v, want %v", k, n, segments, length, i, dst[i/n*ld+i%n], s)
				}
			}
		}
	})
}

// TestVectorKindsGiveTheSameBits holds the two instruction sets to one another.
func TestVectorKindsGiveTheSameBits(t *testing.T) {
	if detect() < AVX512 {
		t.Logf("this machine runs kinds up to %v only: nothing to compare", detect())
		return
	}
	defer force(selected)
	run := func(kind Kind) []float32 {
		force(kind)
		r := rand.New(rand.NewPCG(7, 8))
		const m, k, n = 37, 700, 45
		a, w := normals(r, m*16+k), normals(r, k*n)
		p := NewPanels(k, n)
		rows := make([]int32, k)
		for i := range rows {
			rows[i] = int32(i * n)
		}
		p.Pack(w, rows, 1)
		out := Alloc(m*n + Round(k, TileRows)*n + 4*m*n)
		c := out[:m*n]
		Product(c, Dense(n), a, Rows{Length: 1, Jump: 16}, m, p, false)
		TransposedProduct(out[m*n:], n, k, n, a, Rows{Length: 1, Jump: 16}, c, Rows{Length: 1, Jump: n}, m-1, false)
		clear(out[m*n+k*n : m*n+Round(k, TileRows)*n]) // rows without a result
		rest := out[m*n+Round(k, TileRows)*n:]
		Mish(rest[:m*n], c)
		MishGrad(rest[m*n:2*m*n], c, rest[:m*n])
		SiLU(rest[2*m*n:3*m*n], c)
		SiLUGrad(rest[3*m*n:4*m*n], c, rest[:m*n])
		return out
	}
	requireSame(t, "avx2 and avx512", run(AVX2), run(AVX512))
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		value string
		best  Kind
		want  Kind
		ok    bool
	}{
		{"", AVX512, AVX512, true}, {"portable", AVX512, Portable, true}, {"avx2", AVX512, AVX2, true},
		{"avx512", AVX2, AVX2, false}, {"avx2", Portable, Portable, false}, {"sse", AVX2, AVX2, false},
		{"", AMX, AMX, true}, {"avx512", AMX, AVX512, true}, {"amx", AMX, AMX, true}, {"amx", AVX512, AVX512, false},
	} {
		got, err := choose(c.value, c.best)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("choose(%q, %v) = %v, %v; want %v, ok %v", c.value, c.best, got, err, c.want, c.ok)
		}
	}
	_, err := choose("avx512", AVX2)
	if want := "PCD_KERNEL=avx512 cannot run on this CPU or build; choose one of portable, avx2, or unset it"; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}
