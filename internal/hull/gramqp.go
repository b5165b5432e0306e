package hull

import (
	"math"
	"slices"
)

// Dot returns the inner product of two vectors.
func Dot(a, b []float64) (s float64) {
	for i, v := range b {
		s += a[i] * v
	}
	return s
}

// QP finds the nearest point to z in the convex hull of M points, from inner
// products alone:
//
//	minimise ½ λᵀGλ − bᵀλ  subject to  λ ≥ 0, Σλ = 1,
//
// G_ij = e_i·e_j, b_i = e_i·z. It is Wolfe's active-set method: the nearest point
// of the affine hull of a growing set of points, which loses those whose weight
// would become negative. It ends after finitely many steps at the exact solution;
// points that depend on others affinely, or repeat them, never enter.
//
// Source: Wolfe, "Finding the nearest point in a polytope", 1976.
type QP struct {
	m      int
	Gram   []float64 // G, [m, m]
	B      []float64
	Weight []float64 // λ

	active []int
	target []float64 // weights of the nearest point of the affine hull
	factor []float64 // Cholesky factor of the active differences
}

const (
	// rankTolerance is the part of the squared distance between two points that
	// has to be left of a point, seen from the active ones, for it to enter.
	rankTolerance = 1e-13
	// optimalTolerance is the slope towards a point, relative to the inner
	// products, that counts as none.
	optimalTolerance = 1e-14
)

func newQP(m int) *QP {
	return &QP{
		m: m, B: make([]float64, m), Weight: make([]float64, m),
		active: make([]int, 0, m), target: make([]float64, m), factor: make([]float64, m*m),
	}
}

// Solve sets the weights from G and b. It returns the number of linear solves.
func (q *QP) Solve() (iterations int) {
	clear(q.Weight)
	first, scale := 0, 0.0
	for i := range q.m {
		if q.Gram[i*q.m+i]-2*q.B[i] < q.Gram[first*q.m+first]-2*q.B[first] {
			first = i
		}
		scale = max(scale, q.Gram[i*q.m+i], math.Abs(q.B[i]))
	}
	q.active = append(q.active[:0], first)
	q.Weight[first] = 1
	for iterations < 50*q.m {
		enter, gain := q.Steepest()
		if !(gain > optimalTolerance*scale) || slices.Contains(q.active, enter) {
			break // at the solution, as far as rounding and overflow tell
		}
		q.active = append(q.active, enter)
		before := iterations
		iterations += q.descend()
		if q.Weight[enter] == 0 && iterations == before+1 {
			break // it depends on the others
		}
	}
	return iterations
}

// Steepest returns the point towards which the objective falls most.
func (q *QP) Steepest() (at int, gain float64) {
	mean, least := 0.0, math.Inf(1)
	for i := range q.m {
		g := Dot(q.Gram[i*q.m:(i+1)*q.m], q.Weight) - q.B[i]
		mean += q.Weight[i] * g
		if g < least {
			at, least = i, g
		}
	}
	return at, mean - least
}

// descend moves the weights to the nearest point of the affine hull of the active
// points and drops, one by one, those that are in the way.
func (q *QP) descend() (solves int) {
	for {
		solves++
		if !q.affine() {
			q.drop(len(q.active) - 1)
			return solves
		}
		step, leave := 1.0, -1
		for k, i := range q.active {
			if t := q.target[k]; t <= 0 {
				if s := q.Weight[i] / (q.Weight[i] - t); leave < 0 || s < step {
					step, leave = s, k
				}
			}
		}
		for k, i := range q.active {
			q.Weight[i] += step * (q.target[k] - q.Weight[i])
		}
		if leave < 0 {
			return solves
		}
		q.drop(leave)
	}
}

func (q *QP) drop(k int) {
	q.Weight[q.active[k]] = 0
	q.active = append(q.active[:k], q.active[k+1:]...)
}

// affine sets target to the weights of the nearest point of the affine hull, by
// the normal equations of the differences to the first active point. It reports
// whether they are independent.
func (q *QP) affine() bool {
	n, base := len(q.active)-1, q.active[0]
	g := func(i, j int) float64 { return q.Gram[i*q.m+j] }
	w := q.target[1 : n+1]
	for r := range n {
		i := q.active[r+1]
		row := q.factor[r*q.m : r*q.m+n]
		rhs := (q.B[i] - q.B[base]) - (g(i, base) - g(base, base))
		for c := 0; c <= r; c++ {
			j := q.active[c+1]
			v := (g(i, j) - g(i, base)) - (g(base, j) - g(base, base))
			size := v
			for k := range c {
				v -= row[k] * q.factor[c*q.m+k]
			}
			if c < r {
				row[c] = v / q.factor[c*q.m+c]
				rhs -= row[c] * w[c]
				continue
			}
			if !(v > rankTolerance*size) {
				return false
			}
			row[r] = math.Sqrt(v)
		}
		w[r] = rhs / row[r]
	}
	rest := 1.0
	for r := n - 1; r >= 0; r-- {
		for k := r + 1; k < n; k++ {
			w[r] -= q.factor[k*q.m+r] * w[k]
		}
		w[r] /= q.factor[r*q.m+r]
		rest -= w[r]
	}
	q.target[0] = rest
	return true
}
