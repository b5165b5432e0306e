package images

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Frechet returns the Fréchet distance of the normal distributions that two sets of
// feature vectors have the moments of:
//
//	‖m₁ - m₂‖² + tr(C₁ + C₂ - 2 (C₁^½ C₂ C₁^½)^½),
//
// with unbiased covariances. The symmetric form needs no correction where a set has fewer
// vectors than features. It returns a [SizeError] for sets of fewer than two vectors, or
// of vectors of different lengths. Source: Heusel et al., "GANs trained by a two
// time-scale update rule converge to a local Nash equilibrium" (NeurIPS 2017).
func Frechet(a, b [][]float64) (float64, error) {
	for _, set := range [][][]float64{a, b} {
		if len(set) < 2 {
			return 0, &SizeError{Vectors: len(set)}
		}
		for _, v := range set {
			if len(v) != len(a[0]) || len(v) == 0 {
				return 0, &SizeError{Vectors: len(set), Length: len(v), Want: len(a[0])}
			}
		}
	}
	m1, c1 := moments(a)
	m2, c2 := moments(b)
	distance := 0.0
	for i := range m1 {
		distance += (m1[i]-m2[i])*(m1[i]-m2[i]) + c1.At(i, i) + c2.At(i, i)
	}
	root := squareRoot(c1)
	var product mat.Dense
	product.Product(root, c2, root)
	return distance - 2*rootTrace(symmetric(&product)), nil
}

// SizeError says that sets of feature vectors have no Fréchet distance.
type SizeError struct {
	Vectors      int
	Length, Want int // of a vector, where lengths differ
}

func (e *SizeError) Error() string {
	if e.Vectors < 2 {
		return fmt.Sprintf("images: a set of %d feature vectors, want at least 2", e.Vectors)
	}
	return fmt.Sprintf("images: a feature vector of length %d, want %d as in the others", e.Length, e.Want)
}

// moments returns mean and unbiased covariance.
func moments(set [][]float64) ([]float64, *mat.SymDense) {
	n := len(set[0])
	x := mat.NewDense(len(set), n, nil)
	mean := make([]float64, n)
	for i, v := range set {
		x.SetRow(i, v)
		for j, f := range v {
			mean[j] += f / float64(len(set))
		}
	}
	c := mat.NewSymDense(n, nil)
	stat.CovarianceMatrix(c, x, nil)
	return mean, c
}

// squareRoot returns the positive square root of a covariance.
func squareRoot(c *mat.SymDense) *mat.Dense {
	var e mat.EigenSym
	e.Factorize(c, true)
	var vectors, scaled, root mat.Dense
	e.VectorsTo(&vectors)
	scaled.Apply(func(_, j int, v float64) float64 { return v * math.Sqrt(max(e.Values(nil)[j], 0)) }, &vectors)
	root.Mul(&scaled, vectors.T())
	return &root
}

// rootTrace returns the trace of the square root.
func rootTrace(c *mat.SymDense) (sum float64) {
	var e mat.EigenSym
	e.Factorize(c, false)
	for _, v := range e.Values(nil) {
		sum += math.Sqrt(max(v, 0))
	}
	return sum
}

// symmetric returns the mean of a matrix and its transpose.
func symmetric(m *mat.Dense) *mat.SymDense {
	n, _ := m.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return out
}
