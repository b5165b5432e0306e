package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// normCase is a normalisation of groups of numbers with its exact result and gradients.
type normCase struct {
	x, dy, weight, bias []float64
	groups              [][]int // indices of the numbers that are normalised together
	channel             func(i int) int
	silu                bool
	epsilon             float64

	y, dx, dWeight, dBias []float64
}

func (c *normCase) solve() {
	c.y, c.dx = make([]float64, len(c.x)), make([]float64, len(c.x))
	c.dWeight, c.dBias = make([]float64, len(c.weight)), make([]float64, len(c.weight))
	for _, g := range c.groups {
		mean, variance, n := 0.0, 0.0, float64(len(g))
		for _, i := range g {
			mean += c.x[i] / n
		}
		for _, i := range g {
			variance += (c.x[i] - mean) * (c.x[i] - mean) / n
		}
		inverse := 1 / math.Sqrt(variance+c.epsilon)
		m1, m2 := 0.0, 0.0
		dz := make([]float64, len(g))
		for k, i := range g {
			hat, j := (c.x[i]-mean)*inverse, c.channel(i)
			z := hat*c.weight[j] + c.bias[j]
			c.y[i], dz[k] = z, c.dy[i]
			if c.silu {
				q := 1 / (1 + math.Exp(-z))
				c.y[i], dz[k] = z*q, c.dy[i]*q*(1+z*(1-q))
			}
			c.dWeight[j] += dz[k] * hat
			c.dBias[j] += dz[k]
			m1 += dz[k] * c.weight[j] / n
			m2 += dz[k] * c.weight[j] * hat / n
		}
		for k, i := range g {
			c.dx[i] = (dz[k]*c.weight[c.channel(i)] - m1 - (c.x[i]-mean)*inverse*m2) * inverse
		}
	}
}

