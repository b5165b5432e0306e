package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// solver moves a joint path x⁰ to the nearest one on the right side of all lines
// that keeps the limits of steps and their changes,
//
//	minimise ½ dᵀ(θ + DᵀD) d,  x = x⁰ + d,  d = 0 at both ends,
//
// with D the difference of neighbouring waypoints: shapes may move, speeds should
// stay. It is the alternating direction method of multipliers in consensus form:
// every line has copies of the waypoints that it speaks of, every limit one of the
// difference that it limits. The copies of a line differ from the waypoints along
// its normal only, so its multiplier is one number, and the copies that a waypoint
// has add to the diagonal of its robot's matrix alone: every robot solves one banded
// system per coordinate and iteration, factored once.
//
// Source: Boyd et al., "Distributed optimization and statistical learning via the
// alternating direction method of multipliers" (2011), sections 5 and 7.
type solver struct {
	w     *World
	start *paths // x⁰
	at    *paths // x
	lines []line
	motes []motion // per robot

	system []band    // per robot and coordinate, over the free waypoints
	weight []float64 // per robot and waypoint: number of lines there
	cross  []float64 // the same of a waypoint and the next; nil where no line lies between two
	right  []float64 // right-hand side of one robot's two systems, all robots
}

// Weights of the augmented Lagrangian, in the units of the objective.
const (
	theta      = 0.02 // of displacements beside their differences
	lineWeight = 1.0
	stepWeight = 1.0
	// changeWeight is that of second differences, which are some hundred times smaller
	// than the displacements that make them: with less the iteration stalls.
	changeWeight = 30.0
)

// motion holds the limits of one robot and their multipliers.
type motion struct {
	step, change         float64    // limits; +Inf is none
	unit                 [2]float64 // of either
	stepForce, changeFor [2][]float64
	before, after        geom.Vec2
}

func newSolver(w *World, start *paths) *solver {
	n := start.waypoints
	s := &solver{
		w: w, start: start, at: start.clone(), motes: make([]motion, len(w.Robots)),
		system: make([]band, 2*len(w.Robots)), weight: make([]float64, len(w.Robots)*n),
		right: make([]float64, 2*len(w.Robots)*n),
	}
	for i, r := range w.Robots {
		s.motes[i] = newMotion(r, n)
	}
	return s
}

// tight is how far below a limit the solver stays, so that what it leaves unsolved
// does not exceed it.
const tight = 1 - 1e-3

func newMotion(r Robot, waypoints int) motion {
	m := motion{step: math.Inf(1), change: math.Inf(1), unit: [2]float64{r.unit(0), r.unit(1)}, before: r.Before, after: r.After}
	if r.Step > 0 {
		m.step = r.Step * tight
	}
	if r.Change > 0 {
		m.change = r.Change * tight
	}
	for c := range 2 {
		m.stepForce[c] = make([]float64, waypoints)
		m.changeFor[c] = make([]float64, waypoints)
	}
	return m
}

// factor sets up the systems for the present lines.
func (s *solver) factor() {
	n := s.start.waypoints
	clear(s.weight)
	s.cross = nil
	for _, l := range s.lines {
		if l.share > 0 {
			s.weighBetween(l)
			continue
		}
		s.weight[l.i*n+l.h]++
		if l.j >= 0 {
			s.weight[l.j*n+l.h]++
		}
	}
	for i := range s.motes {
		var cross []float64
		if s.cross != nil {
			cross = s.cross[i*n : (i+1)*n]
		}
		for c := range 2 {
			s.system[2*i+c] = s.motes[i].matrix(c, s.weight[i*n:(i+1)*n], cross)
		}
	}
}

// weighBetween enters a line that lies between two waypoints: with the coefficients k of
// its point it adds k·kᵀ.
func (s *solver) weighBetween(l line) {
	if s.cross == nil {
		s.cross = make([]float64, len(s.weight))
	}
	at := l.i*s.start.waypoints + l.h
	s.weight[at] += (1 - l.share) * (1 - l.share)
	s.weight[at+1] += l.share * l.share
	s.cross[at] += l.share * (1 - l.share)
}

