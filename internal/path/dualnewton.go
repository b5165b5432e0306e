package path

import "math"

const (
	// predictStep is the length of the proximal step that decides which links are
	// tight. The dual is smooth with constant 4 (16 for second differences), so
	// that a step of 1/4 would descend by itself; inside Newton's method longer
	// ones find the tight links sooner. From 1 to 4 the iterations on noisy paths
	// differ by less than one.
	predictStep = 2.0
	// predictStep2 is the same for second differences: 7 iterations on noisy paths,
	// 10 with 2 and 12 with 16.
	predictStep2 = 8.0
	// softest bounds the compliance across a tight link that carries hardly any
	// force. Next to its rigidity along itself, more would cost all digits, and the
	// solution, where forces point along their links, does not depend on it.
	softest = 1e6
	// newtonIterations is enough for what Newton's method is good at: 5 or 6
	// iterations are usual.
	newtonIterations = 10
	// tolerance is that of the residual, relative to the limit. The residual falls
	// from 1e-3 to below 1e-12 in two iterations, and float32 ends at 6e-8.
	tolerance = 1e-8
	// pinnedTolerance is that of paths with a goal, whose forces grow without bound
	// as the goal gets out of reach.
	pinnedTolerance = 1e-10
	// exactTolerance is the same for results that stay in float64.
	exactTolerance = 1e-12
	// heldCompliance keeps the mechanism solvable when all links between two held
	// nodes are predicted tight. It is a proximal term: at the solution it has no
	// effect.
	heldCompliance = 1e-8
)

// predict takes a proximal gradient step of the dual and gives every link the
// law that it suggests. It returns the natural residual
// max_h ‖d_h − P_a(d_h + F_h/c)‖, where P_a is the projection onto the ball of
// radius a: 0 at the solution only.
func (m *Linkage) predict() (residual float64) {
	a, c, prox, worst := m.limit, m.predictStep(), m.proximal(), 0.0
	links := m.links[1 : m.n+1]
	for i := range links {
		worst = max(worst, links[i].predict(a, c, prox))
	}
	if math.IsNaN(worst) {
		return math.Inf(1)
	}
	return math.Sqrt(worst)
}

func (m *Linkage) predictStep() float64 {
	if m.order == 2 {
		return predictStep2
	}
	return predictStep
}

func (m *Linkage) proximal() float64 {
	if m.pinned {
		return heldCompliance
	}
	return 0
}

// predict makes the link slack or tight, with the linearisation of d = a F/‖F‖
// for its law, and returns the square of its residual.
func (e *link) predict(a, c, prox float64) float64 {
	inv := 1 / c
	w := e.d.add(e.f.times(inv))
	length := w.norm()
	if e.slack = length <= a; e.slack {
		return inv * inv * e.f.dot(e.f)
	}
	force := c * (length - a)
	e.u = w.times(1 / length)
	e.across, e.along, e.rest = min(a/force, softest), prox, a-prox*force
	r := e.d.sub(e.u.times(a))
	return r.dot(r)
}

// newton runs a semismooth Newton method on the dual from the forces and
// differences that m holds. Near the solution it converges quadratically; far
// from it nothing is promised.
func (m *Linkage) newton(tol float64) (iterations int, residual float64) {
	if m.planar() {
		residual = m.predictChain()
	} else {
		residual = m.predict()
	}
	for iterations = 0; residual > tol && iterations < newtonIterations; iterations++ {
		residual = m.step()
	}
	return iterations, residual
}

// minimise solves the problem: Newton's method from a good guess, and where that
// fails an interior-point method, followed by Newton's again. It returns the
// number of linear solves and the residual reached. With warm, the first guess is
// the forces that the links hold.
func (m *Linkage) minimise(tol float64, warm bool) (iterations int, residual float64) {
	if warm {
		for h := 1; h <= m.n; h++ {
			m.links[h].d = m.equilibrium(h)
		}
		if iterations, residual = m.newton(tol); m.solved(residual, tol) {
			return iterations, residual
		}
	}
	m.start()
	n, residual := m.newton(tol)
	if iterations += n; m.solved(residual, tol) {
		return iterations, residual
	}
	n, residual = m.interior(tol)
	return iterations + n, residual
}

// solved reports whether a residual is within the tolerance, or within what the
// rounding of the forces between two held nodes leaves: they grow with the distance
// of the path from its set and with its length.
func (m *Linkage) solved(residual, tol float64) bool {
	if residual <= tol || !m.pinned {
		return residual <= tol
	}
	largest := 0.0
	for h := 1; h <= m.n; h++ {
		largest = max(largest, m.links[h].f.norm())
	}
	return residual <= tol+1e-15*largest
}

// project solves the problem for a limit and moves the nodes to the solution.
// scale is the largest coordinate, whose rounding bounds what can be reached.
func (m *Linkage) project(limit, scale float64, warm bool) Outcome {
	m.limit = limit
	tol := tolerance*limit + 1e-15*scale
	if m.pinned {
		tol = pinnedTolerance*limit + 1e-15*scale
	}
	n, residual := m.minimise(tol, warm)
	return m.finish(n, residual, tol)
}

// finish moves the nodes to the solution, reached after so many iterations.
func (m *Linkage) finish(iterations int, residual, tol float64) Outcome {
	converged := m.solved(residual, tol)
	m.place()
	return Outcome{Converged: converged, Iterations: iterations, Residual: residual}
}

// place moves the nodes to where the solution puts them: a tight link from its
// difference, and behind a slack one anew from where the node wants to be, so that
// rounding does not add up along the path.
func (m *Linkage) place() {
	step := m.velocity
	for h := 1; h <= m.n; h++ {
		e, before := &m.links[h], m.links[h-1].p
		if m.order == 2 {
			step = step.add(e.d)
			e.p = before.add(step)
			continue
		}
		if e.f != (vec{}) {
			e.p = before.add(e.d)
		} else if h < m.n {
			e.p = e.p.add(m.links[h+1].f)
		}
	}
}

// rewind undoes what place did.
func (m *Linkage) rewind() {
	step := m.velocity
	for h := 1; h <= m.n; h++ {
		if step = step.add(m.links[h].r); m.order == 1 {
			step = m.links[h].r
		}
		m.links[h].p = m.links[h-1].p.add(step)
	}
}

// scale is the largest coordinate of a node.
func (m *Linkage) scale() (s float64) {
	for h := range m.links {
		s = max(s, m.links[h].p.magnitude())
	}
	return s
}