func doubles(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// dense returns the pixels of images without what is between them, in float64.
func dense(g Images) []float64 {
	var all []float64
	m := g.Matrix()
	for i := range m.Rows {
		all = append(all, doubles(m.row(i))...)
	}
	return all
}

func narrowed(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// groupCase is a group norm of random images that lie beside a mean of three.
type groupCase struct {
	GroupNorm
	src, dDst Images
	exact     normCase
}

func newGroupCase(r *rand.Rand, g GroupNorm, n, height, width int) *groupCase {
	g.Weight, g.Bias, g.Epsilon = normals(r, g.Channels), normals(r, g.Channels), 1e-5
	c := &groupCase{GroupNorm: g, src: randomImages(r, n, height, width, g.Channels, g.Channels+3),
		dDst: randomImages(r, n, height, width, g.Channels, g.Channels)}
	for i := range c.src.Data {
		c.src.Data[i] = 3 + 2*c.src.Data[i]
	}
	c.exact = normCase{x: dense(c.src), dy: dense(c.dDst), weight: doubles(g.Weight), bias: doubles(g.Bias), silu: g.SiLU,
		epsilon: g.Epsilon, channel: func(i int) int { return i % g.Channels }, groups: make([][]int, n*g.Groups)}
	for i := range c.exact.x {
		group := i/(height*width*g.Channels)*g.Groups + i%g.Channels/(g.Channels/g.Groups)
		c.exact.groups[group] = append(c.exact.groups[group], i)
	}
	c.exact.solve()
	return c
}

// run returns the result and the gradients.
func (c *groupCase) run(crew *Crew) (y, dx Images, dWeight, dBias []float32) {
	y, dx = c.src, c.src
	y.Data, dx.Data = append([]float32(nil), c.src.Data...), append([]float32(nil), c.src.Data...)
	dWeight, dBias = Alloc(c.Channels), Alloc(c.Channels)
	stats := Alloc(2 * c.Groups * c.src.N)
	c.Forward(crew, y, c.src, stats)
	c.Pullback(crew, dx, c.dDst, c.src, dx, stats, dWeight, dBias)
	return y, dx, dWeight, dBias
}

func (c *groupCase) check(t *testing.T, crew *Crew) {
	t.Helper()
	what := fmt.Sprintf("%d groups of %d channels, %d images of %dx%d, silu %v: ", c.Groups, c.Channels, c.src.N, c.src.Height, c.src.Width, c.SiLU)
	y, dx, dWeight, dBias := c.run(crew)
	near(t, what+"result", narrowed(dense(y)), c.exact.y, 5e-7, 1e-5)
	want := dense(c.src)
	for i, d := range c.exact.dx {
		want[i] += d
	}
	near(t, what+"gradient", narrowed(dense(dx)), want, 5e-7, 1e-5)
	near(t, what+"gradient of the weight", dWeight, c.exact.dWeight, 1e-6, 1e-5)
	near(t, what+"gradient of the bias", dBias, c.exact.dBias, 1e-6, 1e-5)
	plain := NewImages(c.src.N, c.src.Height, c.src.Width, c.Channels)
	copy(plain.Data, c.dDst.Data)
	stats := Alloc(2 * c.Groups * c.src.N)
	c.Forward(crew, y, c.src, stats)
	c.Pullback(crew, plain, plain, c.src, Images{}, stats, nil, nil)
	near(t, what+"gradient in place", plain.Data, c.exact.dx, 1e-6, 2e-5)
	c.Pullback(crew, plain, c.dDst, c.src, c.src, stats, nil, nil)
	requireSame(t, what+"sums in place and elsewhere", narrowed(dense(plain)), narrowed(dense(dx)))
}

func TestGroupNormAgainstLoops(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(41, 42)), NewCrew(2)
		for _, silu := range []bool{false, true} {
			newGroupCase(r, GroupNorm{Groups: 32, Channels: 64, SiLU: silu}, 2, 5, 7).check(t, crew)
			newGroupCase(r, GroupNorm{Groups: 4, Channels: 20, SiLU: silu}, 3, 17, 19).check(t, crew)
			newGroupCase(r, GroupNorm{Groups: 1, Channels: 3, SiLU: silu}, 1, 40, 30).check(t, crew)
			newGroupCase(r, GroupNorm{Groups: 5, Channels: 5, SiLU: silu}, 1, 3, 2).check(t, crew)
		}
	})
}

func TestGroupNormGivesTheSameBitsForAnyCrew(t *testing.T) {
	withKind(t, func(t *testing.T) {
		c := newGroupCase(rand.New(rand.NewPCG(43, 44)), GroupNorm{Groups: 4, Channels: 40, SiLU: true}, 2, 30, 31)
		run := func(size int) []float32 {
			y, dx, dWeight, dBias := c.run(NewCrew(size))
			return append(append(append(y.Data, dx.Data...), dWeight...), dBias...)
		}
		want := run(1)
		for _, size := range []int{2, 7} {
			requireSame(t, fmt.Sprintf("%d goroutines", size), run(size), want)
		}
		if selected == AVX512 {
			defer force(selected)
			force(AVX2)
			requireSame(t, "avx2 and avx512", run(2), want)
		}
	})
}

// layerCase is a layer norm of random rows.
type layerCase struct {
	LayerNorm
	src, dDst Matrix
	exact     normCase
}

func newLayerCase(r *rand.Rand, rows, width int) *layerCase {
	c := &layerCase{LayerNorm: LayerNorm{Width: width, Epsilon: 1e-5, Weight: normals(r, width), Bias: normals(r, width)},
		src: Matrix{normals(r, rows*(width+3)), rows, width, width + 3}, dDst: Matrix{normals(r, rows*width), rows, width, width}}
	c.exact = normCase{dy: doubles(c.dDst.Data), weight: doubles(c.Weight), bias: doubles(c.Bias), epsilon: float64(c.Epsilon),
		channel: func(i int) int { return i % width }, groups: make([][]int, rows)}
	for i := range rows {
		for j, v := range c.src.row(i) {
			c.src.row(i)[j] = v + 2
			c.exact.groups[i] = append(c.exact.groups[i], i*width+j)
		}
		c.exact.x = append(c.exact.x, doubles(c.src.row(i))...)
	}
	c.exact.solve()
	return c
}

