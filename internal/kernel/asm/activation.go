package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Range reduction of exp: x = n ln 2 + r, ln 2 in two parts, the first with so few
// bits that n times it is exact.
const (
	log2e  = 1.44269504088896341
	ln2Hi  = 0.693145751953125
	ln2Lo  = 1.42860682030941723e-06
	expMin = -87 // below, 2^n would leave the normal numbers
	expMax = 88
)

// expTerms are the coefficients of r^0 ... r^6, minimax on |r| ≤ ln(2)/2 for the
// relative error (3.1e-9), with the first two fixed at 1.
var expTerms = [7]float32{1, 1, 0.49999994, 0.16666521, 0.041668274, 0.008368683, 0.001382005}

// exp writes dst = exp(x) for x in [expMin, expMax]; x is overwritten.
func exp(v isa, c *constants, x reg.Register) reg.Register {
	n, e := v.vec(), v.vec()
	VMULPS(c.get(log2e), x, n)
	v.round(n, n)
	VFNMADD231PS(c.get(ln2Hi), n, x)
	VFNMADD231PS(c.get(ln2Lo), n, x)
	VMOVUPS(c.get(expTerms[6]), e)
	for i := 5; i >= 0; i-- {
		VFMADD213PS(c.get(expTerms[i]), x, e)
	}
	VCVTPS2DQ(n, n)
	VPSLLD(U8(23), n, n)
	VPADDD(n, e, e)
	return e
}

// mish evaluates z tanh(log(1 + e^z)) as z n/(n+2) with e = exp z, n = e (e + 2):
// all terms are positive, so nothing cancels. Above mishMax the quotient is 1.
type mish struct {
	v isa
	c *constants
}

const mishMax = 20

func newMish(v isa) *mish {
	m := &mish{v, v.constants()}
	if m.c.inRegisters { // before the loops
		for _, t := range expTerms {
			m.c.get(t)
		}
		for _, t := range []float32{log2e, ln2Hi, ln2Lo, expMin, mishMax, 2, 4, 1} {
			m.c.get(t)
		}
	}
	return m
}

// parts returns e and n, and leaves z.
func (m *mish) parts(z reg.Register) (e, n reg.Register) {
	x, n := m.v.vec(), m.v.vec()
	VMINPS(m.c.get(mishMax), z, x)
	VMAXPS(m.c.get(expMin), x, x)
	e = exp(m.v, m.c, x)
	VADDPS(e, e, n)
	VFMADD231PS(e, e, n)
	return e, n
}

// value returns mish(z).
func (m *mish) value(z reg.Register) reg.Register {
	_, n := m.parts(z)
	d := m.v.vec()
	VADDPS(m.c.get(2), n, d)
	VDIVPS(d, n, n)
	VMULPS(z, n, n)
	return n
}

// slope returns q + 4 z (n - e)/(n+2)² with q = n/(n+2), and mish(z) on demand.
func (m *mish) slope(z reg.Register, withValue bool) (slope, value reg.Register) {
	e, n := m.parts(z)
	d, inverse := m.v.vec(), m.v.vec()
	VADDPS(m.c.get(2), n, d)
	VMOVUPS(m.c.get(1), inverse)
	VDIVPS(d, inverse, inverse)
	VSUBPS(e, n, e)
	VMULPS(inverse, n, n)
	VMULPS(inverse, e, e)
	VMULPS(inverse, e, e)
	VMULPS(m.c.get(4), e, e)
	if withValue {
		value = m.v.vec()
		VMULPS(z, n, value)
	}
	VFMADD231PS(z, e, n)
	return n, value
}

