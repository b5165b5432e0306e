package images

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/pair"
)

// CellResult is what a cell gave so far. It grows by batches.
type CellResult struct {
	experiment.Header[Cell]
	Networks Networks `json:"lenses"`
	Batches  []Batch  `json:"batches"` // of the seeds from the first on
}

// Batch is what the pairs of a seed gave.
type Batch struct {
	Seed      uint64           `json:"seed"`
	Choices   pair.Choices     `json:"choices"` // what the zeros of the cell were
	Pairs     []Pair           `json:"pairs"`
	Diversity [2]Moments       `json:"diversity"` // of the pairs of images of one member
	Frechet   [2]float64       `json:"frechet"`   // to the exemplars
	Certified bool             `json:"certified"`
	Residual  experiment.Worst `json:"max_residual"` // of the hulls, none without projection
	Times     Times            `json:"times"`
}

// Pair is what was seen in the two images of a pair.
type Pair struct {
	Old        [2]float64   `json:"old"`        // probability by the judge
	Gender     [2]float64   `json:"gender"`     // probability of the member's own: man, woman
	Similarity [2]float64   `json:"similarity"` // mean over exemplars
	Distance   [2]float64   `json:"distance"`   // least over exemplars
	Weights    [2][]float32 `json:"weights,omitempty"`
}

// differ reports whether exactly one of the images is of somebody old.
func (p Pair) differ() bool { return (p.Old[0] > 0.5) != (p.Old[1] > 0.5) }

// Moments are the mean and the population standard deviation of some numbers.
type Moments struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

func momentsOf(x []float64) Moments {
	mean, variance := metric.Moments(x)
	return Moments{mean, math.Sqrt(variance)}
}

// pooled returns the moments of several sets of equal size together.
func pooled(all []Moments) Moments {
	mean, between := metric.Moments(metric.Values(all, func(m Moments) float64 { return m.Mean }))
	within, _ := metric.Moments(metric.Values(all, func(m Moments) float64 { return m.Std * m.Std }))
	return Moments{mean, math.Sqrt(between + within)}
}

// Times are seconds of the steps of a batch, over all its pairs together.
type Times struct {
	Network    Moments `json:"network"`
	Coupling   Moments `json:"coupling"`
	Projection Moments `json:"projection"`
	Other      Moments `json:"other"`
	Total      Moments `json:"total"`
}

// timesOf describes the times of steps.
func timesOf(steps []pair.StepSeconds) Times {
	m, d := pair.MomentsOf(steps)
	return Times{
		Network: Moments{m.Network, d.Network}, Coupling: Moments{m.Coupling, d.Coupling},
		Projection: Moments{m.Projection, d.Projection}, Other: Moments{m.Other, d.Other}, Total: Moments{m.Total, d.Total},
	}
}

// Progress implements part of [experiment.Result].
func (r *CellResult) Progress(of Cell) (done, total int) {
	return min(of.Seeds, len(r.Batches)) * of.Pairs, of.Seeds * of.Pairs
}

// Check implements part of [experiment.Result].
func (r *CellResult) Check() error {
	c := r.Cell
	bounds := []experiment.Bound{{Name: "batches", Value: float64(len(r.Batches)), High: float64(c.Seeds)}}
	for _, b := range r.Batches {
		bounds = append(bounds, experiment.Bound{Name: fmt.Sprintf("pairs of seed %d", b.Seed), Value: float64(len(b.Pairs)), Low: float64(c.Pairs), High: float64(c.Pairs)})
		for _, p := range b.Pairs {
			bounds = append(bounds, p.bounds(c)...)
		}
	}
	if len(r.Batches) > 0 && min(r.Networks.Similarity, r.Networks.Distance, r.Networks.Frechet) == "" {
		return errors.New("lenses: it does not say what images were measured with")
	}
	_, err := pair.ParseMethod(string(c.Method))
	return errors.Join(err, checkAmounts(c.Pairs, c.Seeds, c.Steps), experiment.CheckNumbers(SpecExemplars, float64(c.Exemplars)), experiment.CheckBounds(bounds...))
}

