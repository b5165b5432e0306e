package nav2d

import "math"

// state is position and velocity of a waypoint, (x, y, vx, vy), and block a
// matrix that maps states to states.
type (
	state [4]float64
	block [4][4]float64
)

// blockTridiagonal is a symmetric positive definite system: diag[h] on the
// diagonal, upper[h] between the blocks h and h+1.
type blockTridiagonal struct {
	diag, upper []block
}

func newBlockTridiagonal(n int) *blockTridiagonal {
	return &blockTridiagonal{diag: make([]block, n), upper: make([]block, n)}
}

// solve replaces b by the solution x of A x = b and A by its factors, in time
// linear in the number of blocks. It reports false when A is not positive
// definite to working precision.
//
// With L_h the Cholesky factor of the h-th Schur complement and
// W_h = L_h⁻¹ U_h: S_{h+1} = D_{h+1} - W_hᵀ W_h.
func (a *blockTridiagonal) solve(b []state) bool {
	for h := range b {
		l := &a.diag[h]
		if h > 0 {
			w := &a.upper[h-1]
			l.subtractSquare(w)
			b[h] = minus(b[h], w.transposeTimes(b[h-1]))
		}
		if !l.cholesky() {
			return false
		}
		b[h] = l.forward(b[h])
		a.upper[h].solveLower(l)
	}
	for h := len(b) - 1; h >= 0; h-- {
		if h+1 < len(b) {
			b[h] = minus(b[h], a.upper[h].times(b[h+1]))
		}
		b[h] = a.diag[h].backward(b[h])
	}
	return true
}

func minus(a, b state) state {
	for i := range a {
		a[i] -= b[i]
	}
	return a
}

func (m *block) times(x state) (y state) {
	for i := range y {
		for j := range x {
			y[i] += m[i][j] * x[j]
		}
	}
	return y
}

func (m *block) transposeTimes(x state) (y state) {
	for i := range y {
		for j := range x {
			y[i] += m[j][i] * x[j]
		}
	}
	return y
}

// subtractSquare subtracts wᵀ w.
func (m *block) subtractSquare(w *block) {
	for i := range 4 {
		for j := range 4 {
			for k := range 4 {
				m[i][j] -= w[k][i] * w[k][j]
			}
		}
	}
}

// cholesky replaces the lower triangle of m by its Cholesky factor.
func (m *block) cholesky() bool {
	for j := range 4 {
		for i := j; i < 4; i++ {
			sum := m[i][j]
			for k := range j {
				sum -= m[i][k] * m[j][k]
			}
			if i > j {
				m[i][j] = sum / m[j][j]
			} else if !(sum > 0) {
				return false
			} else {
				m[j][j] = math.Sqrt(sum)
			}
		}
	}
	return true
}

// forward solves L y = x with the lower triangle L of m.
func (m *block) forward(x state) state {
	for i := range 4 {
		for k := range i {
			x[i] -= m[i][k] * x[k]
		}
		x[i] /= m[i][i]
	}
	return x
}

// backward solves Lᵀ y = x.
func (m *block) backward(x state) state {
	for i := 3; i >= 0; i-- {
		for k := i + 1; k < 4; k++ {
			x[i] -= m[k][i] * x[k]
		}
		x[i] /= m[i][i]
	}
	return x
}

// solveLower replaces m by L⁻¹ m.
func (m *block) solveLower(l *block) {
	for j := range 4 {
		column := l.forward(state{m[0][j], m[1][j], m[2][j], m[3][j]})
		for i := range 4 {
			m[i][j] = column[i]
		}
	}
}
