//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// errorOf returns the root mean square error of the strip against float64, relative to
// that of the products.
func (s *strip) errorOf(t *testing.T, w []float32) float64 {
	t.Helper()
	var wrong, size float64
	for i := range s.from {
		for j := range s.cols {
			sum := 0.0
			for k := range s.k {
				sum += float64(s.a[s.from[i]/4+k]) * float64(w[k*32+j])
			}
			d := float64(s.dst[s.to[i]/4+j]) - sum
			wrong, size = wrong+d*d, size+sum*sum
		}
	}
	return math.Sqrt(wrong / size)
}

// TestSplitProductsAreAsExact compares products of split numbers with those of float32,
// both against float64.
func TestSplitProductsAreAsExact(t *testing.T) {
	if detect() < AMX {
		t.Skip("this machine has no matrix tiles")
	}
	defer force(selected)
	r := rand.New(rand.NewPCG(81, 82))
	for _, k := range []int{48, 60, 64, 300, 352} {
		const rows, cols = 77, 29
		a, w := normals(r, rows*k), Alloc(Round(k, splitDepth)*32)
		for i := range k * 32 {
			w[i] = float32(r.NormFloat64())
		}
		s := strip{dst: Alloc(rows * 40), a: a, to: new(Hand).denseRows(rows, 40), from: new(Hand).denseRows(rows, k), panel: w, k: k, cols: cols, bias: zeros[:]}
		force(AVX512)
		s.run()
		vector := s.errorOf(t, w)
		force(AMX)
		s.split(new(Hand), new(splitRows))
		s.run()
		tiles := s.errorOf(t, w)
		t.Logf("k %d: float32 %.2g, split %.2g", k, vector, tiles)
		if tiles > 1.2*vector+3e-8 {
			t.Errorf("k %d: the error of split products is %.3g, of float32 %.3g", k, tiles, vector)
		}
	}
}

// TestOperationsOnTiles has sizes that end within tiles, chunks, blocks of rows and groups of
// panels, and compares crews and batches, and the results with loops.
func TestOperationsOnTiles(t *testing.T) {
	if detect() < AMX {
		t.Skip("this machine has no matrix tiles")
	}
	defer force(selected)
	force(AMX)
	for _, s := range []struct {
		Conv
		n, height, width int
	}{
		{Conv{In: 520, Out: 190, Size: 1, Stride: 1}, 2, 9, 15},
		{Conv{In: 64, Out: 1540, Size: 1, Stride: 1}, 3, 3, 7},
		{Conv{In: 1100, Out: 93, Size: 1, Stride: 1}, 1, 7, 5},
		{Conv{In: 40, Out: 290, Size: 3, Stride: 1, Before: 1, After: 1, Double: true}, 2, 6, 5},
		{Conv{In: 128, Out: 130, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true}, 2, 46, 47},
		{Conv{In: 144, Out: 117, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true}, 1, 45, 50},
		{Conv{In: 176, Out: 96, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true, Double: true}, 2, 23, 24},
	} {
		t.Run(fmt.Sprint(s.Conv.In, s.Conv.Out, s.Size), func(t *testing.T) {
			run := func(crew *Crew, single bool) []float32 {
				c := newConvCase(rand.New(rand.NewPCG(83, 84)), s.Conv, s.n, s.height, s.width)
				height, width := c.enlarged(c.src.Height, c.src.Width)
				dSrc := randomImages(rand.New(rand.NewPCG(85, 86)), s.n, height, width, s.In, s.In)
				for i := range s.n {
					dst, src, d := c.dst, c.src, dSrc
					if single {
						dst, src, d = dst.part(i), src.part(i), d.part(i)
					}
					if single || i == 0 {
						c.Forward(crew, dst, src, false)
						c.Pullback(crew, d, dst, false)
					}
				}
				return append(c.dst.Data, dSrc.Data...)
			}
			want := run(NewCrew(1), false)
			for _, size := range []int{2, 5} {
				requireSame(t, fmt.Sprintf("%d goroutines", size), run(NewCrew(size), false), want)
			}
			requireSame(t, "one image at a time", run(NewCrew(2), true), want)
			if s.Minimal {
				return // loops take long: TestLargeConvOnTiles
			}
			c := newConvCase(rand.New(rand.NewPCG(83, 84)), s.Conv, s.n, s.height, s.width)
			for _, add := range []bool{false, true} {
				c.forward(t, NewCrew(2), add)
				c.pullback(t, NewCrew(2), add)
			}
		})
	}
}

// TestLargeConvOnTiles has several rounds of tiles, and several groups of panels, and
// compares them with the vector kernels.
func TestLargeConvOnTiles(t *testing.T) {
	if detect() < AMX {
		t.Skip("this machine has no matrix tiles")
	}
	defer force(selected)
	for _, s := range []struct{ in, out, side int }{{128, 128, 250}, {144, 117, 47}, {512, 480, 46}} {
		r := rand.New(rand.NewPCG(87, 88))
		c := newConvCase(r, Conv{In: s.in, Out: s.out, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true}, 1, s.side, s.side)
		force(AVX512)
		c.Forward(NewCrew(2), c.dst, c.src, false)
		want := append([]float32(nil), c.dst.Data...)
		force(AMX)
		c.Forward(NewCrew(2), c.dst, c.src, false)
		var wrong, size float64
		for i, v := range want {
			d := float64(c.dst.Data[i] - v)
			wrong, size = wrong+d*d, size+float64(v)*float64(v)
		}
		if e := math.Sqrt(wrong / size); e > 3e-6 || e == 0 {
			t.Errorf("%d to %d channels: they differ by %.2g of the root mean square", s.in, s.out, e)
		}
	}
}

// TestSmallNetworksKeepTheirBits has sizes of the model that ships, which gives the same
// images on all vector kernels, and of Stable Diffusion.
func TestSmallNetworksKeepTheirBits(t *testing.T) {
	if detect() < AMX {
		t.Skip("this machine has no matrix tiles")
	}
	defer force(selected)
	force(AMX)
	for _, s := range []struct {
		k, n int
		want bool
	}{{96, 96, false}, {96, 768, false}, {384, 96, false}, {192, 96, false}, {320, 320, true}, {320, 2560, true}, {1024, 320, true}} {
		if p := (matmul{k: s.k, n: s.n, left: leftRows{length: s.k}}); p.split() != s.want {
			t.Errorf("%d to %d: tiles %v, want %v", s.k, s.n, p.split(), s.want)
		}
	}
	for _, s := range []struct {
		in, out, side int
		want          bool
	}{{64, 64, 64, false}, {96, 96, 16, false}, {320, 320, 64, true}, {128, 128, 256, true}, {640, 640, 32, false}} {
		p := planar{src: Images{Channels: s.in}, dst: Images{Channels: s.out, Height: s.side, Width: s.side}}
		if p.tile(); p.onTiles() != s.want {
			t.Errorf("%d to %d channels of %d²: tiles %v, want %v", s.in, s.out, s.side, p.onTiles(), s.want)
		}
	}
}
