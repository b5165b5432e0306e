package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// compliance is a symmetric matrix.
type compliance struct{ e00, e01, e11 reg.Register }

// law is that of a link: d = limit·u + across·F_⊥, or slack where across is
// negative and u zero.
type law struct {
	u      xy
	across reg.Register
}

func (l linkAt) law() law { return law{l.load(linkU), loaded(l.of(linkAcross, 0))} }

// inverted replaces m, I + K or that of the middle, by (m + C)⁻¹ for the compliance
// C of a law, its element 01 negated, and zero where the link is slack. The
// determinant is det m + tr(adj(m) C), where nothing cancels.
func (w law) inverted(m compliance) {
	x, y := times(m.e11, w.u.y), times(m.e00, w.u.x)
	plusProduct(x, m.e01, w.u.x)
	plusProduct(y, m.e01, w.u.y)
	added := dotted(xy{w.u.y, w.u.x}, xy{x, y})
	det := times(m.e00, m.e11)
	minusProduct(det, m.e01, m.e01)
	plusProduct(det, added, w.across)
	one, zero := loaded(number(1)), YMM()
	VXORPD(zero, zero, zero)
	s := choose(w.across, quotient(one, det), zero)
	tx, ty := times(w.u.x, w.across), times(w.u.y, w.across)
	b00 := loaded(m.e00)
	plusProduct(b00, ty, w.u.y)
	minusProduct(m.e01, ty, w.u.x)
	plusProduct(m.e11, tx, w.u.x)
	VMULPD(s, m.e11, m.e00)
	VMULPD(s, m.e01, m.e01)
	VMULPD(s, b00, m.e11)
}

// product returns the product of a matrix, 01 negated, with a vector.
func (m compliance) product(e xy) xy {
	v := xy{times(m.e00, e.x), times(m.e11, e.y)}
	minusProduct(v.x, m.e01, e.y)
	minusProduct(v.y, m.e01, e.x)
	return v
}

// shorten takes the length that the link has by itself away from a difference.
func (w law) shorten(k chainKernel, d xy) {
	minusProduct(d.x, w.u.x, k.arg(chainsLimit))
	minusProduct(d.y, w.u.y, k.arg(chainsLimit))
}

// add adds b to a.
func (a xy) add(b xy) {
	VADDPD(b.x, a.x, a.x)
	VADDPD(b.y, a.y, a.y)
}

// chainStep writes the Newton step: it eliminates the chains from both ends, sets
// forces and differences from the middle outwards, and predicts the next laws.
func chainStep() {
	k := newChain("chainStep", "solves the linear chains and predicts the next laws.")
	front, back := identity(0), identity(1)
	middle := k.towardsMiddle(func(at linkAt, side int) {
		m, w := []compliance{front, back}[side], at.law()
		VADDPD(number(1), m.e00, m.e00)
		VADDPD(number(1), m.e11, m.e11)
		w.inverted(m)
		e := at.pulled()
		w.shorten(k, e)
		at.store(m.product(e), linkV)
		at.storeMatrix(m)
		one := loaded(number(1))
		VSUBPD(m.e00, one, m.e00)
		VSUBPD(m.e11, one, m.e11)
	})
	VADDPD(back.e00, front.e00, front.e00)
	VADDPD(back.e01, front.e01, front.e01)
	VADDPD(back.e11, front.e11, front.e11)
	w := middle.law()
	w.inverted(front)
	slack := middle.pulled()
	slack.add(xy{loaded(middle.of(linkV, -1)), loaded(middle.of(linkV+32, -1))})
	e := xy{loaded(slack.x), loaded(slack.y)}
	w.shorten(k, e)
	f := front.product(e)
	middle.store(f, linkV)
	r := newResiduals()
	k.finish(middle, f, w.stretched(k, f, slack), r)
	k.fromMiddle(middle, func(at linkAt, f xy) {
		slack := at.pulled() // the node goes where the inner neighbour pulls it
		slack.add(f)
		next := at.loadMatrix().product(f)
		next.add(at.load(linkV))
		VMOVAPD(next.x, f.x)
		VMOVAPD(next.y, f.y)
		k.finish(at, f, at.law().stretched(k, f, slack), r)
	})
	k.report(r)
	k.end()
}

