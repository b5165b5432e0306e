package path

import "math"

// The linear mechanism of a planar path with first differences is a chain of
// unit masses joined by springs. It is eliminated from both ends towards a link
// in the middle. With C_h the compliance of link h, K that of the chain behind it
// and y the position of its node if the link were cut,
//
//	T = I + C_h + K,  v = T⁻¹(y − q_h − p),  K' = I − T⁻¹,  y' = p + v
//
// belong to the node in front of it, p, and when the middle link is solved the
// forces follow outwards by F_h = v + T⁻¹F, where F is that of the link before. T is at least I, so that neither
// recursion can grow; a rigid link has C = 0 and a slack one C = ∞. A link that is
// rigid along itself may be soft across, so that the determinant of T is taken as
// det(I+K) + tr(adj(I+K) C) + det C, where nothing cancels.
//
// The two halves do not depend on each other, which hides half of the latency of
// the inverses.

// eliminate sets the forces of the chain. Its loop is written out for both ends,
// whose state has to stay in registers.
func (m *Linkage) eliminate() {
	l := m.links[:m.n+1]
	// The front end: K, here called l, and y; then the back end.
	l00, l01, l11, fx, fy := 0.0, 0.0, 0.0, l[0].p.x, l[0].p.y
	k00, k01, k11, bx, by := 1.0, 0.0, 1.0, l[m.n].p.x, l[m.n].p.y
	if m.pinned {
		k00, k11 = 0, 0
	}
	lo, hi := 1, m.n
	for lo < hi {
		e, px, py := &l[hi], l[hi-1].p.x, l[hi-1].p.y
		if hi--; e.slack {
			k00, k01, k11, bx, by = 1, 0, 1, px, py
		} else {
			m00, m11 := 1+k00, 1+k11
			s := 1 / ((m00*m11 - k01*k01) + (m11*e.c00 + (m00*e.c11 - 2*k01*e.c01) + e.det))
			b00, b01, b11 := m00+e.c00, k01+e.c01, m11+e.c11
			i00, i01, i11 := b11*s, b01*s, b00*s // T⁻¹ with its 01 negated
			ex, ey := (bx-e.q.x)-px, (by-e.q.y)-py
			vx, vy := i00*ex-i01*ey, i11*ey-i01*ex
			e.g00, e.g01, e.g11, e.v.x, e.v.y = i00, i01, i11, vx, vy
			k00, k01, k11, bx, by = 1-i00, i01, 1-i11, px+vx, py+vy
		}
		if lo == hi {
			break
		}
		e = &l[lo]
		px, py = e.p.x, e.p.y
		if lo++; e.slack {
			l00, l01, l11, fx, fy = 1, 0, 1, px, py
		} else {
			m00, m11 := 1+l00, 1+l11
			s := 1 / ((m00*m11 - l01*l01) + (m11*e.c00 + (m00*e.c11 - 2*l01*e.c01) + e.det))
			b00, b01, b11 := m00+e.c00, l01+e.c01, m11+e.c11
			i00, i01, i11 := b11*s, b01*s, b00*s
			ex, ey := (fx+e.q.x)-px, (fy+e.q.y)-py
			vx, vy := i00*ex-i01*ey, i11*ey-i01*ex
			e.g00, e.g01, e.g11, e.v.x, e.v.y = i00, i01, i11, -vx, -vy
			l00, l01, l11, fx, fy = 1-i00, i01, 1-i11, px+vx, py+vy
		}
	}
	e := &l[lo]
	if e.f = (vec{}); !e.slack {
		m00, m01, m11 := l00+k00, l01+k01, l11+k11
		s := 1 / ((m00*m11 - m01*m01) + (m11*e.c00 + (m00*e.c11 - 2*m01*e.c01) + e.det))
		a00, a01, a11 := m00+e.c00, m01+e.c01, m11+e.c11
		ex, ey := (bx-e.q.x)-fx, (by-e.q.y)-fy
		e.f.x, e.f.y = (a11*ex-a01*ey)*s, (a00*ey-a01*ex)*s
	}
	m.spread(lo)
}

// spread sets the forces on both sides of the middle link, whose force is known.
func (m *Linkage) spread(middle int) {
	l := m.links[:m.n+1]
	fx, fy := l[middle].f.x, l[middle].f.y
	for h := middle - 1; h >= 1; h-- {
		fx, fy = l[h].pass(fx, fy)
	}
	fx, fy = l[middle].f.x, l[middle].f.y
	for h := middle + 1; h < len(l); h++ {
		fx, fy = l[h].pass(fx, fy)
	}
}

