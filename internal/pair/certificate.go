package pair

import (
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// Certificate says whether every projected latent lies in the hull of its exemplars,
// judged in float64 on the stored float32 latents, exemplars and weights. It shares
// nothing with the projector: the weights prove the membership, whoever found them.
type Certificate struct {
	// Certified is true when the method projects and every latent after every projection
	// is the combination of the exemplars by its weights.
	Certified bool `json:"certified"`
	Latents   int  `json:"latents"` // judged, over images and steps
	// MinWeight is the smallest weight, and MaxSumError by how much the sum of weights
	// misses 1: both exactly as stored.
	MinWeight   float64 `json:"min_weight"`
	MaxSumError float64 `json:"max_sum_error"`
	// MaxResidual is the largest distance of a latent from its combination, relative to
	// the longest exemplar, and Bound what rounding explains of it:
	// (2 + exemplars) 2^-24, of the latent's numbers and of the weights.
	MaxResidual float64 `json:"max_residual"`
	Bound       float64 `json:"bound"`
	// MaxBeyondBox is by how much a number leaves the box, 0 or less if none does.
	MaxBeyondBox float64 `json:"max_beyond_box"`
	// The member, pair and step of the worst residual.
	Member string `json:"member,omitempty"`
	Pair   int    `json:"pair"`
	Step   int    `json:"step"`

	worst float64 // residual over its bound
}

// merge joins the certificates of other pairs of the same request.
func (c Certificate) merge(o Certificate) Certificate {
	if c.Latents == 0 {
		return o
	}
	if o.Latents == 0 {
		return c
	}
	out := c
	if o.MaxResidual*c.Bound > c.MaxResidual*o.Bound {
		out = o
	}
	out.Certified = c.Certified && o.Certified
	out.Latents = c.Latents + o.Latents
	out.MinWeight = min(c.MinWeight, o.MinWeight)
	out.MaxSumError = max(c.MaxSumError, o.MaxSumError)
	out.MaxBeyondBox = max(c.MaxBeyondBox, o.MaxBeyondBox)
	return out
}

// judgement collects a [Certificate].
type judgement struct {
	Certificate
	box  float64
	bad  bool
	size map[int]float64 // longest exemplar, by member
}

// judge judges the latents of a member after a step, whose weights are given row by
// row. x.First is the number of the first pair.
func (j *judgement) judge(member int, name string, x, exemplars tensor.Batch, weights []float32, step int) {
	if j.size == nil {
		j.size, j.MinWeight, j.MaxBeyondBox = map[int]float64{}, math.Inf(1), math.Inf(-1)
	}
	if j.size[member] == 0 {
		for i := range exemplars.N {
			j.size[member] = max(j.size[member], math.Sqrt(squares(exemplars.Sample(i))))
		}
	}
	bound := float64(2+exemplars.N) * grain
	for k := range x.N {
		w := weights[k*exemplars.N : (k+1)*exemplars.N]
		sum := 0.0
		for _, v := range w {
			sum += float64(v)
			j.MinWeight = min(j.MinWeight, float64(v))
		}
		off := math.Abs(sum - 1)
		j.MaxSumError = max(j.MaxSumError, off)
		residual := distance(x.Sample(k), exemplars, w) / j.size[member]
		beyond := -1.0
		if j.box > 0 {
			beyond = largest(x.Sample(k)) - j.box
			j.MaxBeyondBox = max(j.MaxBeyondBox, beyond)
		}
		j.bad = j.bad || !(residual <= bound && off == 0 && beyond <= 0) || j.MinWeight < 0
		if j.Latents == 0 || !(residual/bound <= j.worst) {
			j.worst, j.MaxResidual, j.Bound = residual/bound, residual, bound
			j.Member, j.Pair, j.Step = name, x.First+k, step
		}
		j.Latents++
	}
}

// certificate returns the verdict.
func (j *judgement) certificate() Certificate {
	c := j.Certificate
	c.Certified = c.Latents > 0 && !j.bad
	if j.box == 0 {
		c.MaxBeyondBox = 0
	}
	if c.Latents == 0 {
		c.MinWeight = 0
	}
	return c
}

// distance returns the length of x - Σ w_i e_i.
func distance(x []float32, e tensor.Batch, w []float32) float64 {
	sum := 0.0
	for k, v := range x {
		d := float64(v)
		for i, u := range w {
			d -= float64(u) * float64(e.Data[i*len(x)+k])
		}
		sum += d * d
	}
	return math.Sqrt(sum)
}

func squares(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum
}

func largest(x []float32) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(float64(v)))
	}
	return most
}
