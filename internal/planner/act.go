package planner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/policy"
)

// ActRequest asks what a policy does about recorded observations. A nil or empty field is left
// to the task.
type ActRequest struct {
	Policy       string `json:"policy"`
	Observations string `json:"observations"`        // folder of a recording
	Scheduler    string `json:"scheduler,omitempty"` // see [policy.Schedulers]; that of the policy if left out
	Steps        *int   `json:"sampling_steps,omitempty"`
	Limits       string `json:"limits,omitempty"` // file
	Start        string `json:"start,omitempty"`  // where commands begin, numbers with commas; the state of the first observation if left out
	Half         bool   `json:"half,omitempty"`
	Seed         uint64 `json:"seed,omitempty"`
	Workers      int    `json:"workers,omitempty"`
}

// ActSteps are diffusion steps.
var ActSteps = settings.Steps.With(0, "diffusion steps (default: those of the policy)")

// ActSummary is what a policy did.
type ActSummary struct {
	Status       manifest.Status     `json:"status"`
	Policy       string              `json:"policy"`
	Vintage      policy.Vintage      `json:"vintage"`
	Observations int                 `json:"observations"`
	Plans        int                 `json:"plans"`
	Dynamics     string              `json:"dynamics"`
	Seed         uint64              `json:"seed"`
	Shape        policy.Shape        `json:"shape"`
	Limits       *policy.Limits      `json:"limits,omitempty"`
	Certificate  *policy.Certificate `json:"certificate,omitempty"` // with limits
	Actions      [][]float32         `json:"actions"`               // one for each observation
	Seconds      ActSeconds          `json:"seconds"`
	Files        []string            `json:"files"`
}

// ActSeconds says where the time went.
type ActSeconds struct {
	Load    float64 `json:"load"`
	Plan    float64 `json:"plan"`    // on average
	Longest float64 `json:"longest"` // of one action
}

// ActTask is a checked request.
type ActTask struct {
	Request  ActRequest
	policy   *policy.Policy
	limits   *policy.Limits
	sampling policy.Sampling
	begins   []float32 // nil for the state of the first observation
	load     float64
}

// Check implements [Task]. It opens the policy.
func (t *ActTask) Check() (err error) {
	r := t.Request
	if err := first(within(settings.Workers, &r.Workers), within(ActSteps, r.Steps)); err != nil {
		return err
	}
	if r.Policy == "" {
		return &RequestError{Field: "policy", Value: "empty", Reason: "want the folder of a policy"}
	}
	if r.Limits != "" {
		if t.limits, err = policy.ReadLimits(r.Limits); err != nil {
			return err
		}
	}
	if t.begins, err = r.begins(); err != nil {
		return err
	}
	if _, err := policy.OpenRecording(r.Observations, nil); err != nil {
		return err
	}
	begin := time.Now()
	if t.policy, err = policy.Open(r.Policy, policy.Options{Half: r.Half, Workers: r.Workers}); err != nil {
		return err
	}
	t.load = time.Since(begin).Seconds()
	t.sampling = policy.Sampling{Scheduler: r.Scheduler, Steps: value(r.Steps, 0), Seed: r.Seed}
	_, err = policy.NewActor(t.policy, t.sampling, t.limits)
	return err
}

// Files implements [Task].
func (t *ActTask) Files() []string { return []string{"act.json", "actions.npz"} }

