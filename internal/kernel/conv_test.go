package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestConvAgainstLoops compares forward, pullback and gradient with loops in float64,
// for the paddings, strides and sizes that networks have, and odd ones.
func TestConvAgainstLoops(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(21, 22)), NewCrew(2)
		for _, v := range []Conv{
			{In: 3, Out: 40, Size: 3, Stride: 1, Before: 1, After: 1},
			{In: 40, Out: 5, Size: 3, Stride: 1, Before: 1, After: 1, Double: true},
			{In: 16, Out: 33, Size: 3, Stride: 2, Before: 1, After: 1},
			{In: 17, Out: 16, Size: 3, Stride: 2, Before: 0, After: 1},
			{In: 48, Out: 37, Size: 1, Stride: 1},
			{In: 7, Out: 64, Size: 1, Stride: 2},
			{In: 3, Out: 8, Size: 7, Stride: 2, Before: 3, After: 3},
			{In: 5, Out: 8, Size: 5, Stride: 2, Before: 1, After: 3},
			{In: 2, Out: 9, Size: 4, Stride: 4},
			{In: 4, Out: 9, Size: 4, Stride: 4},
			{In: 2, Out: 3, Size: 2, Stride: 3},
		} {
			for range 2 {
				c := newConvCase(r, v, 1+r.IntN(3), v.Size+r.IntN(9), v.Size+r.IntN(9))
				for _, add := range []bool{false, true} {
					c.forward(t, crew, add)
					c.pullback(t, crew, add)
				}
				c.gradient(t, crew)
			}
		}
	})
}

// TestConvWithLongRows crosses the blocks of the inner index and of the rows.
func TestConvWithLongRows(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(23, 24)), NewCrew(3)
		for _, v := range []Conv{
			{In: 131, Out: 33, Size: 3, Stride: 1, Before: 1, After: 1},
			{In: 200, Out: 7, Size: 3, Stride: 1, Before: 1, After: 1},
		} {
			c := newConvCase(r, v, 1, 3, 140)
			c.forward(t, crew, false)
			c.pullback(t, crew, false)
			c.gradient(t, crew)
		}
	})
}

// TestSmallImagesAgainstLoops has more channels than are packed at a time, several images in
// a task, and taps that meet no image at all.
func TestSmallImagesAgainstLoops(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(65, 66)), NewCrew(3)
		for _, v := range []Conv{
			{In: 288, Out: 272, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true},
			{In: 272, Out: 51, Size: 3, Stride: 2, Before: 1, After: 1},
			{In: 16, Out: 16, Size: 3, Stride: 3, Before: 2, After: 2},
		} {
			for _, size := range [][2]int{{1, 1}, {2, 2}, {1, 5}, {3, 2}} {
				c := newConvCase(r, v, 3, size[0], size[1])
				for _, add := range []bool{false, true} {
					c.forward(t, crew, add)
					c.pullback(t, crew, add)
				}
			}
		}
	})
}

// TestFilteringIsMinimal counts the products of both forms.
func TestFilteringIsMinimal(t *testing.T) {
	for _, c := range []struct {
		height, width int
		want          bool
	}{{1, 1, false}, {2, 2, false}, {1, 64, false}, {2, 3, false}, {2, 4, true}, {3, 3, true}, {8, 8, true}, {64, 64, true}} {
		v := Conv{Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true}
		for _, n := range []int{1, 400} {
			g := Images{N: n, Height: c.height, Width: c.width, Channels: 16}
			if f, b := v.minimal(g, g, false), v.minimal(g, g, true); f != c.want || b != c.want {
				t.Errorf("%d images of %dx%d: minimal %v, pullback %v, want %v", n, c.height, c.width, f, b, c.want)
			}
		}
	}
}

// TestConvGivesTheSameBitsForAnyCrew holds crews of several sizes, batches and kinds to
// one another.
func TestConvGivesTheSameBitsForAnyCrew(t *testing.T) {
	for _, v := range []Conv{
		{In: 32, Out: 48, Size: 3, Stride: 1, Before: 1, After: 1},
		{In: 32, Out: 48, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true},
		{In: 20, Out: 48, Size: 3, Stride: 2, After: 1},
		{In: 8, Out: 48, Size: 3, Stride: 2, After: 1},
		{In: 4, Out: 48, Size: 7, Stride: 2, Before: 3, After: 3},
		{In: 600, Out: 70, Size: 1, Stride: 1},
	} {
		withKind(t, func(t *testing.T) {
			run := func(crew *Crew, single bool) []float32 {
				r := rand.New(rand.NewPCG(25, 26))
				c := newConvCase(r, v, 3, 12, 14)
				dSrc, dWeight, dBias := randomImages(r, 3, 12, 14, v.In, v.In), normals(r, c.Weight.Len()), normals(r, v.Out)
				for i := range 3 {
					dst, src, d := c.dst, c.src, dSrc
					if single {
						dst, src, d = dst.part(i), src.part(i), d.part(i)
					}
					if single || i == 0 {
						c.Forward(crew, dst, src, false)
						c.Pullback(crew, d, dst, false)
					}
				}
				c.Gradient(crew, dWeight, dBias, c.src, c.dst)
				return append(append(append(c.dst.Data, dSrc.Data...), dWeight...), dBias...)
			}
			want := run(NewCrew(1), false)
			for _, size := range []int{2, 3, 8} {
				requireSame(t, fmt.Sprintf("%d goroutines", size), run(NewCrew(size), false), want)
			}
			requireSame(t, "one image at a time", run(NewCrew(2), true), want)
			if selected == AVX512 {
				defer force(selected)
				force(AVX2)
				requireSame(t, "avx2 and avx512", run(NewCrew(2), false), want)
			}
		})
	}
}

