package nn

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// Question is one head of a [Classifier] as a distribution over its classes. It
// implements cost.Linearizer.
type Question struct {
	net      *Classifier
	from, to int // of the logits
}

// Question returns the head with a number.
func (n *Classifier) Question(head int) *Question {
	from, to := n.Logits(head)
	return &Question{n, from, to}
}

// Classes returns the number of classes.
func (q *Question) Classes() int { return q.to - q.from }

// Probabilities writes the probabilities of every image of x to dst, [classes].
func (q *Question) Probabilities(ctx context.Context, dst, x tensor.Batch) error {
	logits := tensor.New(x.N, q.net.config.logits())
	if err := q.net.Apply(ctx, logits, x); err != nil {
		return err
	}
	for i := range x.N {
		softmax(dst.Sample(i), logits.Sample(i)[q.from:q.to])
	}
	return nil
}

// VJP writes the product of every cotangent of the probabilities with their Jacobian at
// its image to dst.
func (q *Question) VJP(ctx context.Context, dst, x, cotangent tensor.Batch) error {
	pull, err := q.Linearize(ctx, tensor.New(x.N, q.Classes()), x)
	if err != nil {
		return err
	}
	return pull(ctx, dst, cotangent)
}

// Linearize is Probabilities that also returns what VJP does at x, to be called once.
func (q *Question) Linearize(ctx context.Context, dst, x tensor.Batch) (pull func(ctx context.Context, dst, cotangent tensor.Batch) error, err error) {
	logits := tensor.New(x.N, q.net.config.logits())
	back, err := q.net.Linearize(ctx, logits, x)
	if err != nil {
		return nil, err
	}
	p := tensor.New(x.N, q.Classes())
	for i := range x.N {
		softmax(p.Sample(i), logits.Sample(i)[q.from:q.to])
	}
	copy(dst.Data, p.Data)
	return func(ctx context.Context, dst, cotangent tensor.Batch) error {
		clear(logits.Data)
		for i := range p.N {
			softmaxPull(logits.Sample(i)[q.from:q.to], p.Sample(i), cotangent.Sample(i))
		}
		return back.VJP(ctx, dst, logits)
	}, nil
}

// softmax writes exp(x)/Σ exp(x).
func softmax(dst, x []float32) {
	most, sum := math.Inf(-1), 0.0
	for _, v := range x {
		most = max(most, float64(v))
	}
	for _, v := range x {
		sum += math.Exp(float64(v) - most)
	}
	for i, v := range x {
		dst[i] = float32(math.Exp(float64(v)-most) / sum)
	}
}

// softmaxPull writes the gradient with respect to the logits of probabilities p.
func softmaxPull(dst, p, dy []float32) {
	mean := 0.0
	for i, v := range p {
		mean += float64(v) * float64(dy[i])
	}
	for i, v := range p {
		dst[i] = float32(float64(v) * (float64(dy[i]) - mean))
	}
}
