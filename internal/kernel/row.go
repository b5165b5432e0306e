package kernel

import "math"

// rowLanes is how many parts sums along a row have: every rowLanes-th element in each,
// added up in pairs. It is the same for vectors of any length.
const rowLanes = 16

type rowSum [rowLanes]float32

func (s *rowSum) total() float32 {
	even := ((s[0] + s[8]) + (s[4] + s[12])) + ((s[2] + s[10]) + (s[6] + s[14]))
	odd := ((s[1] + s[9]) + (s[5] + s[13])) + ((s[3] + s[11]) + (s[7] + s[15]))
	return even + odd
}

// rowRun is the argument of the kernels along a row; the generator knows its layout.
type rowRun struct {
	m      [4]*float32
	turns  int // of rowLanes elements
	scalar [4]float32
	lanes  [2]rowSum
}

// rowOp names a kernel along a row; the generator says what they compute.
type rowOp int

const (
	opRowSum rowOp = iota
	opRowSquares
	opRowNormalize
	opRowLayerSums
	opRowLayerParts
	opRowLayerSlope
	opRowSlope
	opRowMultiply
	opRowDot
)

// run runs a kernel on whole turns of rows and returns how many elements that were: none
// without vector kernels.
func (r *rowRun) run(op rowOp, rows ...[]float32) int {
	n := len(rows[len(rows)-1])
	if r.turns = n / rowLanes; active == Portable || r.turns == 0 {
		return 0
	}
	for i, row := range rows {
		if row != nil {
			r.m[i] = &row[:n][0]
		}
	}
	runRow(op, r)
	return r.turns * rowLanes
}

// normalizeRow writes one row of a layer norm, and its mean and 1/σ.
func normalizeRow(dst, x, weight, bias, stats []float32, epsilon float32) {
	var r rowRun
	for i := r.run(opRowSum, nil, x); i < len(x); i++ {
		r.lanes[0][i%rowLanes] += x[i]
	}
	n := float32(len(x))
	mean := r.lanes[0].total() / n
	r.lanes[0], r.scalar[0] = rowSum{}, mean
	for i := r.run(opRowSquares, nil, x); i < len(x); i++ {
		d := x[i] - mean
		r.lanes[0][i%rowLanes] += d * d
	}
	inverse := 1 / float32(math.Sqrt(float64(r.lanes[0].total()/n+epsilon)))
	stats[0], stats[1], r.scalar[1] = mean, inverse, inverse
	for i := r.run(opRowNormalize, dst, x, weight, bias); i < len(x); i++ {
		dst[i] = (x[i]-mean)*inverse*weight[i] + bias[i]
	}
}

// layerSums adds dy x̂ and dy to the sums for the affine map.
func layerSums(sumX, sum, dy, x, stats []float32) {
	r := rowRun{scalar: [4]float32{stats[0], stats[1]}}
	for i := r.run(opRowLayerSums, sumX, x, dy, sum); i < len(x); i++ {
		sumX[i] += dy[i] * ((x[i] - stats[0]) * stats[1])
		sum[i] += dy[i]
	}
}

// layerSlope writes (γ dy - mean(γ dy) - x̂ mean(γ dy x̂))/σ.
func layerSlope(dst, dy, x, weight, stats []float32) {
	mean, inverse := stats[0], stats[1]
	r := rowRun{scalar: [4]float32{mean, inverse}}
	for i := r.run(opRowLayerParts, nil, x, dy, weight); i < len(x); i++ {
		g := dy[i] * weight[i]
		r.lanes[0][i%rowLanes] += g
		r.lanes[1][i%rowLanes] += g * ((x[i] - mean) * inverse)
	}
	n := float32(len(x))
	m1, m2 := r.lanes[0].total()/n, r.lanes[1].total()/n
	r.scalar[2], r.scalar[3] = m1, m2
	for i := r.run(opRowLayerSlope, dst, x, dy, weight); i < len(x); i++ {
		dst[i] = (dy[i]*weight[i] - m1 - (x[i]-mean)*inverse*m2) * inverse
	}
}

// softmaxSlope replaces scores by their weights exp(scale x - log), and gradients of the
// weights by those of the scores: w (d - sum) scale.
func softmaxSlope(x, d []float32, scale, log, sum float32) {
	r := rowRun{scalar: [4]float32{scale, log, sum}}
	for i := r.run(opRowSlope, nil, x, d); i < len(x); i++ {
		w := exp(min(max(x[i]*scale-log, expMin), expMax))
		x[i], d[i] = w, w*(d[i]-sum)*scale
	}
}

// multiply writes x f to dst, which may be x.
func multiply(dst, x []float32, f float32) {
	r := rowRun{scalar: [4]float32{f}}
	for i := r.run(opRowMultiply, dst, x); i < len(x); i++ {
		dst[i] = x[i] * f
	}
}

// dot returns the inner product of two rows.
func dot(x, y []float32) float32 {
	var r rowRun
	for i := r.run(opRowDot, nil, x, y); i < len(x); i++ {
		r.lanes[0][i%rowLanes] += x[i] * y[i]
	}
	return r.lanes[0].total()
}
