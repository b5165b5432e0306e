package train

import "github.com/go-pcd/pcd/tensor"

// loss returns the mean squared difference between the prediction and its target
// for the first n samples, each times its weight, and writes its gradient to grad, which may be the
// prediction. Pinned rows of the prediction are taken to be the pinned values, as
// the published trainings do: they add a constant to the loss and nothing to the
// gradient.
func (b *minibatch) loss(grad, pred tensor.Batch, n int) float64 {
	size := pred.Size()
	for _, p := range b.pins {
		for k := range n {
			copy(pred.Sample(k)[p.at:], p.values.Sample(k))
		}
	}
	sum := 0.0
	for k, weight := range b.weights[:n] {
		scale := float32(weight * 2 / float64(n*size))
		target, dst := b.target.Sample(k), grad.Sample(k)
		for i, v := range pred.Sample(k) {
			d := v - target[i]
			sum += weight * (float64(d) * float64(d))
			dst[i] = scale * d
		}
	}
	for _, p := range b.pins {
		for k := range n {
			clear(grad.Sample(k)[p.at : p.at+p.values.Size()])
		}
	}
	return sum / float64(n*size)
}
