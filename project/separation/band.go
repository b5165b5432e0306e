package separation

// band is a symmetric positive definite matrix with two diagonals beside the main
// one, factored as L D Lᵀ.
type band struct {
	inverse     []float64 // of D
	lower, next []float64 // first and second diagonal of L: lower[k] is L(k, k-1)
}

// newBand factors the matrix with the given diagonals: first[k] is the element (k,
// k-1), second[k] is (k, k-2). It overwrites them.
func newBand(diagonal, first, second []float64) band {
	b := band{inverse: diagonal, lower: first, next: second}
	for k := range diagonal {
		d := diagonal[k]
		if k >= 2 {
			e := second[k]
			second[k] = e * b.inverse[k-2]
			first[k] -= e * b.lower[k-1]
			d -= e * second[k]
		}
		if k >= 1 {
			e := first[k]
			first[k] = e * b.inverse[k-1]
			d -= e * first[k]
		}
		b.inverse[k] = 1 / d
	}
	return b
}

// solve overwrites x by the solution.
func (b band) solve(x []float64) {
	n := len(x)
	for k := 1; k < n; k++ {
		x[k] -= b.lower[k] * x[k-1]
		if k >= 2 {
			x[k] -= b.next[k] * x[k-2]
		}
	}
	for k := range x {
		x[k] *= b.inverse[k]
	}
	for k := n - 2; k >= 0; k-- {
		x[k] -= b.lower[k+1] * x[k+1]
		if k+2 < n {
			x[k] -= b.next[k+2] * x[k+2]
		}
	}
}
