package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// curveSolver is [solver] for curves: it moves their waypoints, which are control points,
// as little as it can until the hull of every span is on the right side of its lines and
// the limits hold at every instant. A line speaks of a point of a hull, a combination of
// up to three waypoints: it adds weight·k·kᵀ to the matrix of its robot, so that systems
// stay banded, and has one multiplier as before. Limits of steps and changes are those of
// velocity and acceleration; at the ends they have coefficients of their own.
type curveSolver struct {
	w     *World
	start *paths // x⁰
	at    *paths // x
	only  []bool // robots that are moved; nil is all of them
	lines []hullLine
	keys  []lineKey     // of the lines, from round to round
	motes []curveLimits // per robot

	system    []band // per robot and coordinate, over the free waypoints
	weights   []bandOf
	ext, ext0 [][]float64 // control points of x and x⁰, per robot and coordinate
	right     []float64   // of one robot's two systems, all robots
	change    []float64   // x − x⁰ of one coordinate of a robot
	steps     []row       // folded, in order
	changes   []row
	hulls     [][4]row // the same of every span
	points    [][4]row // and not folded
}

// hullLine asks n·(b_i − b_j) ≥ bound of a point each of the hulls of two robots, the same one
// unless they are late, or n·b_i ≥ bound when j is -1.
type hullLine struct {
	n     geom.Vec2
	bound float64
	force float64
	i, j  int32
	point *row // of the control points
	fold  *row // of the free waypoints
	// The same of robot j.
	there, foldThere *row
}

// curveLimits holds the limits of one robot and their multipliers.
type curveLimits struct {
	step, change           float64 // +Inf is none
	unit                   [2]float64
	stepForce, changeForce [2][]float64
}

// newCurveSolver returns a solver that moves robots of a joint path; only says which, nil
// is all.
func newCurveSolver(w *World, start *paths, only []bool) *curveSolver {
	n, robots := start.waypoints, len(w.Robots)
	s := &curveSolver{
		w: w, start: start, at: start.clone(), only: only, motes: make([]curveLimits, robots), system: make([]band, 2*robots),
		weights: make([]bandOf, robots), ext: make([][]float64, 2*robots), ext0: make([][]float64, 2*robots),
		right: make([]float64, 2*robots*n+2), change: make([]float64, n), hulls: make([][4]row, n-1), points: make([][4]row, n-1),
	}
	for i, r := range w.Robots {
		s.motes[i] = newCurveLimits(r, n)
		s.weights[i] = newBandOf(n)
		for c := range 2 {
			s.ext[2*i+c], s.ext0[2*i+c] = make([]float64, n+2), make([]float64, n+2)
			s.extend(s.ext0[2*i+c], start, i, c)
			s.extend(s.ext[2*i+c], s.at, i, c)
		}
	}
	for h := range n {
		s.changes = append(s.changes, changeRow(h).folded(n))
		if h+1 < n {
			s.steps = append(s.steps, stepRow(h).folded(n))
			for k := range 4 {
				s.points[h][k] = hullRow(h, k)
				s.hulls[h][k] = s.points[h][k].folded(n)
			}
		}
	}
	return s
}

func newCurveLimits(r Robot, n int) curveLimits {
	m := curveLimits{step: math.Inf(1), change: math.Inf(1), unit: [2]float64{r.unit(0), r.unit(1)}}
	if r.Step > 0 {
		m.step = r.Step * tight
	}
	if r.Change > 0 {
		m.change = r.Change * tight
	}
	for c := range 2 {
		m.stepForce[c], m.changeForce[c] = make([]float64, n-1), make([]float64, n)
	}
	return m
}

// extend writes the control points of robot i.
func (s *curveSolver) extend(dst []float64, p *paths, i, c int) {
	r := s.w.Robots[i]
	u, w := r.Before.X, r.After.X
	if c == 1 {
		u, w = r.Before.Y, r.After.Y
	}
	controls(dst, p.row(i, c), u, w)
}

// moves reports whether robot i is moved.
func (s *curveSolver) moves(i int) bool { return s.only == nil || s.only[i] }

// next implements [program].
func (s *curveSolver) next(m manner) int {
	s.w.hullLines(s, m)
	s.factor()
	s.run(iterations)
	return len(s.lines)
}

// iterate implements [program].
func (s *curveSolver) iterate() *paths { return s.at }

// factor sets up the systems for the present lines.
func (s *curveSolver) factor() {
	for i := range s.weights {
		s.weights[i].clear()
	}
	for k := range s.lines {
		l := &s.lines[k]
		s.weights[l.i].add(*l.fold, lineWeight)
		if l.j >= 0 {
			s.weights[l.j].add(*l.foldThere, lineWeight)
		}
	}
	for i := range s.motes {
		for c := range 2 {
			if s.moves(i) {
				s.system[2*i+c] = s.matrix(i, c)
			}
		}
	}
}