// matrix returns the factored system of one coordinate. Weights of limits are
// relative to the unit of x, so that both coordinates of a difference move together.
func (m *motion) matrix(c int, lines, cross []float64) band {
	free := len(lines) - 2
	diagonal, first, second := make([]float64, free), make([]float64, free), make([]float64, free)
	scale := m.unit[0] * m.unit[0] / (m.unit[c] * m.unit[c])
	step := 1.0
	if !math.IsInf(m.step, 1) {
		step += stepWeight * scale
	}
	for k := range free {
		diagonal[k] = theta + 2*step + lineWeight*lines[k+1]
		if k > 0 {
			first[k] = -step
		}
		if k > 0 && cross != nil {
			first[k] += lineWeight * cross[k]
		}
	}
	if !math.IsInf(m.change, 1) {
		addChanges(diagonal, first, second, changeWeight*scale)
	}
	return newBand(diagonal, first, second)
}

// addChanges adds weight·FᵀF, with F the second differences of a path at rest before
// and after.
func addChanges(diagonal, first, second []float64, weight float64) {
	free := len(diagonal)
	for k := range free {
		diagonal[k] += 6 * weight
		if k > 0 {
			first[k] -= 4 * weight
		}
		if k > 1 {
			second[k] += weight
		}
	}
}

// next implements [program].
func (s *solver) next(m manner) int {
	s.lines = s.w.linearise(s.at, s.lines, m)
	s.factor()
	s.run(iterations)
	return len(s.lines)
}

// iterate implements [program].
func (s *solver) iterate() *paths { return s.at }

// run runs a number of iterations.
func (s *solver) run(count int) {
	n := s.start.waypoints
	for range count {
		clear(s.right)
		s.pullLines()
		for i := range s.motes {
			right := s.right[2*i*n : 2*(i+1)*n]
			s.motes[i].pull(right, s.at, s.start, i)
			for c := range 2 {
				s.solve(i, c, right[c*n:(c+1)*n])
			}
		}
	}
}

// pullLines updates the force of every line and adds its pull to the right-hand
// sides. With scaled multiplier μ and violation v = bound − n·u, the projection of
// the copies onto the half-plane moves both by τ = max(0, v/2 + μ) along n, or the
// only one by max(0, v + μ); τ is the new multiplier.
func (s *solver) pullLines() {
	n := s.start.waypoints
	x := s.at.x
	for k := range s.lines {
		l := &s.lines[k]
		i := 2*l.i*n + l.h
		if l.share > 0 {
			s.pullBetween(l)
			continue
		}
		if l.j < 0 {
			force := max(0, l.bound-l.n.X*x[i]-l.n.Y*x[i+n]+l.force)
			pull := lineWeight * (2*force - l.force)
			s.right[i] += pull * l.n.X
			s.right[i+n] += pull * l.n.Y
			l.force = force
			continue
		}
		j := 2*l.j*n + l.h
		force := max(0, (l.bound-l.n.X*(x[i]-x[j])-l.n.Y*(x[i+n]-x[j+n]))/2+l.force)
		pull := lineWeight * (2*force - l.force)
		s.right[i] += pull * l.n.X
		s.right[i+n] += pull * l.n.Y
		s.right[j] -= pull * l.n.X
		s.right[j+n] -= pull * l.n.Y
		l.force = force
	}
}

// pullBetween is the same for a line that lies between two waypoints.
func (s *solver) pullBetween(l *line) {
	x, n := s.at.x, s.start.waypoints
	i := 2*l.i*n + l.h
	k := [2]float64{1 - l.share, l.share}
	force := max(0, l.bound-l.n.X*(k[0]*x[i]+k[1]*x[i+1])-l.n.Y*(k[0]*x[i+n]+k[1]*x[i+n+1])+l.force)
	pull := lineWeight * (2*force - l.force)
	for c, part := range k {
		s.right[i+c] += part * pull * l.n.X
		s.right[i+n+c] += part * pull * l.n.Y
	}
	l.force = force
}

