package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The points of minimal filtering in two dimensions, besides 0 and ∞; package kernel
// says what the transforms compute.
const (
	planarA, planarB   = 5. / 8, 3. / 2
	planarA2, planarB2 = planarA * planarA, planarB * planarB
	planarNearA        = 2 * planarA2 * (planarA2 - planarB2)
	planarNearB        = 2 * planarB2 * (planarB2 - planarA2)
	planarSide         = 6
)

// planars writes the transforms.
func planars(v isa) {
	planarWeights(v)
	planarPixels(v)
	planarProducts(v, "planarProducts", "sets", false)
	planarProducts(v, "planarProductsAdd", "adds other pixels to", true)
}

// planes addresses 36 planes, six at a time.
type planes struct {
	at, first, stride, triple, quintuple, six reg.GPVirtual
}

func newPlanes(args reg.Register, stride int) planes {
	p := planes{GP64(), GP64(), GP64(), GP64(), GP64(), GP64()}
	MOVQ(field(args, stride), p.stride)
	LEAQ(Mem{Base: p.stride, Index: p.stride, Scale: 2}, p.triple)
	LEAQ(Mem{Base: p.stride, Index: p.stride, Scale: 4}, p.quintuple)
	LEAQ(Mem{Base: p.triple, Index: p.triple, Scale: 1}, p.six)
	return p
}

// restart goes to the first six.
func (p planes) restart() { MOVQ(p.first, p.at) }

// next goes to the next six.
func (p planes) next() { ADDQ(p.six, p.at) }

// row addresses plane j of the six.
func (p planes) row(j int) Mem {
	m := Mem{Base: p.at}
	switch j {
	case 1:
		m.Index, m.Scale = p.stride, 1
	case 2:
		m.Index, m.Scale = p.stride, 2
	case 3:
		m.Index, m.Scale = p.triple, 1
	case 4:
		m.Index, m.Scale = p.stride, 4
	case 5:
		m.Index, m.Scale = p.quintuple, 1
	}
	return m
}

// workspace addresses the vectors between the two halves of a transform.
type workspace struct {
	v isa
	p reg.GPVirtual
}

func newWorkspace(v isa, args reg.Register) workspace {
	w := workspace{v, GP64()}
	MOVQ(field(args, planarWork), w.p)
	return w
}

func (w workspace) at(i int) Mem { return Mem{Base: w.p, Disp: i * w.v.bytes()} }

// loaded returns a vector of memory in a register.
func (v isa) loaded(m Mem) reg.VecVirtual {
	r := v.vec()
	VMOVUPS(m, r)
	return r
}

// loadSix returns six vectors.
func (v isa) loadSix(at func(i int) Mem) (d [planarSide]reg.VecVirtual) {
	for i := range d {
		d[i] = v.loaded(at(i))
	}
	return d
}

// planarLoop writes a loop of turns.
func planarLoop(name string, count Mem, body func()) {
	n := GP64()
	MOVQ(count, n)
	Label(name)
	body()
	DECQ(n)
	JNZ(LabelRef(name))
}

