package manipulation

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/metric"
	"github.com/go-pcd/pcd/push"
)

// CellResult is what a cell gave so far. It grows by some pairs at a time.
type CellResult struct {
	Cell Cell `json:"cell"`
	// Judged holds the measures of the finished pairs of every condition.
	Judged [][]metric.PushTSample `json:"judged"`
	// CertifiedPairs counts the pairs that ran together with certified ones only.
	CertifiedPairs int     `json:"certified_pairs"`
	MaxViolation   float64 `json:"max_violation"` // worst step; 0 or less when certified
	// Coverage is the mean reward after every action, over all trajectories.
	Coverage []float64 `json:"coverage"`
	Speeds   Histogram `json:"speeds"` // of all actions

	Seconds push.Seconds       `json:"seconds"` // of all pairs together
	Machine experiment.Machine `json:"machine"` // that computed the last pairs
	Version string             `json:"version"`
	Model   push.Card          `json:"model"`
}

// begin returns the result to go on with.
func (c Cell) begin(from *CellResult, model *push.Model) *CellResult {
	r := from
	if r == nil {
		r = &CellResult{MaxViolation: -math.MaxFloat64, Coverage: make([]float64, pusht.EpisodeSteps)}
	}
	r.Cell, r.Model, r.Machine, r.Version = c, model.Card, experiment.ThisMachine(), experiment.Version()
	return r
}

// add judges the pairs of a run, the next ones of their conditions.
func (r *CellResult) add(p *push.Result) error {
	pairs, before := p.Trajectories(), float64(r.pairs())
	sum := make([]float64, len(r.Coverage))
	for i, pair := range pairs {
		judged, err := metric.JudgePushT(pair, r.Cell.Limits)
		if err != nil {
			return err
		}
		condition := p.Pairs[i].Condition
		for len(r.Judged) <= condition {
			r.Judged = append(r.Judged, nil)
		}
		r.Judged[condition] = append(r.Judged[condition], judged)
		for _, t := range pair {
			for k, reward := range t.Rewards {
				sum[k] += reward / 2
			}
			for _, v := range metric.PushTSpeeds(t) {
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
		r.MaxViolation = max(r.MaxViolation, p.Certificate.MaxViolation)
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
func (r *CellResult) balanced() [][]metric.PushTSample {
	conditions, pairs := 0, 0
	for i, judged := range r.Judged {
		if (i+1)*len(judged) >= conditions*pairs {
			conditions, pairs = i+1, len(judged)
		}
	}
	out := make([][]metric.PushTSample, conditions)
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

// Measures are the columns of the published tables.
type Measures struct {
	DTW       Stat    `json:"dtw"`
	DFD       Stat    `json:"dfd"`
	CS        [2]Stat `json:"cs"` // per member, as a rate
	TC        [2]Stat `json:"tc"` // per member
	Completed Stat    `json:"tc_both"`
}

// Stat is a mean with the standard deviation over pairs, as published, and the
// 95 % interval of the mean, which takes conditions as the independent units.
type Stat struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

func stat(e metric.Estimate) Stat {
	return Stat{Mean: e.Mean, Std: e.Std, Lo: e.Interval.Lo, Hi: e.Interval.Hi}
}

// Limit returns the measures at a speed limit, false when the cell was not judged
// at it.
func (r *CellResult) Limit(limit float64) (Measures, bool) {
	at := slices.Index(r.Cell.Limits, limit)
	s, err := metric.SummarisePushTSamples(r.balanced(), r.Cell.Limits)
	if at < 0 || err != nil || s.Pairs == 0 {
		return Measures{}, false
	}
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
