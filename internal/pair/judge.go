package pair

import (
	"context"

	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/tensor"
)

// Opinion is what a judge thinks of an image: probabilities of the classes of every
// attribute, in the order of its head.
type Opinion map[Attribute][]float32

// ask returns the opinions of a classifier about images, or latents. Attributes that it
// has no head for are left out.
func ask(ctx context.Context, c *latent.Classifier, x tensor.Batch) ([]Opinion, error) {
	out := make([]Opinion, x.N)
	for k := range out {
		out[k] = Opinion{}
	}
	for a := range attributes {
		head := a.question(c)
		if head < 0 {
			continue
		}
		q := c.Net.Question(head)
		p := tensor.New(x.N, q.Classes())
		if err := q.Probabilities(ctx, p, x); err != nil {
			return nil, err
		}
		for k := range out {
			out[k][a] = p.Sample(k)
		}
	}
	return out, nil
}

// Answer returns the most likely group of classes for an attribute.
func (o Opinion) Answer(a Attribute, groups [][]int) (group int) {
	p := grouped(o[a], groups)
	for i := range p {
		if p[i] > p[group] {
			group = i
		}
	}
	return group
}

// Satisfied reports for every pair whether any two of its images have different answers
// by the judge; nil when nobody judged. With a rotation of two groups they are to have
// the same.
func (r *Result) Satisfied() []bool {
	if r.Members[0].Opinions == nil {
		return nil
	}
	out := make([]bool, r.Members[0].Images.N)
	for k := range out {
		out[k] = r.differ(k)
	}
	return out
}

func (r *Result) differ(k int) bool {
	n := len(r.Groups)
	for j, second := range r.Members {
		b := second.Opinions[k].Answer(r.Request.Attribute, r.Groups)
		for _, first := range r.Members[:j] {
			a := first.Opinions[k].Answer(r.Request.Attribute, r.Groups)
			if a == ((b+r.Request.Rotation)%n+n)%n {
				return false
			}
		}
	}
	return true
}

// XOR returns the share of pairs that are satisfied, see [Result.Satisfied].
func (r *Result) XOR() float64 {
	sum := 0.0
	all := r.Satisfied()
	for _, ok := range all {
		if ok {
			sum++
		}
	}
	return sum / float64(max(len(all), 1))
}

// Share returns the mean probability of a class of the judge over the images of a
// member, such as the share of male images: the published columns M and F.
func (r *Result) Share(member int, a Attribute, class int) float64 {
	sum := 0.0
	for _, o := range r.Members[member].Opinions {
		sum += float64(o[a][class])
	}
	return sum / float64(max(len(r.Members[member].Opinions), 1))
}
