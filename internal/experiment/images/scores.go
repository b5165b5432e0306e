package images

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Segment is the chord between two exemplars in latent space, with the model that draws
// there.
type Segment struct {
	Gender    portrait.Gender
	Exemplars tensor.Batch // two latents
	Length    float64
	model     denoise.Denoiser // predicts the score
	source    *source
	steps     []int // timesteps of sampling, first to last
}

// Segments returns the chords between the first two exemplars of both images, for a
// number of steps of sampling; 0 is the published one.
func Segments(ctx context.Context, s Source, steps int) ([]Segment, error) {
	if steps == 0 {
		steps = publishedSteps
	}
	from := withExemplars(s)
	visited, err := s.Model.Noise.Visit(steps)
	if err != nil {
		return nil, err
	}
	var out []Segment
	for k, g := range members {
		seg := Segment{Gender: g, source: from}
		if seg.Exemplars, err = from.encode(ctx, k, 2); err != nil {
			return nil, err
		}
		if seg.model, err = scoreOf(ctx, s.Model, seg.Exemplars.Shape); err != nil {
			return nil, err
		}
		for i := visited.Len() - 1; i >= 0; i-- {
			seg.steps = append(seg.steps, visited.At(i).Timestep)
		}
		for _, v := range seg.direction() {
			seg.Length = math.Hypot(seg.Length, v)
		}
		out = append(out, seg)
	}
	return out, nil
}

// scoreOf returns a model that predicts the score of latents, told nothing.
func scoreOf(ctx context.Context, m *pair.Model, shape tensor.Shape) (denoise.Denoiser, error) {
	told, _, err := m.Denoiser(ctx, shape, latent.Conditions{Guidance: 1})
	if err != nil {
		return nil, err
	}
	return denoise.Convert(told, schedule.Score, m.Noise.Schedule)
}

// direction returns the way from the first exemplar to the second.
func (s *Segment) direction() []float64 {
	out := make([]float64, s.Exemplars.Size())
	for i, v := range s.Exemplars.Sample(1) {
		out[i] = float64(v) - float64(s.Exemplars.Sample(0)[i])
	}
	return out
}

// points returns the points of the chord at shares of the way.
func (s *Segment) points(shares []float64) tensor.Batch {
	out, d := tensor.New(len(shares), s.Exemplars.Shape...), s.direction()
	for k, a := range shares {
		for i, v := range s.Exemplars.Sample(0) {
			out.Sample(k)[i] = float32(float64(v) + a*d[i])
		}
	}
	return out
}

// Scores is what the score of a model says along a chord.
type Scores struct {
	Gender    portrait.Gender `json:"gender"`
	Length    float64         `json:"chord"`
	Timesteps []int           `json:"timesteps"` // first to last of sampling
	Shares    []float64       `json:"shares"`    // of the way from the first exemplar to the second
	// Along is the signed component of the score along the chord, by timestep and share:
	// positive where it points to the second exemplar.
	Along [][]float64 `json:"along"`
}

// Scores evaluates the score at n points of the chord, without noise, as the sampler sees
// them under projection.
//
// Source: PCD, the heat map of the image experiment, h = ⟨s_t(z), d⟩/‖d‖ with z between
// the exemplars and d from the left to the right one.
func (s *Segment) Scores(ctx context.Context, n int, progress func(done, total int)) (*Scores, error) {
	if err := experiment.CheckNumbers(SpecPoints, float64(n)); err != nil {
		return nil, err
	}
	out := &Scores{Gender: s.Gender, Length: s.Length, Timesteps: s.steps}
	for i := range n {
		out.Shares = append(out.Shares, float64(i)/float64(n-1))
	}
	z, d := s.points(out.Shares), s.direction()
	err := s.each(ctx, func(int) tensor.Batch { return z }, func(_ int, score tensor.Batch) {
		row := make([]float64, n)
		for k := range row {
			row[k] = along(score.Sample(k), d) / s.Length
		}
		out.Along = append(out.Along, row)
	}, progress)
	return out, err
}

// each calls f with the score of points at every timestep.
func (s *Segment) each(ctx context.Context, points func(step int) tensor.Batch, f func(step int, score tensor.Batch), progress func(done, total int)) error {
	for i, t := range s.steps {
		z := points(i)
		score := tensor.New(z.N, z.Shape...)
		if err := s.model.Predict(ctx, score, z, t); err != nil {
			return err
		}
		f(i, score)
		if progress != nil {
			progress(i+1, len(s.steps))
		}
	}
	return nil
}

