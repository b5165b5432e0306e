package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The distribution function of the normal distribution: Φ(-a) = exp(-a²/2) t P(t) with
// t = 1/(1 + tailSlope a), for a in [0, tailEnd].
const (
	tailSlope = 0.35
	tailEnd   = 13.1875 // a²/2 stays within the range of exp
)

// tailTerms are the coefficients of t^0 ... t^8, minimax for the relative error (3.2e-8).
var tailTerms = [9]float32{0.13962157, 0.139859083, 0.119852434, 0.105432949, -0.0229371651,
	0.158929328, -0.255504596, 0.14387225, -0.0291258684}

// and writes the bits that a and b share.
func (v isa) and(a Op, b, dst reg.Register) {
	if v.lanes == 16 {
		VPANDD(a, b, dst)
	} else {
		VPAND(a, b, dst)
	}
}

func (v isa) or(a Op, b, dst reg.Register) {
	if v.lanes == 16 {
		VPORD(a, b, dst)
	} else {
		VPOR(a, b, dst)
	}
}

// tail returns a = min(|x|, tailEnd), e = exp(-a²/2) and q = Φ(-a), and leaves x. The
// part of a² that rounding cuts off corrects e.
func tail(v isa, c *constants, x reg.Register) (a, e, q reg.Register) {
	a, q = v.vec(), v.vec()
	h, low, t := v.vec(), v.vec(), v.vec()
	v.zero(a)
	VSUBPS(x, a, a)
	VMAXPS(x, a, a)
	VMINPS(c.get(tailEnd), a, a)
	VMULPS(a, a, h)
	VMOVAPS(h, low)
	VFMSUB231PS(a, a, low)
	VMULPS(c.get(-0.5), low, low)
	VMULPS(c.get(-0.5), h, h)
	e = exp(v, c, h)
	VFMADD231PS(low, e, e)
	VMOVUPS(c.get(1), h)
	VMOVUPS(c.get(1), t)
	VFMADD231PS(c.get(tailSlope), a, h)
	VDIVPS(h, t, t)
	VMOVUPS(c.get(tailTerms[8]), q)
	for i := 7; i >= 0; i-- {
		VFMADD213PS(c.get(tailTerms[i]), t, q)
	}
	VMULPS(t, q, q)
	VMULPS(e, q, q)
	return a, e, q
}

// gelu returns x Φ(x) as max(x, 0) - a Φ(-a), a = |x|, and what its slope needs.
func gelu(v isa, c *constants, x reg.Register) (y, e, q reg.Register) {
	a, e, q := tail(v, c, x)
	y = v.vec()
	v.zero(y)
	VMAXPS(x, y, y)
	VFNMADD231PS(q, a, y)
	return y, e, q
}

// geluSlope returns Φ(x) + x φ(x), and changes e and q: Φ(x) is a half and what is left
// of another with the sign of x.
func geluSlope(v isa, c *constants, x, e, q reg.Register) reg.Register {
	sign := v.vec()
	v.and(c.get(float32(math.Copysign(0, -1))), x, sign)
	half := v.vec()
	VMOVUPS(c.get(0.5), half)
	VSUBPS(q, half, q)
	v.or(sign, q, q)
	VADDPS(half, q, q)
	VMULPS(c.get(float32(1/math.Sqrt(2*math.Pi))), e, e)
	VFMADD231PS(x, e, q)
	return q
}

// quick returns x/(1 + exp(-1.702 x)), and e and q of the sigmoid and its argument.
func quick(v isa, c *constants, x reg.Register) (z, e, q reg.Register) {
	z = v.vec()
	VMULPS(c.get(1.702), x, z)
	e, q = sigmoid(v, c, z)
	return z, e, q
}

// gates writes the activations of transformers.
func gates(v isa) {
	gate(v, "gelu", "writes dst = x Φ(x).", func(c *constants, x, _ reg.Register) reg.Register {
		y, _, _ := gelu(v, c, x)
		return y
	})
	gate(v, "geluGrad", "writes dst = y gelu'(x).", func(c *constants, x, y reg.Register) reg.Register {
		_, e, q := tail(v, c, x)
		s := geluSlope(v, c, x, e, q)
		VMULPS(y, s, s)
		return s
	})
	gate(v, "quickGELU", "writes dst = x/(1 + exp(-1.702 x)).", func(c *constants, x, _ reg.Register) reg.Register {
		_, _, q := quick(v, c, x)
		VMULPS(x, q, q)
		return q
	})
	gate(v, "quickGELUGrad", "writes dst = y q (1 + z e q) with z = 1.702 x, e = exp(-z), q = 1/(1 + e).", func(c *constants, x, y reg.Register) reg.Register {
		z, e, q := quick(v, c, x)
		s := siluSlope(c, z, e, q)
		VMULPS(y, s, s)
		return s
	})
	geglu(v)
	gegluGrad(v)
}

