package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFiltersAreTheSame computes convolutions by minimal filtering with transformed weights
// near, far away, and of the tasks' own, by crews of several sizes.
func TestFiltersAreTheSame(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(91, 92))
		for _, v := range []Conv{
			{In: 16, Out: 200, Before: 1, After: 1},
			{In: 160, Out: 40, Before: 1, After: 1},
			{In: 32, Out: 33, Before: 1, After: 1, Double: true},
			{In: 48, Out: 3, Before: 0, After: 2},
		} {
			v.Size, v.Stride, v.Minimal = 3, 1, true
			c := newConvCase(r, v, 3, 7, 9)
			for _, add := range []bool{false, true} {
				p := planar{conv: c.Conv, src: c.src, before: v.Before, double: v.Double, bias: c.Bias, add: add}
				want := p.into(c.dst, func(p *planar) { p.few(NewCrew(2)) })
				for size := 1; size < 4; size++ {
					for name, run := range map[string]func(p planarShared){
						"near the weights": func(p planarShared) { (&planarNear{planarShared: p}).run(NewCrew(size)) },
						"far from them":    func(p planarShared) { f := newFar(p.planar); f.run(NewCrew(size)) },
						"in small rounds":  func(p planarShared) { (&planarFar{p, TileRows, farPanels}).run(NewCrew(size)) },
					} {
						if got := p.into(c.dst, func(p *planar) { run(planarShared{planar: *p}) }); !slices.Equal(got, want) {
							t.Errorf("%v, add %v: %d goroutines %s do not give the bits of tasks with weights of their own", c, add, size, name)
						}
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
