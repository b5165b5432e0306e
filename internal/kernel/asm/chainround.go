package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chainRound writes the last step: it moves the nodes to the solution and rounds
// them to float32, one after the other, so that every step keeps the limit. A
// chain with a step that needs more than a rounding towards the node before it is
// reported.
func chainRound() {
	k := newChain("chainRound", "moves the nodes to the solution and rounds them.")
	failed := YMM()
	VXORPD(failed, failed, failed)
	first, last := k.links()
	Label("round")
	at := linkAt{first, nil}
	target := at.placed()
	at.store(target, linkP)
	before := xy{XMM(), XMM()}
	VMOVUPS(at.of(linkRounded, -1), before.x)
	VMOVUPS(at.of(linkRounded+16, -1), before.y)
	rounded := xy{narrow(target.x), narrow(target.y)}
	bad := k.tooLong(rounded, before)
	count := GP32()
	VMOVMSKPD(bad, count)
	TESTL(count, count)
	JZ(LabelRef("fits"))
	shorter := k.shortened(target, before)
	pack := XMM() // the lanes of bad, as wide as float32
	high := XMM()
	VEXTRACTF128(U8(1), bad, high)
	VSHUFPS(U8(0x88), high, bad.(reg.VecVirtual).AsX(), pack)
	VBLENDVPS(pack, shorter.x, rounded.x, rounded.x)
	VBLENDVPS(pack, shorter.y, rounded.y, rounded.y)
	VORPD(k.tooLong(rounded, before), failed, failed)
	Label("fits")
	VMOVUPS(rounded.x, at.of(linkRounded, 0))
	VMOVUPS(rounded.y, at.of(linkRounded+16, 0))
	ADDQ(I32(linkSize), first)
	CMPQ(first, last)
	JLE(LabelRef("round"))
	VMOVUPD(failed, k.arg(chainsFailed))
	k.end()
}

// placed returns where the solution puts the node of a link: a link with a force
// from its difference, and a slack one from where the node wants to be, pulled by
// the next link.
func (l linkAt) placed() xy {
	zero, pullsX, pullsY := YMM(), YMM(), YMM()
	VXORPD(zero, zero, zero)
	VCMPPD(U8(notEqual), l.of(linkF, 0), zero, pullsX)
	VCMPPD(U8(notEqual), l.of(linkF+32, 0), zero, pullsY)
	VORPD(pullsX, pullsY, pullsX)
	var to [2]reg.Register
	for i := range to {
		free := sum(loaded(l.of(linkP+32*i, 0)), l.of(linkF+32*i, 1))
		tight := sum(loaded(l.of(linkP+32*i, -1)), l.of(linkD+32*i, 0))
		to[i] = choose(pullsX, free, tight)
	}
	return xy{to[0], to[1]}
}

// narrow rounds to float32 and widen undoes that.
func narrow(a reg.Register) reg.Register { r := XMM(); VCVTPD2PSY(a, r); return r }

func widen(a reg.Register) reg.Register { r := YMM(); VCVTPS2PD(a, r); return r }

// tooLong returns the lanes where a step leaves the limit, with the arithmetic of
// the certificate: products and sums rounded separately, in float64 and float32.
func (k chainKernel) tooLong(to, from xy) reg.Register {
	dx, dy := difference(widen(to.x), widen(from.x)), difference(widen(to.y), widen(from.y))
	bad := sum(times(dx, dx), times(dy, dy))
	VCMPPD(U8(notLessOrEqual), k.arg(chainsSquare), bad, bad)
	ex, ey, long := XMM(), XMM(), YMM()
	VSUBPS(from.x, to.x, ex)
	VSUBPS(from.y, to.y, ey)
	VMULPS(ex, ex, ex)
	VMULPS(ey, ey, ey)
	VADDPS(ey, ex, ex)
	VCMPPS(U8(notLessOrEqual), k.arg(chainsSquare32), ex, ex)
	VPMOVSXDQ(ex, long)
	VORPD(long, bad, bad)
	return bad
}

// shortened returns the rounding of the point at the limit towards the target, with
// the coordinate that rounding lengthened more turned towards the point before.
func (k chainKernel) shortened(target, before xy) xy {
	px, py := widen(before.x), widen(before.y)
	sx, sy := difference(target.x, px), difference(target.y, py)
	shrink := quotient(loaded(k.arg(chainsReach)), root(sum(times(sx, sx), times(sy, sy))))
	VMINPD(number(1), shrink, shrink)
	plusProduct(px, shrink, sx)
	plusProduct(py, shrink, sy)
	to := xy{narrow(px), narrow(py)}
	ex, ey := times(difference(widen(to.x), px), sx), times(difference(widen(to.y), py), sy)
	VCMPPD(U8(greater), ey, ex, ex)
	turnX, high := XMM(), XMM()
	VEXTRACTF128(U8(1), ex, high)
	VSHUFPS(U8(0x88), high, ex.(reg.VecVirtual).AsX(), turnX)
	return xy{choose32(turnX, to.x, towards(to.x, before.x)), choose32(turnX, towards(to.y, before.y), to.y)}
}

// choose32 is choose for float32.
func choose32(mask, a, b reg.Register) reg.Register {
	r := XMM()
	VBLENDVPS(mask, b, a, r)
	return r
}

// towards returns the float32 number next to f on the side of g. Zero gives what
// does not pass for a rounding of the step, or does no harm.
func towards(f, g reg.Register) reg.Register {
	above, positive, ones, same, zero := XMM(), XMM(), XMM(), XMM(), XMM()
	VXORPS(zero, zero, zero)
	VPCMPEQD(ones, ones, ones)
	VCMPPS(U8(greater), g, f, above)
	VCMPPS(U8(greater), zero, f, positive)
	VCMPPS(U8(equal), g, f, same)
	VXORPS(positive, above, above) // further from zero
	VXORPS(ones, above, above)
	step := XMM()
	VPSRLD(U8(31), ones, step)
	VPOR(step, above, above) // -1 towards zero, 1 away from it
	VPANDN(above, same, above)
	VPADDD(above, f, above)
	return above
}