// matrix returns the factored system of one coordinate of a robot.
func (s *curveSolver) matrix(i, c int) band {
	n, m := s.start.waypoints, &s.motes[i]
	b := newBandOf(n)
	scale := m.unit[0] * m.unit[0] / (m.unit[c] * m.unit[c])
	step := 1.0
	if !math.IsInf(m.step, 1) {
		step += stepWeight * scale
	}
	for _, r := range s.steps {
		b.add(r, step)
	}
	if !math.IsInf(m.change, 1) {
		for _, r := range s.changes {
			b.add(r, changeWeight*scale)
		}
	}
	for h := range n {
		b.diagonal[h] += theta + s.weights[i].diagonal[h]
		b.first[h] += s.weights[i].first[h]
		b.second[h] += s.weights[i].second[h]
	}
	from, to := s.free(i)
	return newBand(b.diagonal[from:to], b.first[from:to], b.second[from:to])
}

// free returns the waypoints of robot i that are moved, from one to before another.
func (s *curveSolver) free(i int) (from, to int) {
	n, held := s.start.waypoints, s.w.Robots[i].Held
	from = min(1+held[0], n-1)
	return from, max(n-1-held[1], from)
}

// run runs a number of iterations.
func (s *curveSolver) run(count int) {
	n := s.start.waypoints
	for range count {
		clear(s.right)
		s.pullLines()
		for i := range s.motes {
			if !s.moves(i) {
				continue
			}
			s.motes[i].pull(s, s.right[2*i*n:2*(i+1)*n+2], i)
			for c := range 2 {
				s.solve(i, c, s.right[(2*i+c)*n:(2*i+c+1)*n])
			}
		}
	}
}

// pullLines updates the force of every line and adds its pull, as [solver] does.
func (s *curveSolver) pullLines() {
	n := s.start.waypoints
	for k := range s.lines {
		l := &s.lines[k]
		i, j := 2*int(l.i), 2*int(l.j)
		violation, share := l.bound-l.point.along(l.n, s.ext[i], s.ext[i+1]), 1.0
		if j >= 0 {
			violation, share = violation+l.there.along(l.n, s.ext[j], s.ext[j+1]), 0.5
		}
		force := max(0, violation*share+l.force)
		pull := lineWeight * (2*force - l.force)
		l.force = force
		if pull == 0 {
			continue
		}
		l.fold.spread(s.right[i*n:], pull*l.n.X)
		l.fold.spread(s.right[(i+1)*n:], pull*l.n.Y)
		if j >= 0 {
			l.foldThere.spread(s.right[j*n:], -pull*l.n.X)
			l.foldThere.spread(s.right[(j+1)*n:], -pull*l.n.Y)
		}
	}
}

// solve sets one coordinate of robot i from its right-hand side.
func (s *curveSolver) solve(i, c int, right []float64) {
	x, x0 := s.at.row(i, c), s.start.row(i, c)
	for h := range x {
		s.change[h] = x[h] - x0[h]
	}
	s.weights[i].addProduct(right, s.change)
	from, to := s.free(i)
	s.system[2*i+c].solve(right[from:to])
	for h := from; h < to; h++ {
		x[h] = x0[h] + right[h]
	}
	s.extend(s.ext[2*i+c], s.at, i, c)
}

// pull updates the multipliers of the limits of robot i and adds their pull.
func (m *curveLimits) pull(s *curveSolver, right []float64, i int) {
	if !math.IsInf(m.step, 1) {
		for h := range s.steps {
			m.pullRow(s, right, i, stepRow(h), &s.steps[h], m.step, stepWeight, &m.stepForce[0][h], &m.stepForce[1][h])
		}
	}
	if !math.IsInf(m.change, 1) {
		for h := range s.changes {
			m.pullRow(s, right, i, changeRow(h), &s.changes[h], m.change, changeWeight, &m.changeForce[0][h], &m.changeForce[1][h])
		}
	}
}

// pullRow does it for one difference.
func (m *curveLimits) pullRow(s *curveSolver, right []float64, i int, of row, fold *row, limit, weight float64, fx, fy *float64) {
	n := s.start.waypoints
	ux, uy := 1/m.unit[0], 1/m.unit[1]
	vx, vy := of.of(s.ext[2*i])*ux+*fx, of.of(s.ext[2*i+1])*uy+*fy
	keep := clamp(vx, vy, limit)
	*fx, *fy = vx*(1-keep), vy*(1-keep)
	scale := weight * m.unit[0] * m.unit[0]
	fold.spread(right, scale*ux*(vx*(2*keep-1)-of.of(s.ext0[2*i])*ux))
	fold.spread(right[n:], scale*uy*(vy*(2*keep-1)-of.of(s.ext0[2*i+1])*uy))
}
