package analytic

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Component is one normal distribution of a [Mixture].
type Component struct {
	Weight     float64       // share of the data; weights are normalised
	Mean       []float64     // one number per element, or one for all
	Variance   []float64     // likewise; used when Covariance is nil
	Covariance mat.Symmetric // full covariance between the elements
}

// Mixture is the exact model of data drawn from a mixture of normals, each with
// its own covariance. It predicts the score of the data, or with a schedule of
// the diffused marginal, which is again a mixture of normals.
type Mixture struct {
	shape    tensor.Shape
	parts    []part
	schedule *schedule.Schedule
}

// part is a component in the coordinates of its principal axes: diffusion scales
// the eigenvalues and leaves the axes alone.
type part struct {
	logWeight   float64
	mean        []float64
	eigenvalues []float64
	axes        *mat.Dense // columns are principal axes; nil for the coordinate axes
}

// NewMixture returns the model of a mixture. s may be nil.
func NewMixture(shape tensor.Shape, components []Component, s *schedule.Schedule) (*Mixture, error) {
	if err := shape.Check(); err != nil {
		return nil, err
	}
	total := 0.0
	for i, c := range components {
		if !(c.Weight > 0) || math.IsInf(c.Weight, 0) {
			return nil, fmt.Errorf("analytic: weight of component %d is %v, want a positive number", i, c.Weight)
		}
		total += c.Weight
	}
	if len(components) == 0 {
		return nil, errors.New("analytic: mixture has no components")
	}
	m := &Mixture{shape: shape, schedule: s}
	for i, c := range components {
		p, err := newPart(c, shape)
		if err != nil {
			return nil, fmt.Errorf("component %d: %w", i, err)
		}
		p.logWeight = math.Log(c.Weight / total)
		m.parts = append(m.parts, p)
	}
	return m, nil
}

func newPart(c Component, shape tensor.Shape) (part, error) {
	mean, err := perElement("mean", c.Mean, shape)
	if err != nil {
		return part{}, err
	}
	p := part{mean: mean}
	if c.Covariance == nil {
		p.eigenvalues, err = perElement("variance", c.Variance, shape)
	} else {
		p.eigenvalues, p.axes, err = principalAxes(c.Covariance, shape.Size())
	}
	if err != nil {
		return part{}, err
	}
	for i, v := range p.eigenvalues {
		if !(v > 0) {
			return part{}, fmt.Errorf("analytic: variance along axis %d is %v, want a positive number", i, v)
		}
	}
	return p, nil
}

func principalAxes(cov mat.Symmetric, size int) ([]float64, *mat.Dense, error) {
	if n := cov.SymmetricDim(); n != size {
		return nil, nil, fmt.Errorf("analytic: covariance is %d by %d, want %d by %d", n, n, size, size)
	}
	var eig mat.EigenSym
	if !eig.Factorize(cov, true) {
		return nil, nil, errors.New("analytic: covariance has no eigenvalues; is it finite?")
	}
	axes := new(mat.Dense)
	eig.VectorsTo(axes)
	return eig.Values(nil), axes, nil
}

// Shape returns the shape of a sample.
func (m *Mixture) Shape() tensor.Shape { return m.shape }

// Kind returns [Score].
func (m *Mixture) Kind() schedule.Kind { return schedule.Score }

// Predict writes Σ_k w_k(x) s_k(x): the scores of the components, weighted with
// the probability that x came from each.
func (m *Mixture) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	step, err := marginal(ctx, m.schedule, t)
	if err != nil {
		return err
	}
	w := m.newWork()
	for r := range x.N {
		m.evaluate(w, x.Sample(r), step)
		for j, v := range w.score {
			dst.Sample(r)[j] = float32(v)
		}
	}
	return nil
}

// VJP uses the Hessian of the log density, which is symmetric:
// Σ_k w_k (J_k + s_k s_kᵀ) - s sᵀ.
func (m *Mixture) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	step, err := marginal(ctx, m.schedule, t)
	if err != nil {
		return err
	}
	w := m.newWork()
	for r := range x.N {
		m.evaluate(w, x.Sample(r), step)
		m.hessianTimes(w, dst.Sample(r), cotangent.Sample(r), step)
	}
	return nil
}

