package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels of float64 vectors, eight elements a turn. Like those of chains, they
// exist for AVX2 only.

// spanKernel is a kernel under construction.
type spanKernel struct{ args, index reg.Register }

// span writes a kernel that calls body for both halves of every turn and returns
// the sums of a turn's halves.
func span(name, doc string, sums int, prepare func(k spanKernel) (body func(half int, sums []reg.Register))) {
	TEXT(name+"AVX2", NOSPLIT, "func(s *uint8)")
	Doc(name + "AVX2 " + doc)
	k := spanKernel{Load(Param("s"), GP64()), GP64()}
	var totals [2][]reg.Register
	for half := range totals {
		for range sums {
			r := YMM()
			VXORPD(r, r, r)
			totals[half] = append(totals[half], r)
		}
	}
	XORQ(k.index, k.index)
	body := prepare(k)
	turns := GP64()
	MOVQ(field(k.args, spanTurns), turns)
	Label("turn")
	for half, t := range totals {
		body(half, t)
	}
	ADDQ(I8(8), k.index)
	DECQ(turns)
	JNZ(LabelRef("turn"))
	for i, r := range totals[0] {
		VADDPD(totals[1][i], r, r)
		VMOVUPD(r, field(k.args, spanSums+32*i))
	}
	VZEROUPPER()
	RET()
}

// pointer loads a pointer of the arguments.
func (k spanKernel) pointer(offset int) reg.Register {
	p := GP64()
	MOVQ(field(k.args, offset), p)
	return p
}

// at addresses half a turn of elements of size bytes.
func (k spanKernel) at(p reg.Register, half, size int) Mem {
	return Mem{Base: p, Index: k.index, Scale: uint8(size), Disp: 4 * size * half}
}

// single loads half a turn of float32 as float64.
func (k spanKernel) single(p reg.Register, half int) reg.Register {
	r := YMM()
	VCVTPS2PD(k.at(p, half, 4), r)
	return r
}

func spans() {
	span("center", "sets v to x less base and sums its squares.", 1, func(k spanKernel) func(int, []reg.Register) {
		x, v, base := k.pointer(spanX), k.pointer(spanV), k.pointer(spanBase)
		return func(half int, sums []reg.Register) {
			r := difference(k.single(x, half), k.at(base, half, 8))
			plusProduct(sums[0], r, r)
			VMOVUPD(r, k.at(v, half, 8))
		}
	})
	span("dot3", "sums the products of v with three vectors.", 3, func(k spanKernel) func(int, []reg.Register) {
		v := k.pointer(spanV)
		p := [3]reg.Register{k.pointer(spanP), k.pointer(spanP + 8), k.pointer(spanP + 16)}
		return func(half int, sums []reg.Register) {
			r := loaded(k.at(v, half, 8))
			for i := range p {
				plusProduct(sums[i], r, k.at(p[i], half, 8))
			}
		}
	})
	span("combine3", "sets v to base plus three weighted vectors.", 0, func(k spanKernel) func(int, []reg.Register) {
		v, base := k.pointer(spanV), k.pointer(spanBase)
		p := [3]reg.Register{k.pointer(spanP), k.pointer(spanP + 8), k.pointer(spanP + 16)}
		var w [3]reg.Register
		for i := range w {
			w[i] = YMM()
			VBROADCASTSD(field(k.args, spanW+8*i), w[i])
		}
		return func(half int, _ []reg.Register) {
			r := loaded(k.at(base, half, 8))
			for i := range p {
				plusProduct(r, w[i], k.at(p[i], half, 8))
			}
			VMOVUPD(r, k.at(v, half, 8))
		}
	})
	span("apart", "rounds v and sums the squared distances of x and of the rounding from it.", 2,
		func(k spanKernel) func(int, []reg.Register) {
			x, v, out := k.pointer(spanX), k.pointer(spanV), k.pointer(spanOut)
			return func(half int, sums []reg.Register) {
				p := loaded(k.at(v, half, 8))
				e := difference(k.single(x, half), p)
				plusProduct(sums[0], e, e)
				r := narrow(p)
				VMOVUPS(r, k.at(out, half, 4))
				missed := difference(widen(r), p)
				plusProduct(sums[1], missed, missed)
			}
		})
}
