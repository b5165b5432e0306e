package kernel

import "math"

// softmaxRun is the argument of a step of softmax; the generator knows its layout.
type softmaxRun struct {
	scores            *float32
	stride            int // bytes
	rows, turns       int // turns of rowLanes columns
	scale             float32
	most, sum, shrink *float32
}

// softmaxStep turns rows of cols scores into weights: exp(scale x - m), m the largest
// scaled score of the row so far, of which it updates m and the sum of the weights.
// shrink is what the sums so far are to be multiplied by. Columns up to a multiple of
// rowLanes are read: they are minus infinity where there is no score.
func softmaxStep(scores []float32, stride, cols int, scale float32, most, sum, shrink []float32) {
	turns := Round(cols, rowLanes) / rowLanes
	if active != Portable {
		runSoftmax(&softmaxRun{&scores[0], 4 * stride, len(most), turns, scale, &most[0], &sum[0], &shrink[0]})
		return
	}
	for i := range most {
		portableSoftmax(scores[i*stride:][:turns*rowLanes], scale, &most[i], &sum[i], &shrink[i])
	}
}

func portableSoftmax(x []float32, scale float32, most, sum, shrink *float32) {
	m := x[0]
	for _, v := range x {
		m = max(m, v)
	}
	m = max(*most, m*scale)
	var s rowSum
	for i, v := range x {
		x[i] = exp(max(v*scale-m, expMin))
		s[i%rowLanes] += x[i]
	}
	*shrink = exp(max(*most-m, expMin))
	*most, *sum = m, *sum**shrink+s.total()
}

// minusInfinity fills the columns of a row that no query sees.
func minusInfinity(x []float32) {
	for i := range x {
		x[i] = float32(math.Inf(-1))
	}
}
