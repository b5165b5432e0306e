package noise_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/go-pcd/pcd/noise"
)

// Known answers published with the Random123 library (kat_vectors, philox4x32 10).
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		ctr  [4]uint32
		key  [2]uint32
		want [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{^uint32(0), ^uint32(0), ^uint32(0), ^uint32(0)}, [2]uint32{^uint32(0), ^uint32(0)},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := noise.Philox4x32(c.ctr, c.key); got != c.want {
			t.Errorf("Philox4x32(%x, %x) = %x, want %x", c.ctr, c.key, got, c.want)
		}
	}
}

func TestFieldDoesNotDependOnBatchOrGoroutine(t *testing.T) {
	f := noise.New(42)
	for _, size := range []int{1, 2, 3, 7, 256} {
		const n = 37
		at := noise.Address{Variable: 3, Sample: 1000, Draw: 5}
		whole := make([]float32, n*size)
		f.Normal(whole, size, at)
		var wg sync.WaitGroup
		parts := make([]float32, n*size)
		for lo := 0; lo < n; lo += 5 {
			wg.Go(func() {
				hi := min(lo+5, n)
				f.Normal(parts[lo*size:hi*size], size, noise.Address{Variable: 3, Sample: 1000 + lo, Draw: 5})
			})
		}
		wg.Wait()
		if !slices.Equal(whole, parts) {
			t.Errorf("size %d: a batch drawn in parts differs from the batch drawn at once", size)
		}
	}
}

func TestAddressesAreDistinct(t *testing.T) {
	f := noise.New(1)
	seen := map[float32]noise.Address{}
	for v := range 4 {
		for s := range 8 {
			for d := range 8 {
				at := noise.Address{Variable: v, Sample: s, Draw: d}
				dst := make([]float32, 9)
				f.Normal(dst, 9, at)
				for _, z := range dst {
					if other, ok := seen[z]; ok {
						t.Fatalf("value %v at %+v was already at %+v", z, at, other)
					}
					seen[z] = at
				}
			}
		}
	}
	a, b := make([]float32, 4), make([]float32, 4)
	f.Normal(a, 4, noise.Address{})
	for _, g := range []noise.Field{noise.New(2), f.Sub("train"), f.Sub("data")} {
		g.Normal(b, 4, noise.Address{})
		if slices.Equal(a, b) {
			t.Errorf("field %v repeats the field of seed 1", g)
		}
	}
}

// Numbers beyond 32 bits do not repeat those below.
func TestLargeAddressesAreDistinct(t *testing.T) {
	const big = 1 << 32
	f := noise.New(1)
	seen := map[float32]noise.Address{}
	for _, at := range []noise.Address{{}, {Sample: big}, {Sample: 2 * big}, {Draw: big}, {Variable: big}, {Sample: big, Draw: big}, {Sample: big + 1}, {Sample: 1}} {
		dst := make([]float32, 5)
		f.Normal(dst, 5, at)
		u := make([]float64, 1)
		f.Uniform(u, at)
		for _, z := range append(dst, float32(u[0])) {
			if other, ok := seen[z]; ok {
				t.Fatalf("value %v at %+v was already at %+v", z, at, other)
			}
			seen[z] = at
		}
	}
	// A batch that crosses the border has the samples of its halves.
	for _, size := range []int{1, 3} {
		whole, half := make([]float32, 40*size), make([]float32, 20*size)
		f.Normal(whole, size, noise.Address{Sample: big - 20})
		f.Normal(half, size, noise.Address{Sample: big})
		if !slices.Equal(whole[20*size:], half) {
			t.Errorf("size %d: the second half of a batch is not that of its samples", size)
		}
	}
}

func TestNormalMoments(t *testing.T) {
	const n = 1 << 20
	z := make([]float32, n)
	noise.New(7).Normal(z, 1, noise.Address{})
	var m [5]float64
	for _, v := range z {
		x := float64(v)
		m[1] += x
		m[2] += x * x
		m[3] += x * x * x
		m[4] += x * x * x * x
	}
	// Standard errors of the four sample moments of a standard normal.
	for k, c := range []struct{ want, variance float64 }{1: {0, 1}, 2: {1, 2}, 3: {0, 15}, 4: {3, 96}} {
		if k == 0 {
			continue
		}
		if got, bound := m[k]/n, 4.5*math.Sqrt(c.variance/n); math.Abs(got-c.want) > bound {
			t.Errorf("moment %d = %v, want %v within %v", k, got, c.want, bound)
		}
	}
}

// The distribution function at the normals must be uniform: largest deviation of
// the empirical distribution (Kolmogorov-Smirnov) at the 0.1 % level.
func TestNormalDistribution(t *testing.T) {
	const n = 200000
	z := make([]float32, n)
	noise.New(9).Normal(z, 8, noise.Address{Variable: 1, Draw: 2})
	slices.Sort(z)
	worst := 0.0
	for i, v := range z {
		p := 0.5 * math.Erfc(-float64(v)/math.Sqrt2)
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
	}
	if bound := 1.95 / math.Sqrt(n); worst > bound {
		t.Errorf("Kolmogorov-Smirnov distance = %v, want at most %v", worst, bound)
	}
}

// Frozen: these values are part of the package's contract.
func TestFrozenField(t *testing.T) {
	got := make([]float32, 6)
	noise.New(3407).Normal(got, 3, noise.Address{Variable: 1, Sample: 17, Draw: 4})
	want := frozenNormals
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("element %d = %v, want %v", i, got[i], want[i])
		}
	}
	src := noise.NewSource(noise.New(3407).Sub("data"), 9)
	for i, w := range frozenWords {
		if g := src.Uint64(); g != w {
			t.Errorf("word %d of the sequence = %#x, want %#x", i, g, w)
		}
	}
}

func TestSourceServesRand(t *testing.T) {
	r := rand.New(noise.NewSource(noise.New(5), 0))
	counts := make([]int, 10)
	for range 100000 {
		counts[r.IntN(10)]++
	}
	for d, c := range counts {
		if c < 9600 || c > 10400 {
			t.Errorf("digit %d drawn %d times of 100000, want 10000 ± 400", d, c)
		}
	}
}

// A part of a sample is not left as it was in silence.
func TestPartsOfSamplesPanic(t *testing.T) {
	for _, c := range []struct{ length, size int }{{5, 2}, {1, 2}, {3, 0}, {3, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d elements for samples of %d: no panic", c.length, c.size)
				}
			}()
			noise.New(1).Normal(make([]float32, c.length), c.size, noise.Address{})
		}()
	}
	noise.New(1).Normal(nil, 0, noise.Address{}) // nothing is asked for
}

func BenchmarkNormalScalars(b *testing.B) {
	dst := make([]float32, 4096)
	f := noise.New(1)
	b.SetBytes(int64(4 * len(dst)))
	for b.Loop() {
		f.Normal(dst, 1, noise.Address{})
	}
}

func BenchmarkNormalRows(b *testing.B) {
	dst := make([]float32, 4096)
	f := noise.New(1)
	b.SetBytes(int64(4 * len(dst)))
	for b.Loop() {
		f.Normal(dst, 256, noise.Address{})
	}
}