// planarWeights writes the transform of the weights: nine taps to 36 planes.
func planarWeights(v isa) {
	TEXT("planarWeights"+v.name, NOSPLIT, "func(p *uint8)")
	Doc("planarWeights" + v.name + " evaluates the taps of a filter at the points of rows and columns.")
	args := Load(Param("p"), GP64())
	src, stride, work := GP64(), GP64(), newWorkspace(v, args)
	MOVQ(field(args, planarSrc), src)
	MOVQ(field(args, planarSrcRow), stride)
	dst := newPlanes(args, planarDstRow)
	MOVQ(field(args, planarDst), dst.first)
	c := v.hold(1/(planarA2*planarB2), 1/planarNearA, planarA2/planarNearA, planarA/planarNearA,
		1/planarNearB, planarB2/planarNearB, planarB/planarNearB)
	planarLoop("channel", field(args, planarCount), func() {
		planarLoop("turn", field(args, planarTurns), func() {
			tap := GP64()
			MOVQ(src, tap)
			var g [9]reg.VecVirtual
			for i := range g {
				g[i] = v.loaded(Mem{Base: tap})
				ADDQ(stride, tap)
			}
			for j := range 3 {
				v.evaluateTaps(c, [3]reg.VecVirtual{g[j], g[3+j], g[6+j]}, func(k int) Mem { return work.at(3*k + j) })
			}
			dst.restart()
			for k := range planarSide {
				g := [3]reg.VecVirtual{v.loaded(work.at(3 * k)), v.loaded(work.at(3*k + 1)), v.loaded(work.at(3*k + 2))}
				v.evaluateTaps(c, g, dst.row)
				dst.next()
			}
			ADDQ(I32(v.bytes()), src)
			ADDQ(I32(v.bytes()), dst.first)
		})
		ADDQ(field(args, planarSkip), src)
	})
	VZEROUPPER()
	RET()
}

// hold returns constants, in registers where there are enough.
func (v isa) hold(values ...float32) *constants {
	c := v.constants()
	for _, x := range values {
		c.get(x)
	}
	return c
}

// evaluateTaps stores the values at the six points of a polynomial of three taps.
func (v isa) evaluateTaps(c *constants, g [3]reg.VecVirtual, to func(i int) Mem) {
	u := v.vec()
	VMULPS(c.get(1/(planarA2*planarB2)), g[0], u)
	VMOVUPS(u, to(0))
	VMOVUPS(g[2], to(5))
	pair := func(i int, x, near float64) {
		even, odd, sum := v.vec(), v.vec(), v.vec()
		VMULPS(c.get(float32(1/near)), g[0], even)
		VFMADD231PS(c.get(float32(x*x/near)), g[2], even)
		VMULPS(c.get(float32(x/near)), g[1], odd)
		VADDPS(odd, even, sum)
		VSUBPS(odd, even, even)
		VMOVUPS(sum, to(i))
		VMOVUPS(even, to(i+1))
	}
	pair(1, planarA, planarNearA)
	pair(3, planarB, planarNearB)
}

// planarPixels writes the transform of 6×6 pixels, each of which has its own pointer,
// to 36 planes.
func planarPixels(v isa) {
	TEXT("planarPixels"+v.name, NOSPLIT, "func(p *uint8)")
	Doc("planarPixels" + v.name + " evaluates 6×6 pixels at the points of rows and columns.")
	args := Load(Param("p"), GP64())
	work, at, pixel := newWorkspace(v, args), GP64(), GP64()
	XORQ(at, at)
	dst := newPlanes(args, planarDstRow)
	MOVQ(field(args, planarDst), dst.first)
	c := v.hold(planarA, planarB, planarA2, planarB2, planarA2+planarB2, planarA2*planarB2)
	planarLoop("turn", field(args, planarTurns), func() {
		for j := range planarSide {
			d := v.loadSix(func(i int) Mem {
				MOVQ(field(args, planarAt+8*(planarSide*i+j)), pixel)
				return Mem{Base: pixel, Index: at, Scale: 1}
			})
			v.evaluatePixels(c, d, func(i int) Mem { return work.at(planarSide*i + j) })
		}
		dst.restart()
		for i := range planarSide {
			v.evaluatePixels(c, v.loadSix(func(j int) Mem { return work.at(planarSide*i + j) }), dst.row)
			dst.next()
		}
		ADDQ(I32(v.bytes()), at)
		ADDQ(I32(v.bytes()), dst.first)
	})
	VZEROUPPER()
	RET()
}

