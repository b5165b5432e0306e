package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// where returns x where a is in the relation to b, and 0 elsewhere.
func (v isa) where(relation uint8, a, b, x reg.Register) reg.Register {
	r := v.vec()
	if v.lanes == 16 {
		k := K()
		VCMPPS(U8(relation), b, a, k)
		VMOVAPS_Z(x, k, r)
	} else {
		VCMPPS(U8(relation), b, a, r)
		VANDPS(x, r, r)
	}
	return r
}

// rectifiers writes maxima and their slopes.
func rectifiers(v isa) {
	s := newSweep(v, "rectify", "writes dst = max(x, 0).")
	s.columns(func() {
		r, x := v.vec(), s.cursor(1).load()
		v.zero(r)
		VMAXPS(x, r, r)
		s.cursor(0).store(r)
	})
	s = newSweep(v, "rectifyGrad", "writes dst = y where x is positive, and 0 elsewhere.")
	s.columns(func() {
		zero := v.vec()
		v.zero(zero)
		s.cursor(0).store(v.where(greater, s.cursor(1).load(), zero, s.cursor(2).load()))
	})
	s = newSweep(v, "larger", "writes dst = max(x, y), y where they are equal or one is not a number.")
	s.columns(func() {
		dst, x, y := s.cursor(0), s.cursor(1), s.cursor(2)
		s.rows(func() {
			r := x.load()
			VMAXPS(y.load(), r, r)
			dst.store(r)
		}, dst, x, y)
	})
	s = newSweep(v, "largerGrad", "moves the fourth matrix to dst where x and y are equal.")
	s.columns(func() {
		dst, x, most, rest := s.cursor(0), s.cursor(1), s.cursor(2), s.cursor(3)
		s.rows(func() {
			x, y, d, left := x.load(), most.load(), dst.load(), rest.load()
			VADDPS(v.where(equal, x, y, left), d, d)
			dst.store(d)
			rest.store(v.where(notEqual, x, y, left))
		}, dst, x, most, rest)
	})
}
