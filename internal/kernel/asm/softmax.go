package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// softmax writes a step of softmax for the rows of a block of scores, sixteen columns a
// turn; package kernel says what it computes.
func softmax(v isa) {
	TEXT("softmax"+v.name, NOSPLIT, "func(s *uint8)")
	Doc("softmax" + v.name + " turns rows of scores into weights and keeps their maxima and sums.")
	k := newSoftmax(v)
	Label("row")
	k.maximum()
	k.exponentials()
	k.finish()
	ADDQ(field(k.args, softmaxStride), k.row)
	ADDQ(I8(4), k.query)
	DECQ(k.rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}

// softmaxKernel is the kernel under construction.
type softmaxKernel struct {
	v                      isa
	c                      *constants
	args, row, query, rows reg.GPVirtual
	p, turns               reg.GPVirtual
	scale, most            reg.VecVirtual
	sums                   []reg.VecVirtual
}

func newSoftmax(v isa) *softmaxKernel {
	k := &softmaxKernel{v: v, args: GP64(), row: GP64(), query: GP64(), rows: GP64(), p: GP64(), turns: GP64()}
	Load(Param("s"), k.args)
	MOVQ(field(k.args, softmaxScores), k.row)
	MOVQ(field(k.args, softmaxRows), k.rows)
	XORQ(k.query, k.query)
	k.scale, k.most = v.vec(), v.vec()
	VBROADCASTSS(field(k.args, softmaxScale), k.scale)
	k.c = v.gateConstants()
	for range v.halves() {
		k.sums = append(k.sums, v.vec())
	}
	return k
}

// number addresses a number per query.
func (k *softmaxKernel) number(offset int) Mem {
	MOVQ(field(k.args, offset), k.p)
	return Mem{Base: k.p, Index: k.query, Scale: 1}
}

// each writes the loop along a row.
func (k *softmaxKernel) each(name string, body func(half int, m Mem)) {
	MOVQ(k.row, k.p)
	MOVQ(field(k.args, softmaxTurns), k.turns)
	Label(name)
	for h := range k.v.halves() {
		body(h, Mem{Base: k.p, Disp: h * k.v.bytes()})
	}
	ADDQ(I8(64), k.p)
	DECQ(k.turns)
	JNZ(LabelRef(name))
}

// maximum sets most, in all lanes, to the largest scaled score so far.
func (k *softmaxKernel) maximum() {
	for h, s := range k.sums {
		VMOVUPS(Mem{Base: k.row, Disp: h * k.v.bytes()}, s)
	}
	k.each("maximum", func(h int, m Mem) { VMAXPS(m, k.sums[h], k.sums[h]) })
	largest := k.v.reduce(k.sums, func(x Op, y, dst reg.Register) { VMAXPS(x, y, dst) })
	VMULPS(k.scale, largest, largest)
	VBROADCASTSS(k.number(softmaxMost), k.most)
	VMAXPS(largest, k.most, k.most)
}

// exponentials replaces the scores and sums them up.
func (k *softmaxKernel) exponentials() {
	for _, s := range k.sums {
		k.v.zero(s)
	}
	k.each("exponentials", func(h int, m Mem) {
		x := k.v.loaded(m)
		VFMSUB213PS(k.most, k.scale, x)
		e := exp(k.v, k.c, k.v.atLeast(k.c, expMin, x))
		VADDPS(e, k.sums[h], k.sums[h])
		VMOVUPS(e, m)
	})
}

// finish updates the numbers of the query.
func (k *softmaxKernel) finish() {
	sum := k.v.reduce(k.sums, func(x Op, y, dst reg.Register) { VADDPS(x, y, dst) })
	x, total := k.v.vec(), k.v.vec()
	VBROADCASTSS(k.number(softmaxMost), x)
	VSUBPS(k.most, x, x)
	shrink := exp(k.v, k.c, k.v.atLeast(k.c, expMin, x))
	VBROADCASTSS(k.number(softmaxSum), total)
	VFMADD213PS(sum, shrink, total)
	VMOVSS(lowest(k.most), k.number(softmaxMost))
	VMOVSS(lowest(total), k.number(softmaxSum))
	VMOVSS(lowest(shrink), k.number(softmaxShrink))
}

// lowest names the first lanes of a vector.
func lowest(r reg.Register) reg.Register { return r.(reg.VecVirtual).AsX() }

// reduce joins the sixteen parts of a sum or maximum in pairs, and leaves it in all
// lanes.
func (v isa) reduce(parts []reg.VecVirtual, join func(x Op, y, dst reg.Register)) reg.VecVirtual {
	r, t := parts[0], v.vec()
	if v.lanes == 16 {
		VSHUFF32X4(U8(0x4E), r, r, t)
		join(t, r, r)
		VSHUFF32X4(U8(0xB1), r, r, t)
	} else {
		join(parts[1], r, r)
		VPERM2F128(U8(1), r, r, t)
	}
	join(t, r, r)
	for _, order := range []U8{0x4E, 0xB1} {
		VPERMILPS(order, r, t)
		join(t, r, r)
	}
	return r
}
