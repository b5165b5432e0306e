package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// probe is one layer as a network of its own, for central differences.
type probe struct {
	params           params
	length, channels int
	wire             func(g *graph, x *signal) *signal
	outSize          int
}

const probeSamples = 3

// plan lays the layer out between copies from and to the caller.
func (p *probe) plan(k key) *plan {
	g := newApart(k, 2)
	x := g.sequence(p.length, p.channels)
	if p.length == 1 {
		x = g.signal(1, p.channels)
	}
	y := p.wire(g, g.enterTo(x, 0, k.purpose != training))
	p.outSize = y.length * y.channels
	g.leaveRows(0, y)
	return g.finish()
}

func (p *probe) refresh() {
	for _, c := range p.params.layers {
		c.refreshForward()
		c.refreshBackward()
	}
}

func port(data []float32) [ports][]float32 { return [ports][]float32{data} }

// value returns <f(x), cotangent> in float64.
func (p *probe) value(t *testing.T, x, cotangent []float32) float64 {
	t.Helper()
	plan := p.plan(key{purpose: predicting})
	out := make([]float32, probeSamples*p.outSize)
	s := newSession(plan, 2)
	if err := s.run(t.Context(), 3, bindings{samples: probeSamples, in: port(x), out: port(out)}); err != nil {
		t.Fatal(err)
	}
	return dot(out, cotangent)
}

