package project

import "math"

// gramQP finds the nearest point to z in the convex hull of M points, from inner
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
type gramQP struct {
	m      int
	gram   []float64 // G, [m, m]
	b      []float64
	weight []float64 // λ

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

func newGramQP(m int) *gramQP {
	return &gramQP{
		m: m, b: make([]float64, m), weight: make([]float64, m),
		active: make([]int, 0, m), target: make([]float64, m), factor: make([]float64, m*m),
	}
}

// solve sets the weights from G and b. It returns the number of linear solves and
// the largest slope left, in the units of G.
func (q *gramQP) solve() (iterations int, slope float64) {
	clear(q.weight)
	first, scale := 0, 0.0
	for i := range q.m {
		if q.gram[i*q.m+i]-2*q.b[i] < q.gram[first*q.m+first]-2*q.b[first] {
			first = i
		}
		scale = max(scale, q.gram[i*q.m+i], math.Abs(q.b[i]))
	}
	q.active = append(q.active[:0], first)
	q.weight[first] = 1
	for iterations < 50*q.m {
		enter, gain := q.steepest()
		slope = gain
		if gain <= optimalTolerance*scale {
			break
		}
		q.active = append(q.active, enter)
		before := iterations
		iterations += q.descend()
		if q.weight[enter] == 0 && iterations == before+1 {
			break // it depends on the others
		}
	}
	return iterations, slope
}

// steepest returns the point towards which the objective falls most.
func (q *gramQP) steepest() (at int, gain float64) {
	mean, least := 0.0, inf
	for i := range q.m {
		g := dot(q.gram[i*q.m:(i+1)*q.m], q.weight) - q.b[i]
		mean += q.weight[i] * g
		if g < least {
			at, least = i, g
		}
	}
	return at, mean - least
}

// descend moves the weights to the nearest point of the affine hull of the active
// points and drops, one by one, those that are in the way.
func (q *gramQP) descend() (solves int) {
	for {
		solves++
		if !q.affine() {
			q.drop(len(q.active) - 1)
			return solves
		}
		step, leave := 1.0, -1
		for k, i := range q.active {
			if t := q.target[k]; t <= 0 {
				if s := q.weight[i] / (q.weight[i] - t); leave < 0 || s < step {
					step, leave = s, k
				}
			}
		}
		for k, i := range q.active {
			q.weight[i] += step * (q.target[k] - q.weight[i])
		}
		if leave < 0 {
			return solves
		}
		q.drop(leave)
	}
}

func (q *gramQP) drop(k int) {
	q.weight[q.active[k]] = 0
	q.active = append(q.active[:k], q.active[k+1:]...)
}

// affine sets target to the weights of the nearest point of the affine hull, by
// the normal equations of the differences to the first active point. It reports
// whether they are independent.
func (q *gramQP) affine() bool {
	n, base := len(q.active)-1, q.active[0]
	g := func(i, j int) float64 { return q.gram[i*q.m+j] }
	w := q.target[1 : n+1]
	for r := range n {
		i := q.active[r+1]
		row := q.factor[r*q.m : r*q.m+n]
		rhs := (q.b[i] - q.b[base]) - (g(i, base) - g(base, base))
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
