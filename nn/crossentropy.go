package nn

import (
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// CrossEntropy returns what every head loses: weights[h] times the mean of -ln p(class)
// over the images. It turns the logits into the gradient of the sum. labels has the number
// of a class for each head, and -1 where it is not known, which costs nothing. smoothing
// is the probability that is spread evenly over all classes instead of given to the right
// one. Source: Szegedy et al., "Rethinking the Inception architecture" (CVPR 2016),
// section 7.
func (n *Classifier) CrossEntropy(logits, labels tensor.Batch, weights []float64, smoothing float64) []float64 {
	terms := make([]float64, len(n.config.Heads))
	for h := range terms {
		from, to := n.Logits(h)
		for k := range logits.N {
			terms[h] += crossEntropy(logits.Sample(k)[from:to], int(labels.Sample(k)[h]), smoothing, weights[h]/float64(logits.N))
		}
	}
	return terms
}

// crossEntropy returns the weighted cross-entropy of logits and a class, smoothed, and
// turns the logits into its gradient. The class -1 costs nothing.
func crossEntropy(logits []float32, class int, smoothing, weight float64) float64 {
	if class < 0 {
		clear(logits)
		return 0
	}
	top := logits[0]
	for _, v := range logits {
		top = max(top, v)
	}
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v - top))
	}
	loss, even := 0.0, smoothing/float64(len(logits))
	for c, v := range logits {
		want := even
		if c == class {
			want += 1 - smoothing
		}
		lnp := float64(v-top) - math.Log(sum)
		loss -= weight * want * lnp
		logits[c] = float32(weight * (math.Exp(lnp) - want))
	}
	return loss
}