// solve sets one coordinate of robot i from its right-hand side.
func (s *solver) solve(i, c int, right []float64) {
	x, x0 := s.at.row(i, c), s.start.row(i, c)
	n := len(x)
	weight := s.weight[i*n : (i+1)*n]
	for h := 1; h < n-1; h++ {
		right[h] += lineWeight * weight[h] * (x[h] - x0[h])
	}
	if s.cross != nil {
		cross := s.cross[i*n : (i+1)*n]
		for h := range n - 1 { // both ends stay: what reaches them is not looked at
			right[h] += lineWeight * cross[h] * (x[h+1] - x0[h+1])
			right[h+1] += lineWeight * cross[h] * (x[h] - x0[h])
		}
	}
	s.system[2*i+c].solve(right[1 : n-1])
	for h := 1; h < n-1; h++ {
		x[h] = x0[h] + right[h]
	}
}

// pull updates the multipliers of the limits of robot i and adds their pull.
func (m *motion) pull(right []float64, at, start *paths, i int) {
	if !math.IsInf(m.step, 1) {
		m.pullSteps(right, at, start, i)
	}
	if !math.IsInf(m.change, 1) {
		m.pullChanges(right, at, start, i)
	}
}

// clamp returns what projecting (x, y), in units of the robot, onto a disk leaves
// of it.
func clamp(x, y, limit float64) float64 {
	if d := x*x + y*y; d > limit*limit {
		return limit / math.Sqrt(d)
	}
	return 1
}

func (m *motion) pullSteps(right []float64, at, start *paths, i int) {
	n := at.waypoints
	x, y, x0, y0 := at.row(i, 0), at.row(i, 1), start.row(i, 0), start.row(i, 1)
	fx, fy := m.stepForce[0], m.stepForce[1]
	ux, uy := 1/m.unit[0], 1/m.unit[1]
	wx, wy := stepWeight*m.unit[0]*m.unit[0]*ux, stepWeight*m.unit[0]*m.unit[0]*uy
	for h := range n - 1 {
		vx, vy := (x[h+1]-x[h])*ux+fx[h], (y[h+1]-y[h])*uy+fy[h]
		keep := clamp(vx, vy, m.step)
		fx[h], fy[h] = vx*(1-keep), vy*(1-keep)
		px := wx * (vx*(2*keep-1) - (x0[h+1]-x0[h])*ux)
		py := wy * (vy*(2*keep-1) - (y0[h+1]-y0[h])*uy)
		right[h+1] += px
		right[h] -= px
		right[n+h+1] += py
		right[n+h] -= py
	}
}

func (m *motion) pullChanges(right []float64, at, start *paths, i int) {
	n := at.waypoints
	ux, uy := 1/m.unit[0], 1/m.unit[1]
	wx, wy := changeWeight*m.unit[0]*m.unit[0]*ux, changeWeight*m.unit[0]*m.unit[0]*uy
	fx, fy := m.changeFor[0], m.changeFor[1]
	for h := range n {
		d, d0 := m.changeAt(at, i, h), m.changeAt(start, i, h)
		vx, vy := d.X*ux+fx[h], d.Y*uy+fy[h]
		keep := clamp(vx, vy, m.change)
		fx[h], fy[h] = vx*(1-keep), vy*(1-keep)
		spread(right[:n], h, wx*(vx*(2*keep-1)-d0.X*ux))
		spread(right[n:], h, wy*(vy*(2*keep-1)-d0.Y*uy))
	}
}

// spread adds p times the second difference at h, transposed.
func spread(right []float64, h int, p float64) {
	right[h] -= 2 * p
	if h > 0 {
		right[h-1] += p
	}
	if h+1 < len(right) {
		right[h+1] += p
	}
}

// changeAt returns by how much the step changes at waypoint h.
func (m *motion) changeAt(p *paths, i, h int) geom.Vec2 {
	before, after := m.before, m.after
	at := p.at(i, h)
	if h > 0 {
		before = at.Sub(p.at(i, h-1))
	}
	if h+1 < p.waypoints {
		after = p.at(i, h+1).Sub(at)
	}
	return after.Sub(before)
}