// evaluatePixels stores the transform of six pixels.
func (v isa) evaluatePixels(c *constants, d [planarSide]reg.VecVirtual, to func(i int) Mem) {
	less := func(x, y reg.VecVirtual, by float32) reg.VecVirtual { // x - by y
		r := v.vec()
		VMOVAPS(x, r)
		VFNMADD231PS(c.get(by), y, r)
		return r
	}
	end := func(i int) {
		r := less(d[4+i/5], d[2+i/5], planarA2+planarB2)
		VFMADD231PS(c.get(planarA2*planarB2), d[i/5], r)
		VMOVUPS(r, to(i))
	}
	end(0)
	end(5)
	pair := func(i int, x, other float32) {
		even, odd, sum := less(d[4], d[2], other), less(d[3], d[1], other), v.vec()
		VMOVAPS(even, sum)
		VFMADD231PS(c.get(x), odd, sum)
		VFNMADD231PS(c.get(x), odd, even)
		VMOVUPS(sum, to(i))
		VMOVUPS(even, to(i+1))
	}
	pair(1, planarA, planarB2)
	pair(3, planarB, planarA2)
}

// planarProducts writes the transform of the products: 36 planes to 4×4 pixels, none of which
// is less than a number.
func planarProducts(v isa, name, does string, add bool) {
	TEXT(name+v.name, NOSPLIT, "func(p *uint8)")
	Doc(name + v.name + " " + does + " 4×4 pixels from the products at the points.")
	args := Load(Param("p"), GP64())
	work, at, pixel, bias := newWorkspace(v, args), GP64(), GP64(), GP64()
	XORQ(at, at)
	MOVQ(field(args, planarBias), bias)
	src := newPlanes(args, planarSrcRow)
	MOVQ(field(args, planarSrc), src.first)
	c := v.hold(planarA, planarB, planarA2, planarB2, planarA2*planarA, planarB2*planarB)
	planarLoop("turn", field(args, planarTurns), func() {
		for j := range planarSide {
			src.restart()
			m := v.loadSix(func(i int) Mem {
				if i > 0 {
					src.next()
				}
				return src.row(j)
			})
			v.combineProducts(c, m, func(i int, y reg.VecVirtual) { VMOVUPS(y, work.at(planarSide*i+j)) })
		}
		for i := range 4 {
			m := v.loadSix(func(j int) Mem { return work.at(planarSide*i + j) })
			v.combineProducts(c, m, func(j int, y reg.VecVirtual) {
				VADDPS(Mem{Base: bias, Index: at, Scale: 1}, y, y)
				if add {
					MOVQ(field(args, planarAt+8*(16+4*i+j)), pixel)
					VADDPS(Mem{Base: pixel, Index: at, Scale: 1}, y, y)
				}
				least := v.vec()
				VBROADCASTSS(field(args, planarLeast), least)
				VMAXPS(y, least, y) // y where it is not a number
				MOVQ(field(args, planarAt+8*(4*i+j)), pixel)
				VMOVUPS(y, Mem{Base: pixel, Index: at, Scale: 1})
			})
		}
		ADDQ(I32(v.bytes()), at)
		ADDQ(I32(v.bytes()), src.first)
	})
	VZEROUPPER()
	RET()
}

// combineProducts sums six products times powers of their points.
func (v isa) combineProducts(c *constants, m [planarSide]reg.VecVirtual, use func(i int, y reg.VecVirtual)) {
	s1, d1, s2, d2 := v.vec(), v.vec(), v.vec(), v.vec()
	VADDPS(m[2], m[1], s1)
	VSUBPS(m[2], m[1], d1)
	VADDPS(m[4], m[3], s2)
	VSUBPS(m[4], m[3], d2)
	y := v.vec()
	VADDPS(s1, m[0], y)
	VADDPS(s2, y, y)
	use(0, y)
	weighted := func(i int, a, b float32, p, q reg.VecVirtual) {
		y := v.vec()
		VMULPS(c.get(b), q, y)
		VFMADD231PS(c.get(a), p, y)
		use(i, y)
	}
	weighted(1, planarA, planarB, d1, d2)
	weighted(2, planarA2, planarB2, s1, s2)
	y = v.vec()
	VMOVAPS(m[5], y)
	VFMADD231PS(c.get(planarA2*planarA), d1, y)
	VFMADD231PS(c.get(planarB2*planarB), d2, y)
	use(3, y)
}
