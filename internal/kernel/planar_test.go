package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNearAndFarAreTheSame computes convolutions by minimal filtering with transformed weights
// near, and in rounds, by crews of several sizes.
func TestNearAndFarAreTheSame(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(91, 92))
		for _, v := range []Conv{
			{In: 16, Out: 64, Before: 1, After: 1},
			{In: 160, Out: 40, Before: 1, After: 1},
			{In: 32, Out: 33, Before: 1, After: 1, Double: true},
			{In: 48, Out: 3, Before: 0, After: 2},
			{In: 416, Out: 1, Before: 1, After: 1}, // two rounds
		} {
			v.Size, v.Stride, v.Minimal = 3, 1, true
			c := newConvCase(r, v, 3, 7, 9)
			if v.In > 400 {
				c = newConvCase(r, v, 1, 52, 47)
			}
			for _, add := range []bool{false, true} {
				p := planar{conv: c.Conv, src: c.src, before: v.Before, double: v.Double, bias: c.Bias, add: add}
				far := p.into(c.dst, func(p *planar) { p.rounds(NewCrew(2)) })
				for size := 1; size < 4; size++ {
					near := p.into(c.dst, func(p *planar) { (&planarNear{planar: *p}).run(NewCrew(size)) })
					if !slices.Equal(near, far) {
						t.Errorf("%v, add %v: %d goroutines near the weights do not give the bits of two far away", c, add, size)
					}
				}
			}
		}
	})
}

// into returns a copy of what dst has with the convolution.
func (p planar) into(dst Images, run func(p *planar)) []float32 {
	dst.Data = slices.Clone(dst.Data)
	p.dst = dst
	p.tile()
	run(&p)
	return dst.Data
}
