package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of comparisons.
const (
	equal          = 0  // of ordered numbers
	lessOrEqual    = 2  // of ordered numbers
	notEqual       = 4  // or unordered
	notLessOrEqual = 6  // or unordered
	greater        = 30 // of ordered numbers
)

// chainSurvey writes the sum of the squared differences, the number of those over
// the limit and the largest coordinate.
func chainSurvey() {
	k := newChain("chainSurvey", "measures the chains.")
	squares, tight, scale := YMM(), YMM(), YMM()
	VXORPD(squares, squares, squares)
	VXORPD(tight, tight, tight)
	VXORPD(scale, scale, scale)
	limit := loaded(k.arg(chainsLimit))
	VMULPD(limit, limit, limit)
	first, last := k.links()
	magnitude := func(p Mem) {
		r := loaded(number(math.Float64frombits(1<<63 - 1)))
		VANDPD(p, r, r)
		VMAXPD(r, scale, scale)
	}
	magnitude(linkAt{first, nil}.of(linkP, -1))
	magnitude(linkAt{first, nil}.of(linkP+32, -1))
	k.walk(first, last, func(at linkAt) {
		r := at.given()
		square, over := dotted(r, r), YMM()
		VADDPD(square, squares, squares)
		VCMPPD(U8(greater), limit, square, over)
		VANDPD(number(1), over, over)
		VADDPD(over, tight, tight)
		magnitude(at.of(linkP, 0))
		magnitude(at.of(linkP+32, 0))
	})
	VMOVUPD(squares, k.arg(chainsSquares))
	VMOVUPD(tight, k.arg(chainsTight))
	VMOVUPD(scale, k.arg(chainsScale))
	k.end()
}

// chainRelax writes a step of reweighted least squares: it solves the chains of
// springs of the compliance across and sets it anew to limit/‖F‖.
func chainRelax() {
	k := newChain("chainRelax", "solves the chains of springs and sets them anew.")
	ends := [2]reg.Register{YMM(), YMM()}
	VXORPD(ends[0], ends[0], ends[0])
	VMOVUPD(number(1), ends[1])
	softened := func(at linkAt, behind reg.Register) reg.Register {
		return quotient(loaded(number(1)), sum(behind, at.of(linkAcross, 0)))
	}
	middle := k.towardsMiddle(func(at linkAt, side int) {
		one := loaded(number(1))
		s := softened(at, sum(one, ends[side]))
		e := at.pulled()
		at.store(xy{times(e.x, s), times(e.y, s)}, linkV)
		VMOVUPD(s, at.of(linkG, 0))
		VSUBPD(s, one, ends[side])
	})
	keep := func(at linkAt, f xy) {
		springs := loaded(k.arg(chainsSprings))
		for i, v := range []reg.Register{f.x, f.y} {
			VMOVUPD(choose(springs, loaded(at.of(linkF+32*i, 0)), v), at.of(linkF+32*i, 0))
		}
		force := root(dotted(f, f))
		VMAXPD(k.arg(chainsFloor), force, force)
		VMOVUPD(quotient(loaded(k.arg(chainsLimit)), force), at.of(linkAcross, 0))
	}
	e := middle.pulled()
	e.add(xy{loaded(middle.of(linkV, -1)), loaded(middle.of(linkV+32, -1))})
	s := softened(middle, sum(ends[0], ends[1]))
	f := xy{times(e.x, s), times(e.y, s)}
	middle.store(f, linkV)
	keep(middle, f)
	k.fromMiddle(middle, func(at linkAt, f xy) {
		s := loaded(at.of(linkG, 0))
		v := at.load(linkV)
		plusProduct(v.x, f.x, s)
		plusProduct(v.y, f.y, s)
		VMOVAPD(v.x, f.x)
		VMOVAPD(v.y, f.y)
		keep(at, f)
	})
	k.end()
}

// chainPredict writes the first laws, from forces alone. The force of link 0 must
// be that of link 1, because node 0 is held.
func chainPredict() {
	k := newChain("chainPredict", "predicts the first laws from the forces.")
	r := newResiduals()
	first, last := k.links()
	k.walk(first, last, func(at linkAt) {
		f, d := at.load(linkF), at.given()
		for i, v := range []struct{ f, d reg.Register }{{f.x, d.x}, {f.y, d.y}} {
			VADDPD(at.of(linkF+32*i, 1), v.d, v.d)
			VADDPD(at.of(linkF+32*i, -1), v.d, v.d)
			VSUBPD(v.f, v.d, v.d)
			VSUBPD(v.f, v.d, v.d)
		}
		k.finish(at, f, d, r)
	})
	k.report(r)
	k.end()
}
