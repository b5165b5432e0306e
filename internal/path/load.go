package path

// Limit is what a path is projected onto: a limit of its differences, and where it
// is held.
type Limit struct {
	Order    int // 1: first differences, 2: second differences
	Dims     int // 1 to [MaxDims] coordinates
	Limit    float64
	Start    []float32 // the point before the first waypoint
	Goal     []float32 // pins the last waypoint, unless nil; first differences only
	Velocity []float32 // of second differences: the step that led to the start; nil is at rest
}

// Outcome says how a solution was reached.
type Outcome struct {
	Converged  bool
	Iterations int     // linear solves
	Residual   float64 // in the units of the path
}

// Load makes m the mechanism of one path: x holds a waypoint every stride numbers.
func Load[F Float](m *Linkage, p Limit, x []F, stride int) {
	m.order, m.dims, m.pinned, m.limit = p.Order, p.Dims, p.Goal != nil, p.Limit
	m.velocity = vecOf(p.Velocity)
	n := len(x) / stride
	m.reset(n)
	l := m.links
	l[0].p = vecOf(p.Start)
	for h := 1; h <= n; h++ {
		at := (h - 1) * stride
		q := vecOf(x[at : at+p.Dims])
		if h == n && m.pinned {
			q = vecOf(p.Goal)
		}
		l[h].p, l[h].r = q, q.sub(l[h-1].p)
	}
	if m.order == 2 {
		for h := n; h > 1; h-- {
			l[h].r = l[h].r.sub(l[h-1].r)
		}
		l[1].r = l[1].r.sub(m.velocity)
	}
}

// reset makes m a mechanism of n links. [Load] then sets p of links 0..n and r of
// links 1..n.
func (m *Linkage) reset(n int) {
	if cap(m.links) < n+1 {
		m.links = make([]link, n+1)
	}
	m.links, m.n = m.links[:n+1], n
}

// Project moves the nodes to the solution. It starts from the forces in memory, if
// there are any, and leaves its own there: Dims numbers per link, or no memory.
func (m *Linkage) Project(memory []float64) Outcome {
	o := m.project(m.limit, m.scale(), m.recall(memory))
	m.remember(memory)
	return o
}

// ProjectExact is Project with the tolerance of results that stay in float64, which
// it writes to x, a waypoint every stride numbers.
func (m *Linkage) ProjectExact(x []float64, stride int) {
	m.minimise(exactTolerance*m.limit+1e-15*m.scale(), false)
	m.place()
	for h := 1; h <= m.n; h++ {
		at := m.links[h].p.array()
		copy(x[(h-1)*stride:], at[:m.dims])
	}
}

// usable reports whether memory holds forces: numbers that are not all zero.
func usable(memory []float64) bool {
	any := false
	for _, f := range memory {
		if f-f != 0 {
			return false // not ours
		}
		any = any || f != 0
	}
	return any
}

// recall sets the forces to those in memory and reports whether there are any.
func (m *Linkage) recall(memory []float64) bool {
	if !usable(memory) {
		return false
	}
	for h := 1; h <= m.n; h++ {
		m.links[h].f = vecOf(memory[(h-1)*m.dims : h*m.dims])
	}
	return true
}

// remember writes the forces to memory.
func (m *Linkage) remember(memory []float64) {
	if len(memory) == 0 {
		return
	}
	for h := 1; h <= m.n; h++ {
		f := m.links[h].f.array()
		copy(memory[(h-1)*m.dims:h*m.dims], f[:m.dims])
	}
}