// part returns image i alone.
func (g Images) part(i int) Images {
	g.N, g.Data = 1, g.Data[i*g.pixels()*g.Pixel:]
	return g
}

// TestMinimalConvAgainstLoops has tiles that cross the edges, and several blocks of channels.
func TestMinimalConvAgainstLoops(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(61, 62)), NewCrew(2)
		for _, v := range []Conv{
			{In: 16, Out: 48, Size: 3, Stride: 1, Before: 1, After: 1},
			{In: 160, Out: 32, Size: 3, Stride: 1, Before: 1, After: 1},
			{In: 48, Out: 80, Size: 3, Stride: 1, Before: 1, After: 1, Double: true},
			{In: 16, Out: 16, Size: 3, Stride: 1, Before: 0, After: 2},
			{In: 16, Out: 16, Size: 3, Stride: 1},
			{In: 32, Out: 3, Size: 3, Stride: 1, Before: 1, After: 1},
			{In: 5, Out: 48, Size: 3, Stride: 1, Before: 1, After: 1},
			{In: 16, Out: 37, Size: 3, Stride: 1, Before: 1, After: 1},
		} {
			v.Minimal = true
			for range 2 {
				c := newConvCase(r, v, 1+r.IntN(3), 3+r.IntN(9), 3+r.IntN(9))
				for _, add := range []bool{false, true} {
					c.forward(t, crew, add)
					c.pullback(t, crew, add)
				}
				c.gradient(t, crew)
			}
		}
		c := newConvCase(r, Conv{In: 416, Out: 1, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true}, 1, 52, 47)
		c.forward(t, crew, false)
	})
}

// TestMinimalGradientOfManyTiles has several parts of the tiles, blocks of channels and
// rounds of a task, and gives the same bits for any crew and vector kernels.
func TestMinimalGradientOfManyTiles(t *testing.T) {
	run := func(t *testing.T, crew *Crew, check bool) []float32 {
		r := rand.New(rand.NewPCG(63, 64))
		c := newConvCase(r, Conv{In: 21, Out: 70, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true}, 3, 29, 31)
		if g := (planarGradient{planar: planar{conv: c.Conv, src: c.src, dst: c.dst}}); check {
			g.run(crew)
			crew.done()
			if g.parts != 3 {
				t.Errorf("%v: %d parts, want 3", c, g.parts)
			}
			c.gradient(t, crew)
		}
		dWeight := make([]float32, c.Weight.Len())
		c.Gradient(crew, dWeight, nil, c.src, c.dst)
		return dWeight
	}
	withKind(t, func(t *testing.T) {
		want := run(t, NewCrew(1), true)
		for _, size := range []int{2, 7, 16} {
			requireSame(t, fmt.Sprintf("%d goroutines", size), run(t, NewCrew(size), false), want)
		}
		if selected == AVX512 {
			defer force(selected)
			force(AVX2)
			requireSame(t, "avx2 and avx512", run(t, NewCrew(2), false), want)
		}
	})
}

// TestGradientIsMinimalWhereItPays has images whose tiles are empty for the most part, few
// tiles, and enough of them.
func TestGradientIsMinimalWhereItPays(t *testing.T) {
	for _, c := range []struct {
		n, side int
		want    bool
	}{{400, 2, false}, {2, 4, false}, {4, 4, true}, {8, 3, false}, {25, 3, true}, {1, 7, false}, {2, 7, true}, {1, 8, true}, {1, 64, true}} {
		v := Conv{Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true}
		if got := v.minimalGradient(Images{N: c.n, Height: c.side, Width: c.side}); got != c.want {
			t.Errorf("%d images of %dx%d: minimal %v, want %v", c.n, c.side, c.side, got, c.want)
		}
	}
}

func FuzzConv(f *testing.F) {
	f.Add(uint64(1), uint8(16), uint8(3), uint8(3), uint8(1), uint8(1), uint8(7), uint8(9), uint8(3))
	f.Add(uint64(2), uint8(5), uint8(40), uint8(2), uint8(2), uint8(0), uint8(4), uint8(3), uint8(4))
	f.Fuzz(func(t *testing.T, seed uint64, in, out, size, stride, before, height, width, options uint8) {
		v := Conv{In: 1 + int(in)%70, Out: 1 + int(out)%70, Size: 1 + int(size)%5, Stride: 1 + int(stride)%3, Before: int(before) % 3}
		v.Before = min(v.Before, v.Size-1)
		v.After, v.Double, v.Minimal = v.Before, options&1 != 0, options&2 != 0
		if options&4 != 0 && v.Minimal {
			v.Size, v.Stride, v.In, v.Before, v.After = 3, 1, 16*(1+v.In/16), 1, 1
		}
		withKind(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			c := newConvCase(r, v, 1+int(options>>3)%3, v.Size+int(height)%12, v.Size+int(width)%12)
			for _, add := range []bool{false, true} {
				c.forward(t, NewCrew(2), add)
				c.pullback(t, NewCrew(2), add)
			}
			c.gradient(t, NewCrew(2))
		})
	})
}