// LogDensity returns the log density of one sample at timestep t, without which
// an energy could not be compared with its score.
func (m *Mixture) LogDensity(x []float32, t int) (float64, error) {
	step, err := marginal(context.Background(), m.schedule, t)
	if err != nil {
		return 0, err
	}
	w := m.newWork()
	m.evaluate(w, x, step)
	return w.logDensity, nil
}

// work is the scratch of one call.
type work struct {
	logDensity float64
	weights    []float64   // of the components given x
	scores     [][]float64 // of the components
	score      []float64   // of the mixture
	local      []float64   // coordinates along the axes of a component
}

func (m *Mixture) newWork() *work {
	n := m.shape.Size()
	w := &work{weights: make([]float64, len(m.parts)), score: make([]float64, n), local: make([]float64, n)}
	for range m.parts {
		w.scores = append(w.scores, make([]float64, n))
	}
	return w
}

// evaluate fills w with densities and scores at x.
func (m *Mixture) evaluate(w *work, x []float32, s schedule.Step) {
	best := math.Inf(-1)
	for k := range m.parts {
		w.weights[k] = m.parts[k].evaluate(w.scores[k], w.local, x, s)
		best = max(best, w.weights[k])
	}
	sum := 0.0
	for k, l := range w.weights {
		w.weights[k] = math.Exp(l - best)
		sum += w.weights[k]
	}
	w.logDensity = best + math.Log(sum)
	clear(w.score)
	for k := range m.parts {
		w.weights[k] /= sum
		for j, v := range w.scores[k] {
			w.score[j] += w.weights[k] * v
		}
	}
}

// evaluate returns the log density of a component with its weight and writes its
// score.
func (p *part) evaluate(score, local []float64, x []float32, s schedule.Step) float64 {
	for j := range local {
		score[j] = float64(x[j]) - s.SqrtAlphaBar*p.mean[j]
	}
	p.toAxes(local, score)
	log := p.logWeight - 0.5*float64(len(local))*math.Log(2*math.Pi)
	for j, y := range local {
		v := s.AlphaBar*p.eigenvalues[j] + 1 - s.AlphaBar
		log -= 0.5 * (y*y/v + math.Log(v))
		local[j] = -y / v
	}
	p.fromAxes(score, local)
	return log
}

// hessianTimes writes the product of the Hessian at the evaluated x with c.
func (m *Mixture) hessianTimes(w *work, dst, c []float32, s schedule.Step) {
	n := len(w.score)
	out, local := make([]float64, n), make([]float64, n)
	wide := make([]float64, n)
	for j, v := range c {
		wide[j] = float64(v)
	}
	addScaled(out, -dot(w.score, wide), w.score)
	for k := range m.parts {
		p := &m.parts[k]
		addScaled(out, w.weights[k]*dot(w.scores[k], wide), w.scores[k])
		p.toAxes(local, wide)
		for j := range local {
			local[j] /= -(s.AlphaBar*p.eigenvalues[j] + 1 - s.AlphaBar)
		}
		p.fromAxes(w.local, local)
		addScaled(out, w.weights[k], w.local)
	}
	for j, v := range out {
		dst[j] = float32(v)
	}
}

// toAxes writes the coordinates of v along the principal axes.
func (p *part) toAxes(dst, v []float64) {
	if p.axes == nil {
		copy(dst, v)
		return
	}
	mat.NewVecDense(len(dst), dst).MulVec(p.axes.T(), mat.NewVecDense(len(v), v))
}

// fromAxes is the inverse of toAxes.
func (p *part) fromAxes(dst, v []float64) {
	if p.axes == nil {
		copy(dst, v)
		return
	}
	mat.NewVecDense(len(dst), dst).MulVec(p.axes, mat.NewVecDense(len(v), v))
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func addScaled(dst []float64, a float64, v []float64) {
	for i := range dst {
		dst[i] += a * v[i]
	}
}