// Ratio is how much longer the score is than its part along the chord, over the steps of
// sampling.
type Ratio struct {
	Gender    portrait.Gender `json:"gender"`
	Timesteps []int           `json:"timesteps"`
	Mean      []float64       `json:"mean"` // over samples: r_t
	// Outliers are the steps with r_t ≥ μ + 1.5 σ over all steps: the score is nearly
	// orthogonal to the chord there.
	Outliers []bool  `json:"outliers"`
	Level    float64 `json:"level"` // mean over the other steps
}

// outlierDeviations is the published rule.
const outlierDeviations = 1.5

// Ratio follows n samples of the projected model with the noise of the rule and measures
// ‖s_t‖/|⟨s_t, d⟩/‖d‖| where they are before each step. The first step, which begins
// outside of the hull, is seen from the middle of the chord.
//
// Source: PCD, r_t of the image experiment.
func (s *Segment) Ratio(ctx context.Context, n int, seed uint64, progress func(done, total int)) (*Ratio, error) {
	shares, err := s.paths(ctx, n, seed)
	if err != nil {
		return nil, err
	}
	return s.ratio(ctx, shares, progress)
}

// ratio measures where samples are: at shares of the way, for every step.
func (s *Segment) ratio(ctx context.Context, shares [][]float64, progress func(done, total int)) (*Ratio, error) {
	out := &Ratio{Gender: s.Gender, Timesteps: s.steps}
	d := s.direction()
	err := s.each(ctx, func(i int) tensor.Batch { return s.points(shares[i]) }, func(_ int, score tensor.Batch) {
		mean := 0.0
		for k := range score.N {
			x := score.Sample(k)
			part := max(math.Abs(along(x, d)/s.Length), math.SmallestNonzeroFloat32)
			mean += math.Sqrt(squares(x)) / part / float64(score.N)
		}
		out.Mean = append(out.Mean, mean)
	}, progress)
	out.judge()
	return out, err
}

// judge finds the outliers.
func (r *Ratio) judge() {
	m := momentsOf(r.Mean)
	var others []float64
	for _, v := range r.Mean {
		out := v >= m.Mean+outlierDeviations*m.Std && m.Std > 0
		r.Outliers = append(r.Outliers, out)
		if !out {
			others = append(others, v)
		}
	}
	r.Level, _ = metric.Moments(others)
}

// paths returns where n samples are on the chord before every step.
func (s *Segment) paths(ctx context.Context, n int, seed uint64) ([][]float64, error) {
	c := Cell{Method: pair.SDP, Exemplars: 2, Steps: len(s.steps), Pairs: n, Seeds: 1}
	request, err := s.source.request(c, seed)
	if err != nil {
		return nil, err
	}
	request.Undecoded = true
	drawn, err := pair.Do(ctx, request)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(s.steps))
	for i := range out {
		out[i] = make([]float64, n)
		for k := range n {
			out[i][k] = 0.5
			if i > 0 {
				out[i][k] = float64(drawn.Members[s.Gender].WeightsAt(i-1, k)[1])
			}
		}
	}
	return out, nil
}

// along returns the inner product of a score with a direction.
func along(x []float32, d []float64) (sum float64) {
	for i, v := range x {
		sum += float64(v) * d[i]
	}
	return sum
}

// squares returns the squared length of a score.
func squares(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum
}

// Strip decodes n points of the chord, the exemplars included: what an interpolation in
// latent space looks like. The result is [n, 3, height, width] in about [-1, 1].
func (s *Segment) Strip(ctx context.Context, n int) (tensor.Batch, error) {
	if err := experiment.CheckNumbers(SpecDecoded, float64(n)); err != nil {
		return tensor.Batch{}, err
	}
	shares := make([]float64, n)
	for i := range shares {
		shares[i] = float64(i) / float64(n-1)
	}
	return s.source.Model.Codec.Decode(ctx, s.points(shares), nil)
}

// encode returns the latents of the first n exemplars of an image of a pair.
func (s *source) encode(ctx context.Context, k, n int) (tensor.Batch, error) {
	exemplars, err := s.exemplars(k, n)
	if err != nil {
		return tensor.Batch{}, err
	}
	height, width := s.Model.Size()
	z, err := s.Model.Codec.Encode(ctx, pixels(exemplars, tensor.Shape{3, height, width}), nil, nil)
	if err != nil {
		return z, fmt.Errorf("exemplars of %s: %w", members[k], err)
	}
	return z, nil
}
