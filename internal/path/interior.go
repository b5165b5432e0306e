package path

import "math"

const (
	interiorIterations = 80
	// boundaryFraction is how much of the way to the boundary a step may go.
	boundaryFraction = 0.9
	// offCentre is the factor by which multiplier·gap of a link may differ from μ
	// before its multiplier is set anew. A link that turns along its limit would
	// lose its gap otherwise. Source: Wächter and Biegler, "On the implementation
	// of an interior-point filter line-search algorithm", 2006, equation (16).
	offCentre = 100
	// centring is the factor by which an iteration wants to reduce μ, after a good
	// step and after a short one.
	centring, cautiousCentring = 0.1, 0.5
	// Newton's method takes over when the mean of multiplier·gap, relative to
	// a·force, falls below firstCrossover, and again each time that it has fallen
	// by the factor nextCrossover since.
	firstCrossover, nextCrossover = 1e-3, 1e-3
	// weakest bounds the compliance of a link, like [softest].
	weakest = 1e8
	// stiffenings bounds the search for a start; 2 or 3 are usual.
	stiffenings = 50
)

// interior solves the problem with a primal-dual interior-point method,
//
//	F_h = λ_h d_h,  λ_h·gap_h = μ → 0,  gap_h = ½(a² − ‖d_h‖²) > 0,
//
// and hands over to Newton's method once the tight links have come out. Its
// number of iterations hardly depends on the path, also where forces have to
// spread along many links, which Newton's method would find one by one.
//
// Source: Boyd and Vandenberghe, Convex Optimization, section 11.7.
func (m *Linkage) interior(tol float64) (iterations int, residual float64) {
	if !m.enter() {
		return 0, m.predict()
	}
	next, sigma := firstCrossover, centring
	for iterations = 1; iterations <= interiorIterations; iterations++ {
		mu := sigma * m.complementarity()
		m.centre(mu)
		m.solve()
		if m.advance(mu) < 0.9 {
			sigma = cautiousCentring
			continue
		}
		sigma = centring
		if m.complementarity() > next*m.work() {
			continue
		}
		next *= nextCrossover
		n, r := m.newton(tol)
		iterations, residual = iterations+n, r
		if m.solved(residual, tol) {
			return iterations, residual
		}
		m.restore()
	}
	return iterations, m.predict()
}

// interiorLink is the state of a link in the interior-point method.
type interiorLink struct {
	d, step            vec     // difference inside the limit, and its Newton step
	multiplier, change float64 // λ and its Newton step
}

// enter puts the mechanism strictly inside its limits and close to the central
// path: links that are springs of compliance c around the path at rest, so stiff
// that none stretches more than halfway to its limit. It reports whether there is
// such an inside in float64.
func (m *Linkage) enter() bool {
	rest := m.rest()
	room := m.limit - rest.norm()
	c, force := m.limit/m.largestDifference(), math.Inf(1)
	for range stiffenings {
		m.restingSprings(rest, c)
		force = 0
		for h := 1; h <= m.n; h++ {
			force = max(force, m.links[h].f.norm())
		}
		if c*force <= 0.5*room {
			break
		}
		c = 0.25 * room / force
	}
	if !(c > 0 && c*force <= 0.5*room) || math.IsInf(1/c, 0) {
		return false
	}
	if cap(m.inside) < m.n+1 {
		m.inside = make([]interiorLink, m.n+1)
	}
	m.inside = m.inside[:m.n+1]
	for h := 1; h <= m.n; h++ {
		m.inside[h] = interiorLink{d: m.links[h].d, multiplier: 1 / c}
	}
	return true
}

func (m *Linkage) largestDifference() (d float64) {
	for h := 1; h <= m.n; h++ {
		d = max(d, m.links[h].r.norm())
	}
	return d
}

// restingSprings solves the mechanism whose links are springs of compliance c
// around one common difference.
func (m *Linkage) restingSprings(rest vec, c float64) {
	length, u := rest.norm(), rest.direction()
	for h := 1; h <= m.n; h++ {
		e := &m.links[h]
		e.u, e.rest, e.along, e.across, e.slack = u, length, c, c, false
	}
	m.solve()
}

// rest is the difference of the links of the path that is most at rest: all
// nodes where the first one is, or evenly spaced between two held ones.
func (m *Linkage) rest() vec {
	if m.pinned {
		return m.links[m.n].p.sub(m.links[0].p).times(1 / float64(m.n))
	}
	return vec{}
}

// gap is ½(a² − ‖d‖²).
func (e *interiorLink) gap(a float64) float64 {
	r := e.d.norm()
	return 0.5 * (a - r) * (a + r)
}

// complementarity is the mean of multiplier·gap.
func (m *Linkage) complementarity() (mu float64) {
	for h := 1; h <= m.n; h++ {
		e := &m.inside[h]
		mu += e.multiplier * e.gap(m.limit)
	}
	return mu / float64(m.n)
}

// work is the mean of force·limit, the scale of the complementarity.
func (m *Linkage) work() (w float64) {
	for h := 1; h <= m.n; h++ {
		w += m.inside[h].multiplier
	}
	return w * m.limit * m.limit / float64(m.n)
}

// centre gives the links the linearisation of F = λ d, λ·gap = mu, with λ
// eliminated.
func (m *Linkage) centre(mu float64) {
	for h := 1; h <= m.n; h++ {
		e, i := &m.links[h], &m.inside[h]
		r, g := i.d.norm(), i.gap(m.limit)
		e.slack, e.u = false, i.d.direction()
		e.across = min(1/i.multiplier, weakest)
		e.along = e.across * g / (g + r*r)
		e.rest = r * (1 - e.across*mu/(g+r*r))
	}
}

// advance goes along the Newton step for λ·gap = mu as far as multipliers and gaps
// stay positive and returns how far that is.
func (m *Linkage) advance(mu float64) (alpha float64) {
	alpha = 1
	for h := 1; h <= m.n; h++ {
		i := &m.inside[h]
		g := i.gap(m.limit)
		i.step = m.links[h].d.sub(i.d)
		b, q := i.d.dot(i.step), i.step.dot(i.step)
		i.change = (mu + i.multiplier*(b-g)) / g
		if i.change < 0 {
			alpha = min(alpha, -boundaryFraction*i.multiplier/i.change)
		}
		if b+0.5*q > boundaryFraction*g {
			alpha = min(alpha, (math.Sqrt(b*b+2*q*boundaryFraction*g)-b)/q)
		}
	}
	for h := 1; h <= m.n; h++ {
		i := &m.inside[h]
		i.multiplier += alpha * i.change
		i.d = i.d.add(i.step.times(alpha))
		if g := i.gap(m.limit); mu > 0 && g > 0 {
			i.multiplier = min(max(i.multiplier, mu/(offCentre*g)), offCentre*mu/g)
		}
	}
	m.restore()
	return alpha
}

// restore sets differences and forces to those of the interior point.
func (m *Linkage) restore() {
	for h := 1; h <= m.n; h++ {
		e, i := &m.links[h], &m.inside[h]
		e.d, e.f = i.d, i.d.times(i.multiplier)
	}
}
