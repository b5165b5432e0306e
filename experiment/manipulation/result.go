package manipulation

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/metric"
	"github.com/go-pcd/pcd/push"
)

// CellResult is what a cell gave so far. It grows condition by condition.
type CellResult struct {
	Cell Cell `json:"cell"`
	// Judged holds the measures of every pair of the finished conditions.
	Judged [][]metric.PushTSample `json:"judged"`
	// CertifiedConditions counts the conditions whose plans were all certified.
	CertifiedConditions int     `json:"certified_conditions"`
	MaxViolation        float64 `json:"max_violation"` // worst step; 0 or less when certified
	// Coverage is the mean reward after every action, over all trajectories.
	Coverage []float64 `json:"coverage"`
	Speeds   Histogram `json:"speeds"` // of all actions

	Seconds push.Seconds       `json:"seconds"` // of all conditions together
	Machine experiment.Machine `json:"machine"` // that computed the last condition
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

func (r *CellResult) add(p *push.Result) error {
	pairs := p.Trajectories()
	judged := make([]metric.PushTSample, len(pairs))
	before := float64(len(r.Judged))
	sum := make([]float64, len(r.Coverage))
	for i, pair := range pairs {
		var err error
		if judged[i], err = metric.JudgePushT(pair, r.Cell.Limits); err != nil {
			return err
		}
		for _, t := range pair {
			for k, reward := range t.Rewards {
				sum[k] += reward / float64(2*len(pairs))
			}
			for _, v := range metric.PushTSpeeds(t) {
				r.Speeds.Add(v)
			}
		}
	}
	for k, s := range sum {
		r.Coverage[k] = (r.Coverage[k]*before + s) / (before + 1)
	}
	r.Judged = append(r.Judged, judged)
	if p.Certificate.Certified {
		r.CertifiedConditions++
	}
	if r.Cell.Method.Projected() {
		r.MaxViolation = max(r.MaxViolation, p.Certificate.MaxViolation)
	}
	r.Seconds.Add(p.Seconds)
	return nil
}

// Certified reports whether all plans of a projected method are certified.
func (r *CellResult) Certified() bool {
	return r.Cell.Method.Projected() && len(r.Judged) > 0 && r.CertifiedConditions == len(r.Judged)
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
	s, err := metric.SummarisePushTSamples(r.Judged, r.Cell.Limits)
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