// bounds are those of a pair of a cell.
func (p Pair) bounds(c Cell) (out []experiment.Bound) {
	n := 0
	if c.Method.Projected() {
		n = c.Exemplars
	}
	for k := range 2 {
		out = append(out,
			experiment.Bound{Name: "probability of age", Value: p.Old[k], High: 1 + 1e-6}, experiment.Bound{Name: "probability of gender", Value: p.Gender[k], High: 1 + 1e-6},
			experiment.Bound{Name: "weights of an image", Value: float64(len(p.Weights[k])), Low: float64(n), High: float64(n)})
	}
	return out
}

// Measures are the columns of the published tables, and the spread of the weights.
type Measures struct {
	XOR        experiment.Stat    `json:"xor"`    // as a rate
	Gender     [2]experiment.Stat `json:"gender"` // man, woman: as rates
	Similarity [2]experiment.Stat `json:"se_similarity"`
	Distance   [2]experiment.Stat `json:"se_distance"`
	Frechet    [2]experiment.Stat `json:"se_frechet"`
	Diversity  [2]experiment.Stat `json:"is_distance"`
	// Spread is the root of half the total variance of the weights in the hull, which is
	// the standard deviation of either of two; nil without projection.
	Spread []experiment.Stat `json:"weight_spread,omitempty"`
}

// Measures returns the measures so far, false when there are none.
func (r *CellResult) Measures() (m Measures, ok bool) {
	if len(r.Batches) == 0 {
		return m, false
	}
	var pairs []Pair
	for _, b := range r.Batches {
		pairs = append(pairs, b.Pairs...)
	}
	xor := metric.Values(pairs, func(p Pair) float64 { return metric.Indicator(p.differ()) })
	m.XOR = stat(xor, metric.Wilson(momentsOf(xor).Mean, float64(len(xor))))
	for k := range 2 {
		m.Gender[k] = rate(metric.Values(pairs, func(p Pair) float64 { return min(p.Gender[k], 1) }))
		m.Similarity[k] = average(metric.Values(pairs, func(p Pair) float64 { return p.Similarity[k] }))
		m.Distance[k] = average(metric.Values(pairs, func(p Pair) float64 { return p.Distance[k] }))
		m.Frechet[k] = average(metric.Values(r.Batches, func(b Batch) float64 { return b.Frechet[k] }))
		m.Diversity[k] = r.diversity(k)
		if r.Cell.Method.Projected() {
			m.Spread = append(m.Spread, average(metric.Values(r.Batches, func(b Batch) float64 { return b.spread(k) })))
		}
	}
	return m, true
}

// stat returns the mean and the deviation of values with an interval.
func stat(values []float64, i metric.Interval) experiment.Stat {
	m := momentsOf(values)
	return experiment.Stat{Mean: m.Mean, Std: m.Std, Lo: i.Lo, Hi: i.Hi}
}

// rate returns the mean of independent values between 0 and 1.
func rate(values []float64) experiment.Stat { return stat(values, metric.ClusteredRate(values)) }

// average returns the mean of independent values. One value has no interval.
func average(values []float64) experiment.Stat { return stat(values, metric.ClusteredMean(values)) }

// diversity returns the mean over the pairs of images of a member, whose deviation is
// that over all of them. Images of one pair belong to other pairs, too: seeds are the
// independent units.
func (r *CellResult) diversity(k int) experiment.Stat {
	all := make([]Moments, len(r.Batches))
	for i, b := range r.Batches {
		all[i] = b.Diversity[k]
	}
	s := average(metric.Values(all, func(m Moments) float64 { return m.Mean }))
	s.Std = pooled(all).Std
	return s
}

// spread returns the root of half the total variance of the weights of a member.
func (b Batch) spread(k int) float64 {
	total := 0.0
	for i := range b.Pairs[0].Weights[k] {
		_, variance := metric.Moments(metric.Values(b.Pairs, func(p Pair) float64 { return float64(p.Weights[k][i]) }))
		total += variance
	}
	return math.Sqrt(total / 2)
}

// Certified reports whether all latents of a projected method were in their hulls.
func (r *CellResult) Certified() bool {
	for _, b := range r.Batches {
		if !b.Certified {
			return false
		}
	}
	return r.Cell.Method.Projected() && len(r.Batches) > 0
}
