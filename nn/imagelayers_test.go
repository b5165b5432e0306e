package nn

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// imageProbe is one layer of images as a network of its own, for central differences.
type imageProbe struct {
	engine
	height, width, channels int
	wire                    func(g *graph, x *signal) *signal
}

const probeImages = 2

func (p *imageProbe) plan(k key) *plan {
	g := newGraph(k)
	g.leaveRows(0, p.wire(g, g.enterImage(0, p.height, p.width, p.channels, true)))
	return g.finish()
}

// in and out are the shapes of a sample.
func (p *imageProbe) shapes() (in, out tensor.Shape) {
	s := p.prepare(key{purpose: predicting}).out[0]
	return tensor.Shape{p.channels, p.height, p.width}, tensor.Shape{s.length, s.channels}
}

func (p *imageProbe) apply(t *testing.T, x []float32) []float32 {
	t.Helper()
	_, out := p.shapes()
	y := make([]float32, probeImages*out.Size())
	b := bindings{samples: probeImages}
	b.in[0], b.out[0] = x, y
	if err := p.run(t.Context(), predicting, 0, b); err != nil {
		t.Fatal(err)
	}
	return y
}

// check compares the product with the Jacobian and the gradients of all parameters with
// central differences.
func (p *imageProbe) check(t *testing.T) {
	if err := p.start(p.plan, 2); err != nil {
		t.Fatal(err)
	}
	for i, q := range p.params.list {
		copy(q.Data, random(len(q.Data), 100+i))
		scale := float32(math.Sqrt(float64(len(q.Shape))) / math.Sqrt(float64(len(q.Data)/q.Shape[0])))
		for j := range q.Data {
			q.Data[j] *= scale
		}
	}
	p.Refresh()
	in, out := p.shapes()
	x, cotangent := random(probeImages*in.Size(), 1), random(probeImages*out.Size(), 2)
	dx := make([]float32, len(x))
	b := bindings{samples: probeImages}
	b.in[0], b.dOut[0], b.dIn[0] = x, cotangent, dx
	if err := p.run(t.Context(), differentiating, 0, b); err != nil {
		t.Fatal(err)
	}
	value := func() float64 { return dot(p.apply(t, x), cotangent) }
	for k := range 3 {
		differences(t, "input", x, random(len(x), 10+k), dx, value)
	}
	tr := p.newTraining(probeImages, extent{}, in, out)
	y := tensor.New(probeImages, out...)
	samples := Examples{X: tensor.Batch{N: probeImages, Shape: in, Data: x}}
	if err := errors.Join(tr.Forward(t.Context(), y, samples), tr.Backward(t.Context(), tensor.Batch{N: probeImages, Shape: out, Data: cotangent})); err != nil {
		t.Fatal(err)
	}
	for i, q := range p.params.list {
		differences(t, q.Name, q.Data, random(len(q.Data), 20+i), q.Grad, func() float64 { p.Refresh(); return value() })
	}
}

// probeImage checks a layer of images.
func probeImage(t *testing.T, name string, height, width, channels int, build func(p *params) func(g *graph, x *signal) *signal) {
	p := &imageProbe{height: height, width: width, channels: channels}
	p.wire = build(&p.params)
	t.Run(name, p.check)
}

func TestConvolutionsAgainstCentralDifferences(t *testing.T) {
	for name, k := range map[string]taps{
		"3×3": same(3, 1), "1×1": same(1, 1), "3×3 stride 2": same(3, 2), "zeros after": {size: 3, stride: 2, after: 1},
		"enlarged": enlarged, "7×7 stride 2": same(7, 2), "patches": {size: 4, stride: 4}, "1×1 stride 2": same(1, 2), "no zeros": {size: 3, stride: 1},
	} {
		for _, out := range []int{5, 40} {
			probeImage(t, fmt.Sprintf("convolution %s to %d", name, out), 8, 12, 6, func(p *params) func(g *graph, x *signal) *signal {
				c := newConv2d(p, "conv", 6, out, k)
				return func(g *graph, x *signal) *signal { return g.conv(c, x) }
			})
		}
	}
	for _, size := range [][2]int{{7, 9}, {8, 5}, {1, 3}} {
		probeImage(t, fmt.Sprintf("halved and enlarged to %v", size), size[0], size[1], 6, func(p *params) func(g *graph, x *signal) *signal {
			half, whole := newConv2d(p, "half", 6, 5, same(3, 2)), newConv2d(p, "whole", 5, 3, enlarged)
			return func(g *graph, x *signal) *signal { return g.enlarge(whole, g.conv(half, x), x) }
		})
	}
}

