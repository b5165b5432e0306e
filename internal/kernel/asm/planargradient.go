package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// planarGradients writes the transforms of the gradient with respect to the weights.
func planarGradients(v isa) {
	planarCotangents(v)
	planarTaps(v)
}

// planarCotangents writes the transform of 4×4 pixels, each of which has its own
// pointer, to 36 planes: the transpose of that of the products.
func planarCotangents(v isa) {
	TEXT("planarCotangents"+v.name, NOSPLIT, "func(p *uint8)")
	Doc("planarCotangents" + v.name + " evaluates 4×4 cotangents at the points of rows and columns.")
	args := Load(Param("p"), GP64())
	work, at, pixel := newWorkspace(v, args), GP64(), GP64()
	XORQ(at, at)
	dst := newPlanes(args, planarDstRow)
	MOVQ(field(args, planarDst), dst.first)
	c := v.hold(planarA, planarB, planarA2, planarB2)
	planarLoop("turn", field(args, planarTurns), func() {
		for j := range 4 {
			var y [4]reg.VecVirtual
			for i := range y {
				MOVQ(field(args, planarAt+8*(4*i+j)), pixel)
				y[i] = v.loaded(Mem{Base: pixel, Index: at, Scale: 1})
			}
			v.evaluateCotangents(c, y, func(i int) Mem { return work.at(4*i + j) })
		}
		dst.restart()
		for i := range planarSide {
			var y [4]reg.VecVirtual
			for j := range y {
				y[j] = v.loaded(work.at(4*i + j))
			}
			v.evaluateCotangents(c, y, dst.row)
			dst.next()
		}
		ADDQ(I32(v.bytes()), at)
		ADDQ(I32(v.bytes()), dst.first)
	})
	VZEROUPPER()
	RET()
}

// evaluateCotangents stores the values at the six points of a polynomial with four
// coefficients.
func (v isa) evaluateCotangents(c *constants, y [4]reg.VecVirtual, to func(i int) Mem) {
	VMOVUPS(y[0], to(0))
	VMOVUPS(y[3], to(5))
	pair := func(i int, x, x2 float32) {
		even, odd, sum := v.vec(), v.vec(), v.vec()
		VMOVAPS(y[0], even)
		VFMADD231PS(c.get(x2), y[2], even)
		VMOVAPS(y[1], odd)
		VFMADD231PS(c.get(x2), y[3], odd)
		VMOVAPS(even, sum)
		VFMADD231PS(c.get(x), odd, sum)
		VFNMADD231PS(c.get(x), odd, even)
		VMOVUPS(sum, to(i))
		VMOVUPS(even, to(i+1))
	}
	pair(1, planarA, planarA2)
	pair(3, planarB, planarB2)
}

// planarTaps writes the transform of sums at the points to nine taps: the transpose of
// that of the weights.
func planarTaps(v isa) {
	TEXT("planarTaps"+v.name, NOSPLIT, "func(p *uint8)")
	Doc("planarTaps" + v.name + " gathers sums at the points of rows and columns in nine taps.")
	args := Load(Param("p"), GP64())
	work, tap, stride, to := newWorkspace(v, args), GP64(), GP64(), GP64()
	src := newPlanes(args, planarSrcRow)
	MOVQ(field(args, planarSrc), src.first)
	MOVQ(field(args, planarDst), tap)
	MOVQ(field(args, planarDstRow), stride)
	c := v.hold(1/(planarA2*planarB2), 1/planarNearA, planarA2/planarNearA, planarA/planarNearA,
		1/planarNearB, planarB2/planarNearB, planarB/planarNearB)
	planarLoop("turn", field(args, planarTurns), func() {
		for j := range planarSide {
			src.restart()
			m := v.loadSix(func(i int) Mem {
				if i > 0 {
					src.next()
				}
				return src.row(j)
			})
			v.gatherTaps(c, m, func(k int, g reg.VecVirtual) { VMOVUPS(g, work.at(planarSide*k+j)) })
		}
		MOVQ(tap, to)
		for i := range 3 {
			m := v.loadSix(func(j int) Mem { return work.at(planarSide*i + j) })
			v.gatherTaps(c, m, func(_ int, g reg.VecVirtual) {
				VMOVUPS(g, Mem{Base: to})
				ADDQ(stride, to)
			})
		}
		ADDQ(I32(v.bytes()), tap)
		ADDQ(I32(v.bytes()), src.first)
	})
	VZEROUPPER()
	RET()
}

// gatherTaps sums the values at six points for each of three taps.
func (v isa) gatherTaps(c *constants, m [planarSide]reg.VecVirtual, use func(k int, g reg.VecVirtual)) {
	s1, d1, s2, d2 := v.vec(), v.vec(), v.vec(), v.vec()
	VADDPS(m[2], m[1], s1)
	VSUBPS(m[2], m[1], d1)
	VADDPS(m[4], m[3], s2)
	VSUBPS(m[4], m[3], d2)
	weighted := func(a, b float32, p, q reg.VecVirtual) reg.VecVirtual {
		g := v.vec()
		VMULPS(c.get(b), q, g)
		VFMADD231PS(c.get(a), p, g)
		return g
	}
	g := weighted(1/planarNearA, 1/planarNearB, s1, s2)
	VFMADD231PS(c.get(1/(planarA2*planarB2)), m[0], g)
	use(0, g)
	use(1, weighted(planarA/planarNearA, planarB/planarNearB, d1, d2))
	g = weighted(planarA2/planarNearA, planarB2/planarNearB, s1, s2)
	VADDPS(m[5], g, g)
	use(2, g)
}