func dot(a, b []float32) float64 {
	s := 0.0
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func random(n, variable int) []float32 {
	x := make([]float32, n)
	noise.New(7).Normal(x, n, noise.Address{Variable: variable})
	return x
}

// differences compares a product with a central difference of value along d.
func differences(t *testing.T, what string, at, d, grad []float32, value func() float64) {
	t.Helper()
	const step = 4e-3
	old := append([]float32(nil), at...)
	side := func(sign float32) float64 {
		for i := range at {
			at[i] = old[i] + sign*step*d[i]
		}
		return value()
	}
	want := (side(1) - side(-1)) / (2 * step)
	copy(at, old)
	if got := dot(grad, d); math.Abs(got-want) > 3e-3*(math.Abs(want)+0.1*norm2(grad)) {
		t.Errorf("%s: derivative %v, central difference %v", what, got, want)
	}
}

func norm2(x []float32) float64 { return math.Sqrt(dot(x, x)) }

// check compares the product with the Jacobian and the gradients of all parameters
// with central differences.
func (p *probe) check(t *testing.T) {
	for i, q := range p.params.list {
		copy(q.Data, random(len(q.Data), 100+i))
		scale := float32(math.Sqrt(float64(len(q.Shape))) / math.Sqrt(float64(len(q.Data)/q.Shape[0])))
		for j := range q.Data {
			q.Data[j] *= scale
		}
	}
	p.refresh()
	x := random(probeSamples*p.length*p.channels, 1)
	plan := p.plan(key{purpose: differentiating})
	cotangent := random(probeSamples*p.outSize, 2)
	dx := make([]float32, len(x))
	b := bindings{samples: probeSamples, in: port(x), dOut: port(cotangent), dIn: port(dx), out: port(make([]float32, len(cotangent)))}
	if err := newSession(plan, 2).run(t.Context(), 3, b); err != nil {
		t.Fatal(err)
	}
	value := func() float64 { return p.value(t, x, cotangent) }
	for k := range 3 {
		differences(t, "input", x, random(len(x), 10+k), dx, value)
	}
	p.train(t, x, cotangent)
	for i, q := range p.params.list {
		differences(t, q.Name, q.Data, random(len(q.Data), 20+i), q.Grad, func() float64 { p.refresh(); return value() })
	}
}

// train leaves the gradients of the parameters, after checking that a second
// backward pass doubles them.
func (p *probe) train(t *testing.T, x, cotangent []float32) {
	e := &engine{params: p.params, layout: p.plan, workers: 2, plans: map[key]*plan{}}
	shape := tensor.Shape{p.length, p.channels}
	tr := e.newTraining(probeSamples, extent{}, shape, shape)
	step := func() {
		s := tr.session
		b := bindings{samples: probeSamples, in: port(x), out: port(make([]float32, len(cotangent))), dOut: port(cotangent), times: []int{3, 3, 3}}
		if err := s.pass(t.Context(), 0, b, s.plan.forward, s.plan.backward); err != nil {
			t.Fatal(err)
		}
		tr.accumulate(b)
	}
	step()
	once := append([]float32(nil), p.params.list[0].Grad...)
	step()
	for i, g := range p.params.list[0].Grad {
		if g != 2*once[i] {
			t.Fatalf("two backward passes give %v at %d, want twice %v", g, i, once[i])
		}
	}
	tr.ZeroGrad()
	step()
}

func TestLayersAgainstCentralDifferences(t *testing.T) {
	probes := map[string]*probe{}
	add := func(name string, length, channels int, build func(p *params) func(g *graph, x *signal) *signal) {
		p := &probe{length: length, channels: channels, params: params{packs: true}}
		p.wire = build(&p.params)
		probes[name] = p
	}
	for _, k := range []int{1, 3, 5} {
		for _, out := range []int{5, 40} {
			add(fmt.Sprintf("Conv1d kernel %d to %d", k, out), 8, 6, func(p *params) func(g *graph, x *signal) *signal {
				c := newConv1d(p, "conv", 6, out, k, 1)
				return func(g *graph, x *signal) *signal { return g.conv(c, x) }
			})
		}
		add(fmt.Sprintf("Conv1d kernel %d stride 2", k), 8, 6, func(p *params) func(g *graph, x *signal) *signal {
			c := newConv1d(p, "conv", 6, 7, k, 2)
			return func(g *graph, x *signal) *signal { return g.conv(c, x) }
		})
	}
	for _, k := range []int{2, 4, 6} {
		add(fmt.Sprintf("ConvTranspose1d kernel %d", k), 4, 6, func(p *params) func(g *graph, x *signal) *signal {
			c := newTransposed1d(p, "conv", 6, 36, k)
			return func(g *graph, x *signal) *signal { return g.conv(c, x) }
		})
	}
	add("Linear and SiLU", 1, 9, func(p *params) func(g *graph, x *signal) *signal {
		a, b := newLinear(p, "a", 9, 20, true), newLinear(p, "b", 20, 3, true)
		return func(g *graph, x *signal) *signal { return g.conv(b, g.activate(silu, g.conv(a, x))) }
	})
	add("Linear and Mish", 1, 9, func(p *params) func(g *graph, x *signal) *signal {
		a, b := newLinear(p, "a", 9, 20, true), newLinear(p, "b", 20, 3, true)
		return func(g *graph, x *signal) *signal { return g.conv(b, g.activate(mish, g.conv(a, x))) }
	})
	add("convolution block", 8, 6, func(p *params) func(g *graph, x *signal) *signal {
		b := blocks{p: p, kernel: 3, groups: 4}.block("block", 6, 24, 8)
		return func(g *graph, x *signal) *signal { return g.block(b, x, nil, film{}) }
	})
	add("concatenation", 4, 6, func(p *params) func(g *graph, x *signal) *signal {
		a, b := newConv1d(p, "a", 6, 3, 3, 1), newConv1d(p, "b", 6, 5, 1, 1)
		return func(g *graph, x *signal) *signal { return g.concat(g.conv(a, x), g.conv(b, x)) }
	})
	for _, scaled := range []bool{false, true} {
		for _, out := range []int{8, 12} {
			add(fmt.Sprintf("residual to %d, scaled %v", out, scaled), 4, 8, residualProbe(out, scaled))
		}
	}
	for name, p := range probes {
		t.Run(name, p.check)
	}
}

// residualProbe builds a residual block whose modulation depends on parameters.
func residualProbe(out int, scaled bool) func(p *params) func(g *graph, x *signal) *signal {
	return func(p *params) func(g *graph, x *signal) *signal {
		time := newStepEmbedding(p, "time.1", "time.3", 8)
		b := blocks{p: p, kernel: 3, groups: 4, condition: 8, modulation: "condition", scaled: scaled}
		l := b.residual("block", 8, out, 8)
		return func(g *graph, x *signal) *signal {
			m := modulator{own: g.timeEmbedding(time)}
			if m.own.place == shared {
				m = modulator{common: m.own}
			}
			return g.residual(l, x, m)
		}
	}
}

func TestEmbedding(t *testing.T) {
	e := newFeatures(32)
	got := make([]float32, 32)
	e.write(got, 7)
	for k := range 16 {
		angle := 7 * math.Exp(-float64(k)*math.Log(10000)/15)
		if math.Abs(float64(got[k])-math.Sin(angle)) > 2e-6 || math.Abs(float64(got[16+k])-math.Cos(angle)) > 2e-6 {
			t.Errorf("frequency %d at t=7: %v, %v, want %v, %v", k, got[k], got[16+k], math.Sin(angle), math.Cos(angle))
		}
	}
}