func TestNormalisationsAgainstCentralDifferences(t *testing.T) {
	for _, activated := range []bool{false, true} {
		probeImage(t, fmt.Sprintf("group norm, SiLU %v", activated), 4, 6, 8, func(p *params) func(g *graph, x *signal) *signal {
			l := newGroupNorm(p, "norm", 4, 8, 1e-5)
			return func(g *graph, x *signal) *signal { return g.groupNorm(l, x, activated) }
		})
	}
	probeImage(t, "layer norm", 4, 3, 7, func(p *params) func(g *graph, x *signal) *signal {
		l := newLayerNorm(p, "norm", 7, 1e-5)
		return func(g *graph, x *signal) *signal { return g.layerNorm(l, x) }
	})
	for _, rectified := range []bool{false, true} {
		probeImage(t, fmt.Sprintf("frozen batch norm, rectified %v", rectified), 4, 3, 7, func(p *params) func(g *graph, x *signal) *signal {
			l := newBatchNorm(p, "norm", 7, 1e-5)
			copy(l.mean.Data, random(7, 60))
			for c := range l.mean.Data {
				if rectified { // away from zero, where there is no slope
					l.mean.Data[c] = 20 * float32(2*(c%2)-1)
				}
			}
			return func(g *graph, x *signal) *signal { return g.batchNorm(l, x, rectified) }
		})
	}
}

func TestImageLayersAgainstCentralDifferences(t *testing.T) {
	for name, f := range map[string]activation{"SiLU": silu, "GELU": gelu, "quick GELU": quick} {
		probeImage(t, name, 2, 3, 5, func(*params) func(g *graph, x *signal) *signal {
			return func(g *graph, x *signal) *signal { return g.activate(f, x) }
		})
	}
	probeImage(t, "GEGLU", 2, 3, 10, func(*params) func(g *graph, x *signal) *signal {
		return func(g *graph, x *signal) *signal { return g.gated(x) }
	})
	for _, causal := range []bool{false, true} {
		probeImage(t, fmt.Sprintf("attention, causal %v", causal), 6, 5, 12, func(p *params) func(g *graph, x *signal) *signal {
			q, k, v := newLinear(p, "q", 12, 12, true), newLinear(p, "k", 12, 12, false), newLinear(p, "v", 12, 12, true)
			return func(g *graph, x *signal) *signal {
				return g.attend(3, causal, g.conv(q, x), g.conv(k, x), g.conv(v, x))
			}
		})
	}
}

func TestSumsAndPartsAgainstCentralDifferences(t *testing.T) {
	probeImage(t, "sums, multiples and concatenation", 4, 4, 6, func(p *params) func(g *graph, x *signal) *signal {
		a, b := newConv2d(p, "a", 6, 3, same(3, 1)), newConv2d(p, "b", 6, 3, same(1, 1))
		return func(g *graph, x *signal) *signal {
			u, v := g.conv(a, x), g.conv(b, x)
			return g.concat(g.plus(u, g.times(0.3, v)), g.plus(v, v))
		}
	})
	probeImage(t, "shift by the mean", 3, 4, 5, func(p *params) func(g *graph, x *signal) *signal {
		l := newLinear(p, "shift", 5, 5, true)
		return func(g *graph, x *signal) *signal { return g.shift(x, g.conv(l, g.average(x))) }
	})
	probeImage(t, "channels and colours", 3, 4, 6, func(*params) func(g *graph, x *signal) *signal {
		return func(g *graph, x *signal) *signal {
			return g.plus(g.recolour(g.channels(x, 0, 3)), g.channels(x, 3, 3))
		}
	})
	probeImage(t, "resize", 5, 7, 3, func(*params) func(g *graph, x *signal) *signal {
		return func(g *graph, x *signal) *signal { return g.resize(9, 6, x) }
	})
	probeImage(t, "distance of features", 3, 4, 10, func(p *params) func(g *graph, x *signal) *signal {
		w := p.add("lin", 0, 1, 1, 5, 1, 1)
		return func(g *graph, x *signal) *signal { return g.apart(w, g.channels(x, 0, 5), g.channels(x, 5, 5)) }
	})
	probeImage(t, "class and first row", 2, 3, 4, func(p *params) func(g *graph, x *signal) *signal {
		class, position := p.add("class", 0, 1, 4), p.add("position", 0, 1, 7, 4)
		l := newLinear(p, "mix", 4, 4, false)
		return func(g *graph, x *signal) *signal {
			y := g.withClass(class, position, x)
			q := g.conv(l, y)
			return g.firstRow(g.attend(2, false, q, y, y))
		}
	})
}

// TestMaxPoolGradient gives every cotangent to the largest pixel of its window.
func TestMaxPoolGradient(t *testing.T) {
	p := &imageProbe{height: 5, width: 4, channels: 2}
	p.wire = func(g *graph, x *signal) *signal { return g.maxPool(pool{3, 2, 1}, x) }
	if err := p.start(p.plan, 2); err != nil {
		t.Fatal(err)
	}
	in, out := p.shapes()
	x, dx := random(probeImages*in.Size(), 3), make([]float32, probeImages*in.Size())
	y, ones := p.apply(t, x), make([]float32, probeImages*out.Size())
	for i := range ones {
		ones[i] = 1
	}
	b := bindings{samples: probeImages}
	b.in[0], b.dOut[0], b.dIn[0] = x, ones, dx
	if err := p.run(t.Context(), differentiating, 0, b); err != nil {
		t.Fatal(err)
	}
	sum, want := 0.0, 0.0
	for i, d := range dx {
		sum += float64(d) * float64(x[i])
	}
	for _, v := range y {
		want += float64(v)
	}
	if math.Abs(sum-want) > 1e-5 {
		t.Errorf("the pixels that are the maxima add up to %v, want %v", sum, want)
	}
}
