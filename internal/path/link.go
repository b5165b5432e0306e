package path

import "math"

// Linkage is the problem of projecting a path onto a limit of its differences,
//
//	minimise ½ Σ ‖x_h − p_h‖²  subject to  ‖d_h‖ ≤ a,  d = E x,
//
// seen as a mechanism: nodes of mass one that want to stay at p_h, joined by
// links of length d_h that can carry a force F_h. The forces are the dual
// variables, x = p − Eᵀ F. At the solution a link shorter than a carries no
// force, and a link of length a pulls along itself: d_h = a F_h/‖F_h‖, F_h =
// λ_h d_h with the multiplier λ_h ≥ 0.
//
// Every method here repeats one step: give each link a linear law d(F), then
// solve the linear mechanism. The law is all that differs between them.
type Linkage struct {
	n      int
	dims   int // 1 to 3 coordinates; planar paths leave the third one zero
	order  int // 1: d_h = x_h − x_{h−1}; 2: d_h = x_h − 2x_{h−1} + x_{h−2}
	limit  float64
	pinned bool // the last node is held too; first differences only

	velocity vec            // second differences: the step that led to node 0
	links    []link         // links[h] ends at node h; links[0] holds node 0
	inside   []interiorLink // state of [Linkage.interior]
	band     band           // scratch of [Linkage.solveBand]
}

// link is a link and the node at its end. What the chain of chain.go works with
// comes first, to share cache lines.
type link struct {
	p vec // node of the path to be projected, later of the solution
	f vec // force of the link
	d vec // its difference

	// Scratch of the elimination, see chain.go.
	q, v          vec     // the law as d = q + C F
	c00, c01, c11 float64 // C
	det           float64 // its determinant
	g00, g01, g11 float64

	// The linear law of the link:
	// d = (rest + along·F_u) u + across·F_⊥, unless it is slack: F = 0.
	slack               bool
	u                   vec
	rest, along, across float64

	r vec // difference of the path to be projected
}

// solve sets the forces and differences of the linear mechanism.
func (m *Linkage) solve() {
	if m.planar() {
		m.flatten()
		m.eliminate()
		m.stretch()
		return
	}
	m.solveBand()
}

// planar reports whether the mechanism is the chain of chain.go.
func (m *Linkage) planar() bool { return m.order == 1 && m.dims <= 2 }

// step is solve followed by predict.
func (m *Linkage) step() (residual float64) {
	if m.planar() {
		m.eliminate()
		m.stretch()
		return m.predictChain()
	}
	m.solveBand()
	return m.predict()
}

// mobility returns 1 for free nodes and 0 for held ones.
func (m *Linkage) mobility(h int) float64 {
	if h <= 0 || h == m.n && m.pinned {
		return 0
	}
	return 1
}

// stiffness is the element (h, h−lag) of E Eᵀ over the free nodes.
func (m *Linkage) stiffness(h, lag int) float64 {
	a, b := m.mobility(h), m.mobility(h-1)
	if m.order == 1 {
		if lag == 0 {
			return a + b
		}
		return -b
	}
	c := m.mobility(h - 2)
	switch lag {
	case 0:
		return a + 4*b + c
	case 1:
		return -2*b - 2*c
	default:
		return c
	}
}

// springs gives every link the compliance of its rest, the same in all
// directions.
func (m *Linkage) springs(compliance float64) {
	for h := 1; h <= m.n; h++ {
		m.links[h].across = compliance
	}
	m.relax()
}

// relax solves the mechanism of springs: links that have the compliance across in
// all directions and no length of their own.
func (m *Linkage) relax() {
	if m.order == 1 {
		m.relaxChain()
		return
	}
	for h := 1; h <= m.n; h++ {
		e := &m.links[h]
		e.slack, e.rest, e.along, e.u = false, 0, e.across, vec{x: 1}
	}
	m.solveBand()
}

// startScale is the force of the first springs relative to the typical difference.
// On noisy paths 0.5 to 1 differ little; above that, links that should be slack
// start tight.
const startScale = 0.7

// start sets forces and differences from which Newton's method sets out: no
// force at all when few links are too long, because most will stay slack;
// otherwise two steps of reweighted least squares, which replaces a tight link by
// a spring of compliance a/‖F‖.
func (m *Linkage) start() {
	tight, squares := 0, 0.0
	for h := 1; h <= m.n; h++ {
		d := m.links[h].r.dot(m.links[h].r)
		squares += d
		if d > m.limit*m.limit {
			tight++
		}
	}
	if 4*tight <= m.n {
		for h := 1; h <= m.n; h++ {
			e := &m.links[h]
			e.f, e.d = vec{}, e.r
		}
		return
	}
	mean := startScale * math.Sqrt(squares/float64(m.n))
	m.springs(m.limit / mean)
	for h := 1; h <= m.n; h++ {
		e := &m.links[h]
		e.across = m.limit / max(e.f.norm(), 1e-3*mean)
	}
	m.relax()
}