// activations writes the functions on plain arrays: sweeps of one row.
func activations(v isa) {
	elementwise(v, "exp", "writes dst = exp(x).", func(c *constants, x, _ reg.Register) reg.Register {
		VMINPS(c.get(expMax), x, x)
		VMAXPS(c.get(expMin), x, x)
		return exp(v, c, x)
	})
	elementwise(v, "mish", "writes dst = mish(x).", func(c *constants, x, _ reg.Register) reg.Register {
		return (&mish{v, c}).value(x)
	})
	elementwise(v, "mishGrad", "writes dst = y mish'(x).", func(c *constants, x, y reg.Register) reg.Register {
		slope, _ := (&mish{v, c}).slope(x, false)
		VMULPS(y, slope, slope)
		return slope
	})
	elementwise(v, "silu", "writes dst = x/(1 + exp(-x)).", func(c *constants, x, _ reg.Register) reg.Register {
		_, q := sigmoid(v, c, x)
		VMULPS(x, q, q)
		return q
	})
	elementwise(v, "siluGrad", "writes dst = y q (1 + x e q) with e = exp(-x), q = 1/(1 + e).", func(c *constants, x, y reg.Register) reg.Register {
		d, q := sigmoid(v, c, x)
		VMULPS(q, d, d)
		VFMADD213PS(c.get(1), x, d)
		VMULPS(q, d, d)
		VMULPS(y, d, d)
		return d
	})
}

// sigmoid returns e = exp(-x) and 1/(1 + e), and leaves x.
func sigmoid(v isa, c *constants, x reg.Register) (e, q reg.Register) {
	m, d, q := v.vec(), v.vec(), v.vec()
	v.zero(m)
	VSUBPS(x, m, m)
	VMINPS(c.get(expMax), m, m)
	VMAXPS(c.get(expMin), m, m)
	e = exp(v, c, m)
	VADDPS(c.get(1), e, d)
	VMOVUPS(c.get(1), q)
	VDIVPS(d, q, q)
	return e, q
}

func elementwise(v isa, name, doc string, f func(c *constants, x, y reg.Register) reg.Register) {
	s := newSweep(v, name, doc)
	s.columns(func() {
		dst, x := s.cursor(0), s.cursor(1)
		var dy reg.Register
		if name == "mishGrad" || name == "siluGrad" {
			dy = s.cursor(2).load()
		}
		c := &constants{v: v, held: map[string]Op{}}
		dst.store(f(c, x.load(), dy))
	})
}

// adam writes one step of Adam with decoupled weight decay on an array: p, g, m, v
// and the scalars g scale, β1, 1-β1, β2, 1-β2, step, 1/√(1-β2^t), ε, decay.
func adam(v isa) {
	TEXT("adam"+v.name, NOSPLIT, "func(a *uint8)")
	Doc("adam" + v.name + " updates parameters and moments; see Adam.")
	args := Load(Param("a"), GP64())
	var at [4]reg.Register
	for i := range at {
		at[i] = GP64()
		MOVQ(field(args, adamMatrix+8*i), at[i])
	}
	n := GP64()
	MOVQ(field(args, adamN), n)
	scalar := func(i int) Mem { return field(args, adamScalar+4*i) }
	step := func(k mask) {
		load := func(i int) reg.Register {
			r := v.vec()
			v.load(Mem{Base: at[i]}, k, r)
			return r
		}
		p, g, m, s, t := load(0), load(1), load(2), load(3), v.vec()
		all := func(i int) reg.Register { VBROADCASTSS(scalar(i), t); return t }
		VMULPS(all(0), g, g)
		VMULPS(all(1), m, m)
		VFMADD231PS(all(2), g, m)
		VMULPS(g, g, g)
		VMULPS(all(3), s, s)
		VFMADD231PS(all(4), g, s)
		v.store(m, k, Mem{Base: at[2]})
		v.store(s, k, Mem{Base: at[3]})
		VSQRTPS(s, s)
		VMULPS(all(6), s, s)
		VADDPS(all(7), s, s)
		VDIVPS(s, m, m)
		VMULPS(all(8), p, p)
		VFNMADD231PS(all(5), m, p)
		v.store(p, k, Mem{Base: at[0]})
	}
	Label("loop")
	CMPQ(n, U8(uint8(v.lanes)))
	JL(LabelRef("last"))
	step(mask{})
	for i := range at {
		ADDQ(I8(v.bytes()), at[i])
	}
	SUBQ(I8(v.lanes), n)
	JMP(LabelRef("loop"))
	Label("last")
	TESTQ(n, n)
	JZ(LabelRef("return"))
	step(v.loadMask(field(args, adamMask), field(args, adamWords)))
	Label("return")
	VZEROUPPER()
	RET()
}
