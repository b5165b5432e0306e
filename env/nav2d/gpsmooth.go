package nav2d

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// The weights of the smoother. In continuous time it minimises
//
//	½ ∫ |p''|² + rate⁴ |p - reference|² + wall⁴ max(0, margin - d(p))² dt,
//
// so the reference is followed on time scales above 1/rate and obstacles win
// against both.
const (
	followRate = 5.0  // per second
	wallRate   = 60.0 // per second
)

const (
	maxNewtonSteps  = 60
	newtonTolerance = 1e-5 // largest move of a waypoint at which the iteration ends
	maxHalvings     = 6
)

// smoother finds the most probable trajectory under a Gaussian process with
// white-noise acceleration, given where a reference path is at each waypoint and
// that obstacles keep a margin, by Gauss-Newton steps on a block tridiagonal
// system. Position and velocity of both ends are fixed, at rest.
//
// The published demonstrations have no reference term: they stop 500 damped
// steps short of the optimum, which is what keeps their patterns. Here the
// pattern is part of the objective and the iteration converges.
//
// Source: Mukadam et al., "Continuous-time Gaussian process motion planning via
// probabilistic inference" (IJRR 2018), with constant-velocity prior.
type smoother struct {
	free      freeSpace
	reference []geom.Vec2
	margins   []float64 // at the waypoints; nil is that of free
	states    []state
	system    *blockTridiagonal
	step      []state
	candidate []state
}

// smooth returns the states of the smoothed trajectory, one per point of the
// reference. margins are those of the points, nil for that of free at all.
func smooth(free freeSpace, reference []geom.Vec2, margins []float64) []state {
	n := len(reference)
	s := &smoother{
		free: free, reference: reference, margins: margins,
		states: make([]state, n), candidate: make([]state, n), step: make([]state, n-2),
		system: newBlockTridiagonal(n - 2),
	}
	for h, p := range reference {
		s.states[h] = state{p.X, p.Y}
	}
	for range maxNewtonSteps {
		s.linearise()
		if !s.system.solve(s.step) || s.descend() < newtonTolerance {
			break
		}
	}
	return s.states
}

// descend applies the step, halved until the objective does not grow, and
// returns the largest move of a waypoint.
func (s *smoother) descend() float64 {
	before := s.objective(s.states)
	for k := range maxHalvings {
		scale := math.Ldexp(1, -k)
		moved := 0.0
		copy(s.candidate, s.states)
		for h, d := range s.step {
			for i := range d {
				s.candidate[h+1][i] += scale * d[i]
			}
			moved = max(moved, scale*math.Hypot(d[0], d[1]))
		}
		if s.objective(s.candidate) <= before {
			s.states, s.candidate = s.candidate, s.states
			return moved
		}
	}
	return 0
}

// The inverse covariance of a step of the constant-velocity prior, per axis:
// [[12/dt³, -6/dt²], [-6/dt², 4/dt]].
const (
	priorPP = 12 / (Step * Step * Step)
	priorPV = -6 / (Step * Step)
	priorVV = 4 / Step
)

const (
	followWeight = followRate * followRate * followRate * followRate * Step
	wallWeight   = wallRate * wallRate * wallRate * wallRate * Step / wallPoints
)

// wallPoints is the number of points per segment, its end included, that keep
// away from obstacles.
const wallPoints = 3

// priorError is the deviation from constant velocity of one axis between two
// states: of the position and of the velocity.
func priorError(a, b *state, axis int) (ep, ev float64) {
	return b[axis] - a[axis] - Step*a[axis+2], b[axis+2] - a[axis+2]
}

func (s *smoother) objective(states []state) float64 {
	sum := 0.0
	for h := 1; h < len(states); h++ {
		for axis := range 2 {
			ep, ev := priorError(&states[h-1], &states[h], axis)
			sum += priorPP*ep*ep + 2*priorPV*ep*ev + priorVV*ev*ev
		}
		p := position(states[h])
		sum += followWeight * square2(p.Sub(s.reference[h]))
		for k := 1; k <= wallPoints; k++ {
			t := float64(k) / wallPoints
			for _, w := range s.walls(h, position(states[h-1]).Lerp(p, t)) {
				sum += wallWeight * w.depth * w.depth
			}
		}
	}
	return sum / 2
}

func position(s state) geom.Vec2 { return geom.Vec2{X: s[0], Y: s[1]} }

func square2(v geom.Vec2) float64 { return v.Dot(v) }

// wall is a violated margin: its depth and the direction out of it.
type wall struct {
	depth float64
	out   geom.Vec2
}

// walls returns the margin violations at a point of the segment to waypoint h: of the nearest
// obstacle and of either axis of the bounds. Absent ones have depth 0.
func (s *smoother) walls(h int, p geom.Vec2) (w [3]wall) {
	margin := s.free.margin
	if s.margins != nil {
		margin = s.margins[h]
	}
	if d, grad := s.free.obstacles.SignedDistance(p); d < margin {
		w[0] = wall{margin - d, grad}
	}
	b := s.free.bounds
	if depth := max(b.Min.X-p.X, p.X-b.Max.X); depth > 0 {
		w[1] = wall{depth, geom.Vec2{X: math.Copysign(1, b.Min.X-p.X)}}
	}
	if depth := max(b.Min.Y-p.Y, p.Y-b.Max.Y); depth > 0 {
		w[2] = wall{depth, geom.Vec2{Y: math.Copysign(1, b.Min.Y-p.Y)}}
	}
	return w
}
