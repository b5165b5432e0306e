package planner

import (
	"errors"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/manifest"
	pushmetric "github.com/go-pcd/pcd/internal/metric/pusht"
	"github.com/go-pcd/pcd/internal/push"
)

// PushSummary is what pairs of runs amount to.
type PushSummary struct {
	Status      manifest.Status  `json:"status"` // "finished": others are not summarised
	Method      push.Method      `json:"method"`
	Limit       float64          `json:"vmax"` // at which CS is judged
	Gamma       float64          `json:"gamma"`
	Scale       push.Scale       `json:"gamma_scale,omitempty"`
	Policy      string           `json:"policy,omitempty"` // of somebody else, for both members or the first
	Init        string           `json:"init"`
	Pairs       int              `json:"pairs"`
	Seed        uint64           `json:"seed"`
	Preset      string           `json:"preset"`
	Sampler     string           `json:"sampler,omitempty"`        // "" is ddpm
	Steps       int              `json:"sampling_steps,omitempty"` // 0 is those of the model
	Metrics     PushMetrics      `json:"metrics"`
	Certificate push.Certificate `json:"certificate"`
	Seconds     push.Seconds     `json:"seconds"`
	Units       Units            `json:"units"`
	Step        float64          `json:"dt"` // between two actions
	Files       []string         `json:"files"`
}

// pushUnits are those of the window, and the published ones of speed limits.
var pushUnits = Units{Length: "px", Time: "s", Speed: "normalised units per 0.01 s"}

// PushMetrics are the measures of the published tables, means over the pairs.
type PushMetrics struct {
	DTW float64    `json:"dtw"`
	DFD float64    `json:"dfd"`
	CS  [2]float64 `json:"cs"` // per member, a rate in [0, 1]
	TC  [2]float64 `json:"tc"` // per member, in [0, 1]
}

// summarise returns the summary of a finished run.
func (t *PushTask) summarise(r *push.Result) (*PushSummary, error) {
	run := t.Options
	judged, err := r.Judge([]float64{run.VMax})
	if err != nil {
		return nil, err
	}
	m, err := pushmetric.Summarise([][]pushmetric.Sample{judged}, []float64{run.VMax})
	if err != nil {
		return nil, err
	}
	s := &PushSummary{
		Status: manifest.Finished, Method: run.Method, Limit: run.VMax, Gamma: run.Gamma, Init: orElse(t.Request.Init, "0"), Policy: t.Request.Policy, Pairs: len(r.Pairs), Seed: run.Seed, Preset: run.Settings.Name, Sampler: run.Sampler, Steps: run.Respacing.Steps,
		Certificate: r.Certificate, Seconds: r.Seconds, Files: []string{},
		Units: pushUnits, Step: 1.0 / pusht.ActionsPerSecond,
		Metrics: PushMetrics{DTW: m.DTW.Mean, DFD: m.DFD.Mean},
	}
	if run.Method.Coupling() != push.Uncoupled {
		s.Scale = run.Settings.ScaleOf(run.Method)
	}
	for k := range 2 {
		s.Metrics.CS[k], s.Metrics.TC[k] = m.Limits[0].Member[k].Mean, m.Completion[k].Mean
	}
	return s, nil
}

// pushSettings is what a manifest records of pairs.
type pushSettings struct {
	Options  push.Options  `json:"options"`
	Settings push.Settings `json:"settings"`
	Init     string        `json:"init"`
	Pairs    int           `json:"pairs"`
	Model    push.Card     `json:"model"`
}

// settings returns what the manifest records.
func (t *PushTask) settings() pushSettings {
	return pushSettings{t.Options.Options, t.Options.Settings, orElse(t.Request.Init, "0"), len(t.Starts), t.Models[1].Card}
}

// pushArrays returns states [member, pair, step+1, 5], actions [member, pair, step, 2]
// and rewards [member, pair, step] of the steps that were planned.
func pushArrays(r *push.Result) ([]dataset.Array, error) {
	rec, n := r.Recording, len(r.Pairs)
	actions, err1 := dataset.NewArray("actions", []int{2, n, rec.Steps, 2}, rec.Actions)
	states, err2 := dataset.NewArray("states", []int{2, n, rec.Steps + 1, 5}, rec.States)
	rewards, err3 := dataset.NewArray("rewards", []int{2, n, rec.Steps}, rec.Rewards)
	return []dataset.Array{actions, states, rewards}, errors.Join(err1, err2, err3)
}