// Run implements [Task].
func (t *ActTask) Run(ctx context.Context, w Watch, f *Folder) (*Outcome[ActSummary], error) {
	s, err := t.act(ctx, w)
	if err != nil {
		return nil, err
	}
	digest, err := manifest.DigestFile(t.Request.Policy)
	if err != nil {
		return nil, err
	}
	var flat []float32
	for _, a := range s.Actions {
		flat = append(flat, a...)
	}
	actions, err := dataset.NewArray("actions", []int{len(s.Actions), len(flat) / max(1, len(s.Actions))}, flat)
	if err != nil {
		return nil, err
	}
	out := &Outcome[ActSummary]{
		Name: "act", Summary: s, Seed: t.Request.Seed, Settings: t.Request, Arrays: []dataset.Array{actions},
		Inputs:   map[string]manifest.Input{"policy": {Path: t.Request.Policy, SHA256: digest}},
		setFiles: func(files []string) { s.Files = files },
	}
	if s.Certificate != nil && !s.Certificate.Certified {
		out.Verdict = fmt.Errorf("planner: commands exceed the limits: %+v", *s.Certificate)
	}
	out.parts = func() ([]part, error) {
		return []part{
			{"act.json", func(path string) error { return atomicfile.WriteJSON(path, s) }},
			{"actions.npz", func(path string) error { return dataset.WriteNPZ(path, actions) }},
		}, nil
	}
	return out, out.writeTo(f)
}

// act gives the policy one observation after the other.
func (t *ActTask) act(ctx context.Context, w Watch) (*ActSummary, error) {
	d, err := t.policy.Dynamics(t.sampling)
	if err != nil {
		return nil, err
	}
	s := &ActSummary{Status: manifest.Finished, Policy: t.Request.Policy, Vintage: t.policy.Config().Vintage, Dynamics: fmt.Sprint(d),
		Seed: t.Request.Seed, Shape: t.policy.Shape(), Limits: t.limits, Actions: [][]float32{}, Files: []string{}}
	s.Seconds.Load = t.load
	actor, err := policy.NewActor(t.policy, t.sampling, t.limits)
	if err != nil {
		return nil, err
	}
	recording, err := policy.OpenRecording(t.Request.Observations, t.policy)
	if err != nil {
		return nil, err
	}
	var start []float32
	for {
		o, err := recording.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(s.Actions) == 0 {
			if start, err = t.start(o); err != nil {
				return nil, err
			}
			if err := actor.Start(start); err != nil {
				return nil, err
			}
		}
		begin := time.Now()
		action, err := actor.Act(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("observation %d of the recording: %w", len(s.Actions)+1, err)
		}
		took := time.Since(begin).Seconds()
		s.Seconds.Plan, s.Seconds.Longest = s.Seconds.Plan+took, max(s.Seconds.Longest, took)
		s.Actions = append(s.Actions, action)
		w.progress("acting", len(s.Actions), 0)
	}
	if len(s.Actions) == 0 {
		return nil, &policy.RecordingError{Reason: "is empty, want an observation on every line"}
	}
	s.Observations, s.Plans = len(s.Actions), actor.Plans()
	s.Seconds.Plan /= float64(s.Plans)
	return s, t.certify(s, start)
}

// start returns where the commands begin: what was asked for, or the state of the first
// observation.
func (t *ActTask) start(o policy.Observation) ([]float32, error) {
	if t.limits == nil {
		return nil, nil
	}
	if t.begins == nil {
		state, err := t.policy.State(o)
		if n := t.policy.Config().Action.Size(); err == nil && len(state) != n {
			err = &RequestError{Field: "start", Value: "missing", Reason: fmt.Sprintf("want the %d numbers where the commands begin: the state has %d", n, len(state))}
		}
		return state, err
	}
	return t.begins, nil
}

// begins reads where commands begin.
func (r ActRequest) begins() (at []float32, err error) {
	if r.Start == "" {
		return nil, nil
	}
	if r.Limits == "" {
		return nil, &RequestError{Field: "start", Value: quoted(r.Start), Reason: "which has no effect without --limits"}
	}
	for _, w := range strings.Split(r.Start, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(w), 32)
		if err != nil {
			return nil, &RequestError{Field: "start", Value: quoted(r.Start), Reason: "want numbers with commas"}
		}
		at = append(at, float32(v))
	}
	return at, nil
}

// certify judges the actions that were given.
func (t *ActTask) certify(s *ActSummary, start []float32) error {
	if t.limits == nil {
		return nil
	}
	var all []float32
	for _, a := range s.Actions {
		all = append(all, a...)
	}
	c, err := t.limits.Certify(start, all)
	s.Certificate = &c
	return err
}
