package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/go-pcd/pcd/internal/cputime"
)

// report adds the rate of an operation and its share of the peak measured beside it.
func report(b *testing.B, flops, peak float64) {
	rate := flops * float64(b.N) / b.Elapsed().Seconds() / 1e9
	b.ReportMetric(rate, "GFLOP/s")
	b.ReportMetric(100*rate/peak, "%peak")
}

// BenchmarkConv times convolutions of large networks and of a small one on all cores;
// rates count the multiplications of the direct form.
func BenchmarkConv(b *testing.B) {
	threads := runtime.GOMAXPROCS(0)
	for _, s := range []struct{ n, side, in, out, size, stride int }{
		{1, 64, 320, 320, 3, 1}, {1, 32, 640, 640, 3, 1}, {1, 16, 1280, 1280, 3, 1}, {1, 8, 1280, 1280, 3, 1},
		{1, 64, 960, 320, 3, 1}, {1, 64, 320, 320, 3, 2}, {1, 64, 320, 320, 1, 1}, {1, 64, 4, 320, 3, 1}, {1, 64, 320, 4, 3, 1},
		{1, 256, 256, 256, 3, 1}, {1, 512, 128, 128, 3, 1}, {32, 16, 64, 64, 3, 1}, {32, 16, 96, 96, 3, 1},
		{2, 128, 16, 16, 3, 1}, {2, 64, 32, 32, 3, 1}, {2, 32, 64, 64, 3, 1}, {2, 128, 3, 16, 3, 1},
	} {
		v := Conv{In: s.in, Out: s.out, Size: s.size, Stride: s.stride, Before: s.size / 2, After: s.size / 2}
		c := newConvCase(rand.New(rand.NewPCG(1, 1)), v, s.n, s.side, s.side)
		crew := NewCrew(threads)
		flops := 2 * float64(c.dst.Matrix().Rows) * float64(s.in*s.out*s.size*s.size)
		for _, minimal := range []bool{true, false} {
			c.Minimal = minimal
			if minimal && !c.minimal(c.dst, c.src, false) {
				continue
			}
			name := fmt.Sprintf("%dx%dx%d/%d-%d/taps=%d/stride=%d/minimal=%v", s.n, s.side, s.side, s.in, s.out, s.size, s.stride, minimal)
			b.Run(name+"/forward", func(b *testing.B) {
				peak := Peak(threads)
				for b.Loop() {
					c.Forward(crew, c.dst, c.src, false)
				}
				report(b, flops, peak)
			})
			b.Run(name+"/pullback", func(b *testing.B) {
				peak := Peak(threads)
				for b.Loop() {
					c.Pullback(crew, c.src, c.dst, false)
				}
				report(b, flops, peak)
			})
		}
		if s.side > 128 {
			continue
		}
		dWeight := make([]float32, c.Weight.Len())
		for _, minimal := range []bool{true, false} {
			c.Minimal = minimal
			if minimal && !c.minimalGradient(c.dst) {
				continue
			}
			name := fmt.Sprintf("%dx%dx%d/%d-%d/taps=%d/stride=%d/minimal=%v", s.n, s.side, s.side, s.in, s.out, s.size, s.stride, minimal)
			b.Run(name+"/gradient", func(b *testing.B) {
				peak := Peak(threads)
				for b.Loop() {
					c.Gradient(crew, dWeight, nil, c.src, c.dst)
				}
				report(b, flops, peak)
			})
		}
	}
}

// BenchmarkSmallGradient times both forms of the gradient with respect to the weights in
// turns, on one core and in its time, where [Conv.minimalGradient] chooses between them. gain is how many pixels' direct
// products minimal filtering saves; it is chosen from planarLeastGain on.
func BenchmarkSmallGradient(b *testing.B) {
	for _, s := range []struct{ n, side, channels int }{
		{25, 2, 512}, {400, 2, 128}, {2, 4, 256}, {3, 4, 256}, {4, 4, 256}, {8, 4, 256}, {8, 3, 128}, {25, 3, 128}, {4, 5, 256}, {25, 5, 128},
		{2, 6, 256}, {4, 6, 256}, {1, 7, 256}, {2, 7, 256}, {1, 8, 256}, {2, 8, 256}, {1, 8, 1280}, {2, 8, 1280}, {1, 16, 640},
	} {
		v := Conv{In: s.channels, Out: s.channels, Size: 3, Stride: 1, Before: 1, After: 1}
		c := newConvCase(rand.New(rand.NewPCG(1, 1)), v, s.n, s.side, s.side)
		crew, dWeight := NewCrew(1), make([]float32, c.Weight.Len())
		p := planar{dst: c.dst}
		p.tile()
		gain := s.n * (s.side*s.side - planarRows*p.perImage)
		b.Run(fmt.Sprintf("%dx%dx%d/%d/gain=%d", s.n, s.side, s.side, s.channels, gain), func(b *testing.B) {
			fastest := [2]float64{math.Inf(1), math.Inf(1)}
			for b.Loop() {
				for i := range fastest {
					start := cputime.Process()
					c.addGradient(crew, dWeight, c.src, c.dst, i == 1)
					fastest[i] = min(fastest[i], (cputime.Process() - start).Seconds())
				}
			}
			b.ReportMetric(1e3*fastest[0], "direct-ms")
			b.ReportMetric(1e3*fastest[1], "minimal-ms")
			b.ReportMetric(fastest[0]/fastest[1], "ratio")
		})
	}
}