// pass sets and returns the force of a link, given that of the link nearer to the
// middle.
func (e *link) pass(fx, fy float64) (float64, float64) {
	if e.slack {
		e.f.x, e.f.y = 0, 0
		return 0, 0
	}
	fx, fy = e.v.x+(e.g00*fx-e.g01*fy), e.v.y+(e.g11*fy-e.g01*fx)
	e.f.x, e.f.y = fx, fy
	return fx, fy
}

// stretch sets the differences that belong to the forces. A link takes its
// difference from its own law and not from the positions of its nodes, so that it
// keeps its digits when the path is far away.
func (m *Linkage) stretch() {
	l := m.links[:m.n+1]
	for h := 1; h < len(l); h++ {
		e := &l[h]
		if e.slack {
			e.d = m.equilibrium(h)
			continue
		}
		e.d.x = e.q.x + (e.c00*e.f.x + e.c01*e.f.y)
		e.d.y = e.q.y + (e.c01*e.f.x + e.c11*e.f.y)
	}
}

// predictChain is [Linkage.predict] with the laws in the form of the chain and one
// division per link instead of three.
func (m *Linkage) predictChain() (residual float64) {
	const inv = 1 / predictStep
	l, a, prox, worst, sum := m.links[:m.n+1], m.limit, m.proximal(), 0.0, 0.0
	for h := 1; h < len(l); h++ {
		e := &l[h]
		fx, fy, dx, dy := e.f.x, e.f.y, e.d.x, e.d.y
		wx, wy := dx+inv*fx, dy+inv*fy
		length := math.Sqrt(wx*wx + wy*wy)
		if e.slack = length <= a; e.slack {
			r := inv * inv * (fx*fx + fy*fy)
			if sum += r; r > worst {
				worst = r
			}
			continue
		}
		over := length - a
		s := 1 / (length * over)
		ux, uy := wx*(s*over), wy*(s*over)
		across, rest := a*inv*(s*length), a-prox*predictStep*over
		if across > softest {
			across = softest
		}
		e.c00, e.c01, e.c11 = across*uy*uy+prox*ux*ux, (prox-across)*ux*uy, across*ux*ux+prox*uy*uy
		e.det = prox * across
		e.q.x, e.q.y = rest*ux, rest*uy
		rx, ry := dx-a*ux, dy-a*uy
		r := rx*rx + ry*ry
		if sum += r; r > worst {
			worst = r
		}
	}
	if math.IsNaN(sum) { // the comparisons do not see it
		return math.Inf(1)
	}
	return math.Sqrt(worst)
}

// flatten brings the laws of all links into the form of the chain, d = q + C F.
func (m *Linkage) flatten() {
	for h := 1; h <= m.n; h++ {
		e := &m.links[h]
		e.q, e.det = e.u.times(e.rest), e.along*e.across
		e.c00 = e.across*e.u.y*e.u.y + e.along*e.u.x*e.u.x
		e.c01 = (e.along - e.across) * e.u.x * e.u.y
		e.c11 = e.across*e.u.x*e.u.x + e.along*e.u.y*e.u.y
	}
}

// relaxChain is [Linkage.relax] for first differences: the same elimination for a
// chain of springs, whose K and T are numbers.
func (m *Linkage) relaxChain() {
	l := m.links[:m.n+1]
	front, y, back, z := 0.0, l[0].p, 1.0, l[m.n].p
	if m.pinned {
		back = 0
	}
	lo, hi := 1, m.n
	for lo < hi {
		e, p := &l[hi], l[hi-1].p
		hi--
		s := 1 / ((1 + e.across) + back)
		v := z.sub(p).times(s)
		e.g00, e.v, back, z = s, v, 1-s, p.add(v)
		if lo == hi {
			break
		}
		e = &l[lo]
		p = e.p
		lo++
		s = 1 / ((1 + e.across) + front)
		v = p.sub(y).times(s)
		e.g00, e.v, front, y = s, v, 1-s, p.sub(v)
	}
	e := &l[lo]
	middle := z.sub(y).times(1 / (front + e.across + back))
	e.f, e.d = middle, middle.times(e.across)
	f := middle
	for h := lo - 1; h >= 1; h-- {
		f = l[h].relay(f)
	}
	f = middle
	for h := lo + 1; h < len(l); h++ {
		f = l[h].relay(f)
	}
}

// relay is pass for springs; it also sets the difference.
func (e *link) relay(f vec) vec {
	f = e.v.add(f.times(e.g00))
	e.f, e.d = f, f.times(e.across)
	return f
}
