package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels of four chains side by side: every vector holds the same number of
// four chains, and no lane looks at another one. They exist for AVX2 only; CPUs
// with AVX-512 run them as well.

// xy is a vector of the plane in every lane.
type xy struct{ x, y reg.Register }

// number returns memory that holds a float64 in all four lanes.
func number(value float64) Mem {
	name := fmt.Sprintf("f64x%016x", math.Float64bits(value))
	m, ok := written[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 4 {
			DATA(8*i, U64(math.Float64bits(value)))
		}
		written[name] = m
	}
	return m
}

// The arithmetic below returns fresh registers; operands written m may be memory.

func loaded(m Op) reg.Register { r := YMM(); VMOVUPD(m, r); return r }

func sum(a reg.Register, m Op) reg.Register { r := YMM(); VADDPD(m, a, r); return r }

func difference(a reg.Register, m Op) reg.Register { r := YMM(); VSUBPD(m, a, r); return r }

func times(a reg.Register, m Op) reg.Register { r := YMM(); VMULPD(m, a, r); return r }

func quotient(a reg.Register, m Op) reg.Register { r := YMM(); VDIVPD(m, a, r); return r }

func root(a reg.Register) reg.Register { r := YMM(); VSQRTPD(a, r); return r }

// choose returns b in the lanes whose sign of mask is set, else a.
func choose(mask, a reg.Register, b Op) reg.Register {
	r := YMM()
	VBLENDVPD(mask, b, a, r)
	return r
}

// plusProduct adds a·m to r; minusProduct takes it away.
func plusProduct(r, a reg.Register, m Op) { VFMADD231PD(m, a, r) }

func minusProduct(r, a reg.Register, m Op) { VFNMADD231PD(m, a, r) }

// dotted returns a·b.
func dotted(a, b xy) reg.Register {
	r := times(a.x, b.x)
	plusProduct(r, a.y, b.y)
	return r
}

// chainKernel is a kernel under construction.
type chainKernel struct{ args reg.Register }

func newChain(name, doc string) chainKernel {
	TEXT(name+"AVX2", NOSPLIT, "func(c *uint8)")
	Doc(name + "AVX2 " + doc)
	return chainKernel{Load(Param("c"), GP64())}
}

func (k chainKernel) arg(offset int) Mem { return field(k.args, offset) }

// end returns from the kernel.
func (chainKernel) end() {
	VZEROUPPER()
	RET()
}

// links returns pointers to the links 1 and n.
func (k chainKernel) links() (first, last reg.Register) {
	first, last = GP64(), GP64()
	MOVQ(k.arg(chainsN), last)
	IMUL3Q(I32(linkSize), last, last)
	MOVQ(k.arg(chainsLinks), first)
	ADDQ(first, last)
	ADDQ(I32(linkSize), first)
	return first, last
}

// walk calls body for every link from first to last.
func (k chainKernel) walk(first, last reg.Register, body func(at linkAt)) {
	Label("walk")
	body(linkAt{first, nil})
	ADDQ(I32(linkSize), first)
	CMPQ(first, last)
	JLE(LabelRef("walk"))
}

// linkAt is a link in memory. Its outer neighbour, on the side of the nearer end
// of the chain, is step bytes away.
type linkAt struct{ p, step reg.Register }

// of returns a number of the link that is shift links further.
func (l linkAt) of(offset, shift int) Mem { return Mem{Base: l.p, Disp: offset + shift*linkSize} }

// outer returns a number of the outer neighbour.
func (l linkAt) outer(offset int) Mem {
	return Mem{Base: l.p, Index: l.step, Scale: 1, Disp: offset}
}

func (l linkAt) load(offset int) xy { return xy{loaded(l.of(offset, 0)), loaded(l.of(offset+32, 0))} }

func (l linkAt) store(v xy, offset int) {
	VMOVUPD(v.x, l.of(offset, 0))
	VMOVUPD(v.y, l.of(offset+32, 0))
}

// given returns the difference of the nodes as they were given.
func (l linkAt) given() xy {
	p := l.load(linkP)
	return xy{difference(p.x, l.of(linkP, -1)), difference(p.y, l.of(linkP+32, -1))}
}

// pulled returns the given difference and what pulls at the nodes from outside.
func (l linkAt) pulled() xy {
	r := l.given()
	return xy{sum(r.x, l.outer(linkV)), sum(r.y, l.outer(linkV+32))}
}

// towardsMiddle writes the loop over the links from both ends to the link in the
// middle, which it returns. Before it, state(1) and state(-1) start the recursions
// of the front and the back end; body does one step.
func (k chainKernel) towardsMiddle(body func(at linkAt, side int)) linkAt {
	front, back := k.links()
	outer, inner := GP64(), GP64()
	MOVQ(I32(-linkSize), outer)
	MOVQ(I32(linkSize), inner)
	Label("inward")
	CMPQ(front, back)
	JE(LabelRef("middle"))
	body(linkAt{back, inner}, 1)
	SUBQ(I32(linkSize), back)
	CMPQ(front, back)
	JE(LabelRef("middle"))
	body(linkAt{front, outer}, 0)
	ADDQ(I32(linkSize), front)
	JMP(LabelRef("inward"))
	Label("middle")
	return linkAt{front, inner}
}

// fromMiddle writes the loops over the links from both sides of the middle, whose
// force is where the others have their v, to the ends. body turns the force of the
// inner neighbour into that of the link.
func (k chainKernel) fromMiddle(middle linkAt, body func(at linkAt, f xy)) {
	step, at, end := GP64(), GP64(), GP64()
	for _, side := range []int{-1, 1} {
		label := map[int]string{-1: "front", 1: "back"}[side]
		first, last := k.links()
		MOVQ(I32(side*linkSize), step)
		MOVQ(middle.p, at)
		MOVQ(last, end)
		if side < 0 {
			MOVQ(first, end)
		}
		f := middle.load(linkV)
		Label(label)
		CMPQ(at, end)
		JE(LabelRef(label + "Done"))
		ADDQ(step, at)
		body(linkAt{at, step}, f)
		JMP(LabelRef(label))
		Label(label + "Done")
	}
}
