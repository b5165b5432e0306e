package pusht

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/env/pusht"
)

// Description says what demonstrations hold and how well the simulator repeats
// them.
type Description struct {
	Episodes  int        `json:"episodes"`
	Steps     int        `json:"steps"`
	Lengths   Lengths    `json:"lengths"`
	ActionMin [2]float32 `json:"action_min"` // px
	ActionMax [2]float32 `json:"action_max"`
	Mirrored  int        `json:"mirrored"` // episodes whose mirror image is a motion too
	Replay    Replay     `json:"replay"`
}

// Lengths are those of the episodes in steps.
type Lengths struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
	Min  int     `json:"min"`
	Max  int     `json:"max"`
}

// Replay compares the recorded states with those that the recorded actions lead to
// in the simulator.
type Replay struct {
	// Errors are the largest distances of the block over an episode, in pixels, at
	// the shares of Quantiles of the episodes.
	Quantiles []float64 `json:"quantiles"`
	Errors    []float64 `json:"block_errors"`
	Agent     float64   `json:"agent_error"` // largest of all episodes, px
	Angle     float64   `json:"angle_error"` // at the last of Quantiles, rad
	// Completed counts the episodes whose last state covers 95 % of the goal, as
	// recorded and as replayed, and as replayed after the last action, whose result
	// is not recorded.
	Recorded int `json:"completed_recorded"`
	Replayed int `json:"completed_replayed"`
	Finally  int `json:"completed_after_last_action"`
	// Coverage is the largest difference of the last recorded coverage.
	Coverage float64 `json:"coverage_error"`
}

// Describe replays demonstrations.
func Describe(d *pusht.Demonstrations) (Description, error) {
	out := Description{Episodes: d.Episodes(), Steps: d.Actions.N}
	if out.Steps == 0 {
		return out, fmt.Errorf("pusht: there are no steps")
	}
	copy(out.ActionMin[:], d.Actions.Sample(0))
	copy(out.ActionMax[:], d.Actions.Sample(0))
	for i, v := range d.Actions.Data {
		c := i % 2
		out.ActionMin[c], out.ActionMax[c] = min(out.ActionMin[c], v), max(out.ActionMax[c], v)
	}
	out.Lengths = lengths(d)
	_, mirrored := d.Mirrored(mirrorClearance)
	out.Mirrored = len(mirrored)
	var err error
	out.Replay, err = replay(d)
	return out, err
}

func lengths(d *pusht.Demonstrations) Lengths {
	l := Lengths{Min: math.MaxInt}
	squares := 0.0
	for e := range d.Episodes() {
		lo, hi := d.Rows(e)
		n := hi - lo
		l.Min, l.Max = min(l.Min, n), max(l.Max, n)
		l.Mean += float64(n)
		squares += float64(n * n)
	}
	episodes := float64(d.Episodes())
	l.Mean /= episodes
	l.Std = math.Sqrt(max(0, squares/episodes-l.Mean*l.Mean))
	return l
}

func replay(d *pusht.Demonstrations) (Replay, error) {
	r := Replay{Quantiles: []float64{0.5, 0.9, 0.99, 1}}
	var errors, angles []float64
	for e := range d.Episodes() {
		p, err := pusht.Replay(d.Episode(e))
		if err != nil {
			return r, fmt.Errorf("pusht: episode %d: %w", e, err)
		}
		errors, angles = append(errors, p.BlockError), append(angles, p.AngleError)
		r.Agent = max(r.Agent, p.AgentError)
		r.Coverage = max(r.Coverage, math.Abs(p.Coverage-p.RecordedCoverage))
		for _, c := range []struct {
			coverage float64
			count    *int
		}{{p.RecordedCoverage, &r.Recorded}, {p.Coverage, &r.Replayed}, {p.FinalCoverage, &r.Finally}} {
			if c.coverage >= pusht.Success {
				*c.count++
			}
		}
	}
	slices.Sort(errors)
	for _, q := range r.Quantiles {
		r.Errors = append(r.Errors, errors[int(math.Ceil(q*float64(len(errors))))-1])
	}
	r.Angle = slices.Max(angles)
	return r, nil
}
