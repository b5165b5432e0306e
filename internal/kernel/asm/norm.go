package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// accumulators returns n cleared vector registers.
func (v isa) accumulators(n int) []reg.Register {
	acc := make([]reg.Register, n)
	for i := range acc {
		acc[i] = v.vec()
		v.zero(acc[i])
	}
	return acc
}

// fold adds four accumulators in a fixed order into the first.
func fold(acc []reg.Register) reg.Register {
	VADDPS(acc[1], acc[0], acc[0])
	VADDPS(acc[3], acc[2], acc[2])
	VADDPS(acc[2], acc[0], acc[0])
	return acc[0]
}

// sums writes the sum of every column.
func sums(v isa) {
	s := newSweep(v, "sums", "adds up the rows of x: v0 = Σ x.")
	s.columns(func() {
		x := s.cursor(1)
		acc := v.accumulators(4)
		s.quads(x, func(i int) { VADDPS(x.load(), acc[i], acc[i]) })
		s.put(fold(acc), 0)
	})
}

// squares writes the sum of squared deviations of every column.
func squares(v isa) {
	s := newSweep(v, "squares", "adds up squared deviations of the rows of x: v1 = Σ (x - v0)².")
	s.columns(func() {
		mean := s.vector(0)
		x := s.cursor(1)
		acc := v.accumulators(4)
		s.quads(x, func(i int) {
			d := x.load()
			VSUBPS(mean, d, d)
			VFMADD231PS(d, d, acc[i])
		})
		s.put(fold(acc), 1)
	})
}

// normActivations writes the second half of a convolution block and what follows
// it in a residual block, in one pass.
func normActivations(v isa) {
	normActivation(v, "normMish", "writes dst = mish(x v0 + v1).", nil)
	normActivation(v, "normMishShift", "writes dst = mish(x v0 + v1) + v3.", func(s *sweep, r reg.Register, _ cursor) {
		VADDPS(s.vectorAt(3), r, r)
	})
	normActivation(v, "normMishFilm", "writes dst = mish(x v0 + v1) v2 + v3.", func(s *sweep, r reg.Register, _ cursor) {
		f := v.vec()
		VMOVUPS(s.vectorAt(3), f)
		VFMADD132PS(s.vectorAt(2), f, r)
	})
	normActivation(v, "normMishAdd", "writes dst = mish(x v0 + v1) + y.", func(s *sweep, r reg.Register, y cursor) {
		VADDPS(y.load(), r, r)
	})
}

func normActivation(v isa, name, doc string, finish func(s *sweep, r reg.Register, y cursor)) {
	s := newSweep(v, name, doc)
	m := newMish(v)
	s.columns(func() {
		a, b := s.vector(0), s.vector(1)
		dst, x := s.cursor(0), s.cursor(1)
		cursors := []cursor{dst, x}
		var y cursor
		if name == "normMishAdd" {
			y = s.cursor(2)
			cursors = append(cursors, y)
		}
		s.rows(func() {
			z := x.load()
			VFMADD213PS(b, a, z)
			r := m.value(z)
			if finish != nil {
				finish(s, r, y)
			}
			dst.store(r)
		}, cursors...)
	})
}

// normGradients writes the first pass of the gradient of the same.
func normGradients(v isa) {
	normGradient(v, "normMishGrad", "writes dst = y mish'(x v0 + v1) and sums v5 = Σ dst, v6 = Σ dst (x v2 + v3).", 0)
	normGradient(v, "normMishShiftGrad", "is the same and sums v7 = Σ y.", 1)
	normGradient(v, "normMishFilmGrad", "is the same with y v4 for y in dst and sums v7 = Σ y, v8 = Σ y mish(x v0 + v1).", 2)
}

func normGradient(v isa, name, doc string, film int) {
	s := newSweep(v, name, doc)
	m := newMish(v)
	s.columns(func() {
		dst, x, y := s.cursor(0), s.cursor(1), s.cursor(2)
		acc := v.accumulators(2 + film)
		a, b, scale, shift := s.vectorAt(0), s.vectorAt(1), s.vectorAt(2), s.vectorAt(3)
		s.rows(func() {
			u := x.load()
			z := v.vec()
			VMOVUPS(a, z)
			VFMADD213PS(b, u, z)
			slope, value := m.slope(z, film == 2)
			d := y.load()
			if film > 0 {
				VADDPS(d, acc[2], acc[2])
			}
			if film > 1 {
				VFMADD231PS(value, d, acc[3])
				VMULPS(s.vectorAt(4), d, d)
			}
			VMULPS(slope, d, d)
			dst.store(d)
			VADDPS(d, acc[0], acc[0])
			VMOVUPS(scale, z)
			VFMADD213PS(shift, z, u)
			VFMADD231PS(d, u, acc[1])
		}, dst, x, y)
		for i, r := range acc {
			s.put(r, 5+i)
		}
	})
}

// affine writes the second pass of the gradient of a group norm.
func affine(v isa) {
	s := newSweep(v, "affine", "writes dst = x v0 + y v1 + v2.")
	s.columns(func() {
		p, q, r := s.vector(0), s.vector(1), s.vector(2)
		dst, x, y := s.cursor(0), s.cursor(1), s.cursor(2)
		s.rows(func() {
			d := x.load()
			VFMADD213PS(r, p, d)
			VFMADD231PS(y.load(), q, d)
			dst.store(d)
		}, dst, x, y)
	})
	s = newSweep(v, "add", "writes dst = x + y.")
	s.columns(func() {
		dst, x, y := s.cursor(0), s.cursor(1), s.cursor(2)
		s.rows(func() {
			d := x.load()
			VADDPS(y.load(), d, d)
			dst.store(d)
		}, dst, x, y)
	})
}
