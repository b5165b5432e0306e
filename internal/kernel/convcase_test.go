package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// images returns images of normal numbers, with other numbers between the pixels.
func randomImages(r *rand.Rand, n, height, width, channels, pixel int) Images {
	return Images{normals(r, n*height*width*pixel), n, height, width, channels, pixel}
}

// convCase is a random convolution with what it is applied to.
type convCase struct {
	Conv
	src, dst Images
	r        *rand.Rand
}

func newConvCase(r *rand.Rand, v Conv, n, height, width int) *convCase {
	v.Weight = Tensor{Floats: normals(r, v.In*v.Out*v.Size*v.Size)}
	v.Bias = normals(r, v.Out)
	if v.Double {
		v.Cut = [2]int{r.IntN(2), r.IntN(2)}
	}
	h, w := v.OutputSize(height, width)
	return &convCase{v, randomImages(r, n, height, width, v.In, v.In+r.IntN(2)*5),
		randomImages(r, n, h, w, v.Out, v.Out+r.IntN(2)*3), r}
}

func (c *convCase) String() string {
	return fmt.Sprintf("%d to %d channels, %d taps, stride %d, padding %d %d, enlarged %v less %v, %d images of %dx%d, minimal %v",
		c.In, c.Out, c.Size, c.Stride, c.Before, c.After, c.Double, c.Cut, c.src.N, c.src.Height, c.src.Width, c.Minimal)
}

// terms calls f for the products of the convolution, all channels of a pixel at once: from these
// numbers on, inputs are one apart and weights as many as there are taps.
func (c *convCase) terms(f func(out, in, weight int)) {
	for p := range c.dst.N * c.dst.Height * c.dst.Width {
		n, y, x := p/(c.dst.Height*c.dst.Width), p/c.dst.Width%c.dst.Height, p%c.dst.Width
		for t := range c.Size * c.Size {
			v, u := y*c.Stride+t/c.Size-c.Before, x*c.Stride+t%c.Size-c.Before
			if height, width := c.enlarged(c.src.Height, c.src.Width); v < 0 || u < 0 || v >= height || u >= width {
				continue
			}
			if c.Double {
				v, u = v/2, u/2
			}
			q := (n*c.src.Height+v)*c.src.Width + u
			for o := range c.Out {
				f(p*c.dst.Pixel+o, q*c.src.Pixel, o*c.In*c.Size*c.Size+t)
			}
		}
	}
}

// sums are numbers in float64 and the sums of the absolute values of their terms.
type sums struct{ value, scale []float64 }

func newSums(start []float32, n int) sums {
	s := sums{make([]float64, n), make([]float64, n)}
	for i, v := range start {
		s.value[i], s.scale[i] = float64(v), math.Abs(float64(v))
	}
	return s
}

func (s sums) add(i int, x, y float32) {
	p := float64(x) * float64(y)
	s.value[i] += p
	s.scale[i] += math.Abs(p)
}

// compare holds numbers to the sums: root mean square and largest error relative to the
// scale, zero where there is no term.
func (s sums) compare(t *testing.T, what string, got []float32, rms, most float64) {
	t.Helper()
	squares, largest, n := 0.0, 0.0, 0
	for i, w := range s.value {
		e := math.Abs(float64(got[i]) - w)
		if s.scale[i] == 0 {
			if e != 0 {
				t.Fatalf("%s: element %d = %v, want %v", what, i, got[i], w)
			}
			continue
		}
		e /= s.scale[i]
		squares, largest, n = squares+e*e, max(largest, e), n+1
	}
	if e := math.Sqrt(squares / float64(n)); !(e <= rms) || !(largest <= most) {
		t.Errorf("%s: relative to the sum of terms, error %.2g, at most %.2g; want %.2g and %.2g", what, e, largest, rms, most)
	}
}

func (c *convCase) bounds() (rms, most float64) {
	if c.Minimal {
		return 0x1p-20, 0x1p-17
	}
	return 0x1p-21, 0x1p-18 // sums of up to 1800 terms, whose bound is 1800 halves of 2^-23
}

// outside returns dst with the pixels kept and all else as it is in data.
func keep(g Images, data []float32) []float32 {
	kept := append([]float32(nil), data...)
	m := g.Matrix()
	for i := range m.Rows {
		clear(kept[i*m.Stride:][:m.Cols])
	}
	return kept
}

func (c *convCase) forward(t *testing.T, crew *Crew, add bool) {
	t.Helper()
	before, taps := append([]float32(nil), c.dst.Data...), c.Size*c.Size
	want := newSums(keep(c.dst, before), len(before))
	m := c.dst.Matrix()
	for i := range m.Rows {
		for o := range m.Cols {
			want.add(i*m.Stride+o, c.Bias[o], 1)
			if add {
				want.add(i*m.Stride+o, before[i*m.Stride+o], 1)
			}
		}
	}
	c.terms(func(out, in, weight int) {
		for i := range c.In {
			want.add(out, c.src.Data[in+i], c.Weight.Floats[weight+i*taps])
		}
	})
	c.Forward(crew, c.dst, c.src, add)
	rms, most := c.bounds()
	want.compare(t, fmt.Sprintf("%v, add %v", c, add), c.dst.Data, rms, most)
}

func (c *convCase) pullback(t *testing.T, crew *Crew, add bool) {
	t.Helper()
	big, taps := c.src, c.Size*c.Size
	if c.Double {
		height, width := c.enlarged(c.src.Height, c.src.Width)
		big = randomImages(c.r, c.src.N, height, width, c.In, c.In)
	}
	plain := *c
	plain.Double, plain.src = false, big
	dSrc := append([]float32(nil), big.Data...)
	want := newSums(dSrc, len(dSrc))
	if !add {
		want = newSums(keep(big, dSrc), len(dSrc))
	}
	plain.terms(func(out, in, weight int) {
		for i := range c.In {
			want.add(in+i, c.dst.Data[out], c.Weight.Floats[weight+i*taps])
		}
	})
	big.Data = dSrc
	c.Pullback(crew, big, c.dst, add)
	rms, most := c.bounds()
	want.compare(t, fmt.Sprintf("pullback of %v, add %v", c, add), dSrc, rms, most)
}

func (c *convCase) gradient(t *testing.T, crew *Crew) {
	t.Helper()
	dWeight, dBias, taps := normals(c.r, c.Weight.Len()), normals(c.r, c.Out), c.Size*c.Size
	want, wantBias := newSums(dWeight, len(dWeight)), newSums(dBias, c.Out)
	c.terms(func(out, in, weight int) {
		for i := range c.In {
			want.add(weight+i*taps, c.dst.Data[out], c.src.Data[in+i])
		}
	})
	m := c.dst.Matrix()
	for i := range m.Rows {
		for o, v := range m.row(i) {
			wantBias.add(o, v, 1)
		}
	}
	c.Gradient(crew, dWeight, dBias, c.src, c.dst)
	rms, most := c.bounds()
	want.compare(t, fmt.Sprintf("gradient of %v", c), dWeight, rms, most)
	wantBias.compare(t, fmt.Sprintf("gradient of the bias of %v", c), dBias, 0x1p-21, 0x1p-18)
}