// identity returns a multiple of the identity.
func identity(of float64) compliance {
	zero := YMM()
	VXORPD(zero, zero, zero)
	return compliance{loaded(number(of)), zero, loaded(number(of))}
}

func (l linkAt) storeMatrix(m compliance) {
	VMOVUPD(m.e00, l.of(linkG, 0))
	VMOVUPD(m.e01, l.of(linkG+32, 0))
	VMOVUPD(m.e11, l.of(linkG+64, 0))
}

func (l linkAt) loadMatrix() compliance {
	return compliance{loaded(l.of(linkG, 0)), loaded(l.of(linkG+32, 0)), loaded(l.of(linkG+64, 0))}
}

// stretched returns the difference that goes with a force, or slack.
func (w law) stretched(k chainKernel, f, slack xy) xy {
	turn := times(w.u.y, f.x)
	minusProduct(turn, w.u.x, f.y)
	VMULPD(w.across, turn, turn)
	d := xy{times(w.u.x, k.arg(chainsLimit)), times(w.u.y, k.arg(chainsLimit))}
	plusProduct(d.x, turn, w.u.y)
	minusProduct(d.y, turn, w.u.x)
	return xy{choose(w.across, d.x, slack.x), choose(w.across, d.y, slack.y)}
}

// residuals are the largest squared residual of each chain and the sum, which sees
// what is not a number.
type residuals struct{ worst, sum reg.Register }

func newResiduals() residuals {
	r := residuals{YMM(), YMM()}
	VXORPD(r.worst, r.worst, r.worst)
	VXORPD(r.sum, r.sum, r.sum)
	return r
}

func (k chainKernel) report(r residuals) {
	VMOVUPD(r.worst, k.arg(chainsWorst))
	VMOVUPD(r.sum, k.arg(chainsSum))
}

// finish keeps force and difference of a link, in the chains that are not done,
// takes a proximal step and stores the law that it suggests.
func (k chainKernel) finish(at linkAt, f, d xy, r residuals) {
	done := loaded(k.arg(chainsDone))
	for i, v := range []reg.Register{f.x, f.y, d.x, d.y} {
		VMOVUPD(choose(done, v, at.of(linkF+32*i, 0)), at.of(linkF+32*i, 0))
	}
	inverse := loaded(k.arg(chainsInverse))
	w := xy{loaded(d.x), loaded(d.y)}
	plusProduct(w.x, inverse, f.x)
	plusProduct(w.y, inverse, f.y)
	length, limit, slack := root(dotted(w, w)), loaded(k.arg(chainsLimit)), YMM()
	VCMPPD(U8(lessOrEqual), limit, length, slack)
	over := difference(length, limit)
	s := quotient(loaded(number(1)), times(length, over))
	VMULPD(s, over, over)
	u := xy{times(w.x, over), times(w.y, over)} // w/‖w‖
	VANDNPD(u.x, slack, u.x)
	VANDNPD(u.y, slack, u.y)
	VMULPD(s, length, s)
	VMULPD(inverse, s, s)
	VMULPD(limit, s, s)
	VMINPD(k.arg(chainsSoftest), s, s)
	VMOVUPD(choose(slack, s, number(-1)), at.of(linkAcross, 0))
	at.store(u, linkU)

	minusProduct(d.x, u.x, limit)
	minusProduct(d.y, u.y, limit)
	loose := times(times(dotted(f, f), inverse), inverse)
	residual := choose(slack, dotted(d, d), loose)
	VADDPD(residual, r.sum, r.sum)
	VMAXPD(residual, r.worst, r.worst)
}