func (c *layerCase) run(crew *Crew, add bool) (y, dx, dWeight, dBias []float32) {
	n := c.src.Rows * c.Width
	y, dx, dWeight, dBias = Alloc(n), Alloc(n), Alloc(c.Width), Alloc(c.Width)
	copy(dx, c.dDst.Data)
	stats := Alloc(2 * c.src.Rows)
	c.Forward(crew, Matrix{y, c.src.Rows, c.Width, c.Width}, c.src, stats)
	d, plus := Matrix{dx, c.src.Rows, c.Width, c.Width}, Matrix{}
	if add {
		plus = d
	}
	c.Pullback(crew, d, c.dDst, c.src, plus, stats, dWeight, dBias)
	return y, dx, dWeight, dBias
}

func TestLayerNormAgainstLoops(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(45, 46))
		for _, s := range [][2]int{{5, 320}, {130, 33}, {1, 9}, {70, 16}, {3, 1027}} {
			c := newLayerCase(r, s[0], s[1])
			for _, add := range []bool{false, true} {
				y, dx, dWeight, dBias := c.run(NewCrew(2), add)
				want := append([]float64(nil), c.exact.dx...)
				if add {
					for i, d := range c.exact.dy {
						want[i] += d
					}
				}
				what := fmt.Sprintf("%d rows of %d, add %v: ", s[0], s[1], add)
				near(t, what+"result", y, c.exact.y, 5e-7, 1e-5)
				near(t, what+"gradient", dx, want, 5e-7, 1e-5)
				if add {
					other := Matrix{Alloc(len(dx)), c.src.Rows, c.Width, c.Width}
					stats := Alloc(2 * c.src.Rows)
					c.Forward(NewCrew(1), other, c.src, stats)
					c.Pullback(NewCrew(1), other, c.dDst, c.src, c.dDst, stats, nil, nil)
					requireSame(t, what+"sum elsewhere", other.Data, dx)
				}
				near(t, what+"gradient of the weight", dWeight, c.exact.dWeight, 1e-6, 1e-5)
				near(t, what+"gradient of the bias", dBias, c.exact.dBias, 1e-6, 1e-5)
			}
		}
	})
}

func TestLayerNormGivesTheSameBitsForAnyCrew(t *testing.T) {
	withKind(t, func(t *testing.T) {
		c := newLayerCase(rand.New(rand.NewPCG(47, 48)), 200, 77)
		run := func(size int) []float32 {
			y, dx, dWeight, dBias := c.run(NewCrew(size), false)
			return append(append(append(y, dx...), dWeight...), dBias...)
		}
		want := run(1)
		requireSame(t, "five goroutines", run(5), want)
		if selected == AVX512 {
			defer force(selected)
			force(AVX2)
			requireSame(t, "avx2 and avx512", run(2), want)
		}
	})
}

// TestGroupNormOfWholeImages normalises three images, each by a task where that divides them evenly
// among the goroutines, and in parts where not.
func TestGroupNormOfWholeImages(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(97, 98))
		for _, channels := range []int{20, 96} {
			g := GroupNorm{Groups: 4, Channels: channels, Epsilon: 1e-5, Weight: normals(r, channels), Bias: normals(r, channels), SiLU: true}
			src := randomImages(r, 3, 9, 16, channels, channels+3)
			var want, wantStats []float32
			for size := 1; size <= 3; size++ {
				dst, stats := randomImages(r, 3, 9, 16, channels, channels), make([]float32, 3*2*g.Groups)
				g.Forward(NewCrew(size), dst, src, stats)
				if size == 1 {
					want, wantStats = dst.Data, stats
				}
				requireSame(t, fmt.Sprintf("%d goroutines", size), dst.Data, want)
				requireSame(t, fmt.Sprintf("statistics by %d goroutines", size), stats, wantStats)
			}
		}
	})
}
