package pusht

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/experiment"
	pushmetric "github.com/go-pcd/pcd/internal/metric/pusht"
	"github.com/go-pcd/pcd/internal/push"
)

// CellResult is what a cell gave so far. It grows by some pairs at a time.
type CellResult struct {
	experiment.Header[Cell]
	// Judged holds the measures of the finished pairs of every condition.
	Judged [][]pushmetric.Sample `json:"judged"`
	// CertifiedPairs counts the pairs that ran together with certified ones only.
	CertifiedPairs int              `json:"certified_pairs"`
	MaxViolation   experiment.Worst `json:"max_violation"` // worst step; 0 or less when certified
	// Coverage is the mean reward after every action, over all trajectories.
	Coverage []float64    `json:"coverage"`
	Speeds   Histogram    `json:"speeds"`  // of all actions
	Seconds  push.Seconds `json:"seconds"` // of all pairs together
}

// Progress implements part of [experiment.Result].
func (r *CellResult) Progress(of Cell) (done, total int) {
	for i := range min(of.Conditions, len(r.Judged)) {
		done += min(of.Pairs, len(r.Judged[i]))
	}
	return done, of.Conditions * of.Pairs
}

// Check implements part of [experiment.Result].
func (r *CellResult) Check() error {
	c, n := r.Cell, r.pairs()
	bounds := []experiment.Bound{
		{Name: "limits", Value: float64(len(c.Limits)), Low: 1, High: mostCells},
		{Name: "judged conditions", Value: float64(len(r.Judged)), High: float64(c.Conditions)},
		{Name: "certified_pairs", Value: float64(r.CertifiedPairs), High: float64(n)},
	}
	for i, judged := range r.Judged {
		bounds = append(bounds, experiment.Bound{Name: fmt.Sprintf("pairs of condition %d", i), Value: float64(len(judged)), High: float64(c.Pairs)})
		for _, s := range judged {
			bounds = append(bounds, experiment.Bound{Name: "limits of a pair", Value: float64(len(s.Within)), Low: float64(len(c.Limits)), High: float64(len(c.Limits))})
		}
	}
	for _, n := range r.Speeds.Counts {
		bounds = append(bounds, experiment.Bound{Name: "counts of speeds", Value: float64(n), High: math.MaxInt32})
	}
	if n > 0 {
		bounds = append(bounds, experiment.Bound{Name: "coverage", Value: float64(len(r.Coverage)), Low: pusht.EpisodeSteps, High: pusht.EpisodeSteps})
	}
	_, methodErr := push.ParseMethod(string(c.Method))
	_, presetErr := push.SettingsByName(c.Preset)
	return errors.Join(methodErr, presetErr, checkAmounts(c.Conditions, c.Pairs), experiment.CheckBounds(bounds...), experiment.CheckPositive("limits", c.Limits...))
}

// add judges the pairs of a run, the next ones of their conditions.
func (r *CellResult) add(p *push.Result) error {
	pairs, before := p.Trajectories(), float64(r.pairs())
	if r.Coverage == nil {
		r.Coverage = make([]float64, pusht.EpisodeSteps)
	}
	sum := make([]float64, len(r.Coverage))
	for i, pair := range pairs {
		condition := p.Pairs[i].Condition
		judged, err := pushmetric.Judge(pair, r.Cell.Limits)
		if err != nil {
			return fmt.Errorf("pair %d of condition %d: %w", p.Pairs[i].Number, condition, err)
		}
		for len(r.Judged) <= condition {
			r.Judged = append(r.Judged, nil)
		}
		r.Judged[condition] = append(r.Judged[condition], judged)
		for _, t := range pair {
			for k, reward := range t.Rewards {
				sum[k] += reward / 2
			}
			for _, v := range pushmetric.Speeds(t) {
				r.Speeds.Add(v)
			}
		}
	}
	for k, s := range sum {
		r.Coverage[k] = (r.Coverage[k]*before + s) / (before + float64(len(pairs)))
	}
	if p.Certificate.Certified {
		r.CertifiedPairs += len(pairs)
	}
	if r.Cell.Method.Projected() {
		r.MaxViolation.Add(p.Certificate.MaxViolation)
	}
	r.Seconds.Add(p.Seconds)
	return nil
}

// pairs returns the number of finished pairs.
func (r *CellResult) pairs() (n int) {
	for _, judged := range r.Judged {
		n += len(judged)
	}
	return n
}

// balanced returns as many pairs as possible of which every condition has the same
// number. While a cell grows, its first conditions have more.
func (r *CellResult) balanced() [][]pushmetric.Sample {
	conditions, pairs := 0, 0
	for i, judged := range r.Judged {
		if (i+1)*len(judged) >= conditions*pairs {
			conditions, pairs = i+1, len(judged)
		}
	}
	out := make([][]pushmetric.Sample, conditions)
	for i := range out {
		out[i] = r.Judged[i][:pairs]
	}
	return out
}

// Certified reports whether all plans of a projected method are certified.
func (r *CellResult) Certified() bool {
	n := r.pairs()
	return r.Cell.Method.Projected() && n > 0 && r.CertifiedPairs == n
}

// Measures are the columns of the published tables. Intervals take conditions as the
// independent units.
type Measures struct {
	DTW       experiment.Stat    `json:"dtw"`
	DFD       experiment.Stat    `json:"dfd"`
	CS        [2]experiment.Stat `json:"cs"` // per member, as a rate
	TC        [2]experiment.Stat `json:"tc"` // per member
	Completed experiment.Stat    `json:"tc_both"`
}

// limits returns the limits that there are measures at.
func (r *CellResult) limits() []float64 {
	if r.pairs() == 0 {
		return nil
	}
	return r.Cell.Limits
}

// Limit returns the measures at a speed limit, false when the cell was not judged
// at it.
func (r *CellResult) Limit(limit float64) (Measures, bool) {
	at := slices.Index(r.Cell.Limits, limit)
	if at < 0 {
		return Measures{}, false
	}
	s, err := pushmetric.Summarise(r.balanced(), r.Cell.Limits)
	if err != nil || s.Pairs == 0 {
		return Measures{}, false
	}
	stat := experiment.StatOf
	m := Measures{DTW: stat(s.DTW), DFD: stat(s.DFD), Completed: stat(s.Completed)}
	for k := range 2 {
		m.CS[k], m.TC[k] = stat(s.Limits[at].Member[k]), stat(s.Completion[k])
	}
	return m, true
}

// Histogram counts speeds in bins of equal width.
type Histogram struct {
	Counts []int `json:"counts"`
}

// speedBin is the width of a bin in normalised units per hundredth of a second.
const speedBin = 0.05

// Add counts a speed.
func (h *Histogram) Add(v float64) {
	bin := int(v / speedBin)
	for len(h.Counts) <= bin {
		h.Counts = append(h.Counts, 0)
	}
	h.Counts[bin]++
}

// Quantile returns the speed below which a share of the speeds lie, to the
// resolution of a bin.
func (h Histogram) Quantile(share float64) float64 {
	total := 0
	for _, n := range h.Counts {
		total += n
	}
	want, below := share*float64(total), 0.0
	for bin, n := range h.Counts {
		if n > 0 && below+float64(n) >= want {
			return speedBin * (float64(bin) + (want-below)/float64(n))
		}
		below += float64(n)
	}
	return 0
}