func BenchmarkLinear(b *testing.B) {
	threads := runtime.GOMAXPROCS(0)
	for _, s := range [][3]int{{4096, 320, 2560}, {4096, 1280, 320}, {1024, 640, 5120}, {256, 1280, 10240}, {64, 1280, 10240}, {77, 1024, 320}} {
		c := newConvCase(rand.New(rand.NewPCG(1, 1)), Conv{In: s[1], Out: s[2], Size: 1, Stride: 1}, 1, 1, s[0])
		l := Linear{In: s[1], Out: s[2], Weight: c.Weight, Bias: c.Bias}
		crew := NewCrew(threads)
		flops := 2 * float64(s[0]) * float64(s[1]) * float64(s[2])
		dWeight := make([]float32, c.Weight.Len())
		for name, run := range map[string]func(){
			"forward":  func() { l.Forward(crew, c.dst.Matrix(), c.src.Matrix(), false) },
			"pullback": func() { l.Pullback(crew, c.src.Matrix(), c.dst.Matrix(), false) },
			"gradient": func() { l.Gradient(crew, dWeight, nil, c.src.Matrix(), c.dst.Matrix()) },
		} {
			b.Run(fmt.Sprintf("%d/%d-%d/%s", s[0], s[1], s[2], name), func(b *testing.B) {
				peak := Peak(threads)
				for b.Loop() {
					run()
				}
				report(b, flops, peak)
			})
		}
	}
}

func BenchmarkAttention(b *testing.B) {
	threads := runtime.GOMAXPROCS(0)
	for _, s := range [][4]int{{4096, 4096, 5, 64}, {4096, 77, 5, 64}, {1024, 1024, 10, 64}, {64, 64, 20, 64}, {4096, 4096, 1, 512}, {4096, 4096, 8, 40}} {
		r, crew := rand.New(rand.NewPCG(1, 1)), NewCrew(threads)
		a := Attention{Heads: s[2], Width: s[3], Scale: 0.1}
		sequence := func(n int) Sequences {
			cols := s[2] * s[3]
			return Sequences{Matrix{normals(r, n*cols), n, cols, cols}, 1}
		}
		q, k, v, dst, d := sequence(s[0]), sequence(s[1]), sequence(s[1]), sequence(s[0]), sequence(s[0])
		dq, dk, dv := sequence(s[0]), sequence(s[1]), sequence(s[1])
		logs := make([]float32, s[0]*s[2])
		flops := 4 * float64(s[0]) * float64(s[1]) * float64(s[2]*s[3])
		name := fmt.Sprintf("%dx%d/%dx%d", s[0], s[1], s[2], s[3])
		b.Run(name+"/forward", func(b *testing.B) {
			peak := Peak(threads)
			for b.Loop() {
				a.Forward(crew, dst, q, k, v, logs)
			}
			report(b, flops, peak)
		})
		b.Run(name+"/pullback", func(b *testing.B) { // five products instead of two
			peak := Peak(threads)
			for b.Loop() {
				a.Pullback(crew, dq, dk, dv, d, dst, q, k, v, logs)
			}
			report(b, 2.5*flops, peak)
		})
	}
}

// BenchmarkPasses times what is bound by memory.
func BenchmarkPasses(b *testing.B) {
	r, crew := rand.New(rand.NewPCG(1, 1)), NewCrew(runtime.GOMAXPROCS(0))
	g := GroupNorm{Groups: 32, Channels: 320, Epsilon: 1e-5, Weight: normals(r, 320), Bias: normals(r, 320), SiLU: true}
	l := LayerNorm{Width: 320, Epsilon: 1e-5, Weight: g.Weight, Bias: g.Bias}
	x, y := randomImages(r, 1, 64, 64, 320, 320), randomImages(r, 1, 64, 64, 320, 320)
	wide, d := randomImages(r, 1, 64, 64, 2560, 2560).Matrix(), randomImages(r, 1, 64, 64, 1280, 1280).Matrix()
	stats := Alloc(2 * 4096)
	for _, p := range []struct {
		name     string
		elements int
		run      func()
	}{
		{"group norm", 1 << 12 * 320, func() { g.Forward(crew, y, x, stats) }},
		{"group norm pullback", 1 << 12 * 320, func() { g.Pullback(crew, y, y, x, Images{}, stats, nil, nil) }},
		{"layer norm", 1 << 12 * 320, func() { l.Forward(crew, y.Matrix(), x.Matrix(), stats) }},
		{"layer norm pullback", 1 << 12 * 320, func() { l.Pullback(crew, y.Matrix(), y.Matrix(), x.Matrix(), Matrix{}, stats, nil, nil) }},
		{"gelu, one core", 1 << 12 * 320, func() { GELU(y.Data, x.Data) }},
		{"geglu", 1 << 12 * 1280, func() { GEGLU(d, wide) }},
		{"geglu gradient", 1 << 12 * 1280, func() { GEGLUGrad(wide, wide, d) }},
	} {
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				p.run()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(p.elements), "ns/element")
		})
	}
}
