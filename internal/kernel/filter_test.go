package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// convolution is a random filter with what it is applied to.
type convolution struct {
	in, out, length, segments int
	weights, bias, src, dst   []float32
	from, to                  Rows
	filter                    *Filter
}

func newConvolution(r *rand.Rand, in, out, length, segments int) *convolution {
	c := &convolution{in: in, out: out, length: length, segments: segments}
	c.weights, c.bias = normals(r, FilterTaps*in*out), normals(r, out)
	c.from = Rows{Length: length, Stride: in, Jump: (length + FilterTaps - 1) * in}
	c.to = Rows{Length: length, Stride: out, Jump: (length + 1) * out}
	c.src, c.dst = normals(r, segments*c.from.Jump), normals(r, segments*c.to.Jump)
	rows := make([]int32, FilterTaps*in)
	for i := range rows {
		rows[i] = int32(i * out)
	}
	c.filter = NewFilter(in, out)
	c.filter.Pack(c.weights, rows, 1)
	c.filter.SetBias(c.bias)
	return c
}

// apply applies the filter to the sequences from the given one on.
func (c *convolution) apply(dst []float32, first, segments int, add bool) {
	work := Alloc(FilterWork(c.in, c.out, c.length))
	c.filter.Apply(dst[first*c.to.Jump:], c.to, c.src[first*c.from.Jump:], c.from, segments, add, work)
}

// TestFilterAgainstConvolution bounds the error by the size of the terms, which is
// what the transforms can magnify: their rows have sums of up to 15 and 12.5.
func TestFilterAgainstConvolution(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		for _, c := range []*convolution{
			newConvolution(r, 32, 64, 64, 3), newConvolution(r, 96, 32, 16, 13),
			newConvolution(r, 64, 64, 8, 1), newConvolution(r, 320, 32, 4, 70),
		} {
			c.check(t)
		}
	})
}

func FuzzFilter(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint8(1), uint8(2), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, in, out, length, segments uint8) {
		withKind(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			newConvolution(r, 32*(1+int(in)%4), 32*(1+int(out)%4), 4*(1+int(length)%8), 1+int(segments)%9).check(t)
		})
	})
}

func (c *convolution) check(t *testing.T) {
	t.Helper()
	for _, add := range []bool{false, true} {
		got := append([]float32(nil), c.dst...)
		c.apply(got, 0, c.segments, add)
		c.compare(t, got, add)
	}
}

func (c *convolution) compare(t *testing.T, got []float32, add bool) {
	t.Helper()
	want, scale := naive(c.src, c.from, c.segments*c.length, c.weights, FilterTaps*c.in, c.out, make([]float32, c.out))
	written := make([]bool, len(got))
	squares, largest := 0.0, 0.0
	for i, w := range want {
		at := c.to.at(i/c.out) + i%c.out
		written[at] = true
		if add {
			w += float64(c.dst[at])
		} else {
			w += float64(c.bias[i%c.out])
		}
		e := math.Abs(float64(got[at])-w) / scale[i]
		squares, largest = squares+e*e, max(largest, e)
	}
	if rms := math.Sqrt(squares / float64(len(want))); rms > 0x1p-22 || largest > 0x1p-19 {
		t.Errorf("%d to %d channels, add %v: relative to the sum of terms, error %.2g, at most %.2g", c.in, c.out, add, rms, largest)
	}
	for i, v := range got {
		if !written[i] && v != c.dst[i] {
			t.Fatalf("element %d outside the result was written", i)
		}
	}
}

// TestFilterRowsDoNotDependOnTheirPlace applies a filter to sequences one by one
// and together.
func TestFilterRowsDoNotDependOnTheirPlace(t *testing.T) {
	withKind(t, func(t *testing.T) {
		c := newConvolution(rand.New(rand.NewPCG(15, 16)), 64, 32, 8, 90)
		want, got := append([]float32(nil), c.dst...), append([]float32(nil), c.dst...)
		c.apply(want, 0, c.segments, false)
		for s := range c.segments {
			c.apply(got, s, 1, false)
		}
		requireSame(t, "sequences one by one", got, want)
	})
}

func TestFilterGivesTheSameBitsOnVectorKinds(t *testing.T) {
	if detect() < AVX512 {
		t.Logf("this machine runs kinds up to %v only: nothing to compare", detect())
		return
	}
	defer force(selected)
	for _, add := range []bool{false, true} {
		run := func(kind Kind) []float32 {
			force(kind)
			c := newConvolution(rand.New(rand.NewPCG(17, 18)), 96, 64, 16, 5)
			c.apply(c.dst, 0, c.segments, add)
			return c.dst
		}
		requireSame(t, fmt.Sprintf("avx2 and avx512, add %v", add), run(AVX2), run(AVX512))
	}
}

func TestFilterable(t *testing.T) {
	for _, c := range []struct {
		in, out, length int
		want            bool
	}{{32, 64, 4, true}, {4, 32, 64, false}, {32, 2, 64, false}, {32, 32, 6, false}, {32, 48, 8, false}} {
		if got := Filterable(c.in, c.out, c.length); got != c.want {
			t.Errorf("Filterable(%d, %d, %d) = %v", c.in, c.out, c.length, got)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	r := rand.New(rand.NewPCG(19, 20))
	for _, g := range [][4]int{{32, 32, 64, 24}, {64, 64, 32, 24}, {128, 128, 16, 24}, {256, 256, 8, 24}, {256, 256, 4, 48}} {
		c := newConvolution(r, g[0], g[1], g[2], g[3])
		p := NewPanels(FilterTaps*c.in, c.out)
		work := Alloc(FilterWork(c.in, c.out, c.length))
		flops := 2 * float64(FilterTaps*c.in*c.out*c.length*c.segments)
		name := fmt.Sprintf("%dx%d/length%d", c.in, c.out, c.length)
		b.Run(name+"/minimal", func(b *testing.B) {
			for b.Loop() {
				c.filter.Apply(c.dst, c.to, c.src, c.from, c.segments, false, work)
			}
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
		})
		b.Run(name+"/direct", func(b *testing.B) {
			for b.Loop() {
				Product(c.dst, c.to, c.src, c.from, c.segments*c.length, p, false)
			}
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
		})
	}
}