// siluSlope returns q (1 + z e q), over e.
func siluSlope(c *constants, z, e, q reg.Register) reg.Register {
	VMULPS(q, e, e)
	VFMADD213PS(c.get(1), z, e)
	VMULPS(q, e, e)
	return e
}

// gate writes a sweep of one function of x, or of x and y.
func gate(v isa, name, doc string, f func(c *constants, x, y reg.Register) reg.Register) {
	s := newSweep(v, name, doc)
	c := v.gateConstants()
	s.columns(func() {
		dst, x, y := s.cursor(0), s.cursor(1), s.cursor(2)
		cursors := []cursor{dst, x}
		withY := name == "geluGrad" || name == "quickGELUGrad"
		if withY {
			cursors = append(cursors, y)
		}
		s.rows(func() {
			var d reg.Register
			if withY {
				d = y.load()
			}
			dst.store(f(c, x.load(), d))
		}, cursors...)
	})
}

// gateConstants holds what every activation needs.
func (v isa) gateConstants() *constants {
	c := v.hold(append(expTerms[:], log2e, ln2Hi, ln2Lo, 1)...)
	c.inRegisters = false // the others
	return c
}

func geglu(v isa) {
	s := newSweep(v, "geglu", "writes dst = x gelu(y).")
	c := v.gateConstants()
	s.columns(func() {
		dst, x, y := s.cursor(0), s.cursor(1), s.cursor(2)
		s.rows(func() {
			g, _, _ := gelu(v, c, y.load())
			VMULPS(x.load(), g, g)
			dst.store(g)
		}, dst, x, y)
	})
}

func gegluGrad(v isa) {
	s := newSweep(v, "gegluGrad", "writes dst = m4 gelu(y) and m3 = m4 x gelu'(y).")
	c := v.gateConstants()
	s.columns(func() {
		dst, x, y, dy, d := s.cursor(0), s.cursor(1), s.cursor(2), s.cursor(3), s.cursor(4)
		s.rows(func() {
			b := y.load()
			g, e, q := gelu(v, c, b)
			slope := geluSlope(v, c, b, e, q)
			out := d.load()
			VMULPS(out, g, g)
			VMULPS(x.load(), out, out)
			VMULPS(out, slope, slope)
			dst.store(g)
			dy.store(slope)
		}, dst, x, y, dy, d)
	})
}

// normGates writes group norms with SiLU or nothing after them.
func normGates(v isa) {
	s := newSweep(v, "normSiLU", "writes dst = silu(x v0 + v1).")
	c := v.gateConstants()
	s.columns(func() {
		a, b := s.vector(0), s.vector(1)
		dst, x := s.cursor(0), s.cursor(1)
		s.rows(func() {
			z := x.load()
			VFMADD213PS(b, a, z)
			_, q := sigmoid(v, c, z)
			VMULPS(z, q, q)
			dst.store(q)
		}, dst, x)
	})
	s = newSweep(v, "scale", "writes dst = x v0 + v1.")
	s.columns(func() {
		a, b := s.vector(0), s.vector(1)
		dst, x := s.cursor(0), s.cursor(1)
		s.rows(func() {
			z := x.load()
			VFMADD213PS(b, a, z)
			dst.store(z)
		}, dst, x)
	})
	normGateGrad(v, "normSiLUGrad", "writes dst = y silu'(x v0 + v1) and sums v5 = Σ dst, v6 = Σ dst (x v2 + v3).", true)
	normGateGrad(v, "scaleGrad", "writes dst = y and sums v5 = Σ dst, v6 = Σ dst (x v2 + v3).", false)
}

func normGateGrad(v isa, name, doc string, silu bool) {
	s := newSweep(v, name, doc)
	var c *constants
	if silu {
		c = v.gateConstants()
	}
	s.columns(func() {
		dst, x, y := s.cursor(0), s.cursor(1), s.cursor(2)
		acc := v.accumulators(2)
		s.rows(func() {
			u, d := x.load(), y.load()
			if silu {
				z := v.vec()
				VMOVUPS(s.vectorAt(0), z)
				VFMADD213PS(s.vectorAt(1), u, z)
				e, q := sigmoid(v, c, z)
				VMULPS(siluSlope(c, z, e, q), d, d)
			}
			dst.store(d)
			VADDPS(d, acc[0], acc[0])
			hat := v.vec()
			VMOVUPS(s.vectorAt(2), hat)
			VFMADD213PS(s.vectorAt(3), u, hat)
			VFMADD231PS(d, hat, acc[1])
		}, dst, x, y)
		for i, r := range acc {
			s.put(r, 5+i)
		}
	})
}
