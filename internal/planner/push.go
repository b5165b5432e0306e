package planner

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/policy"
)

// PushRequest asks for pairs of manipulation runs. A nil field is left to the task.
type PushRequest struct {
	// Init is the number of a published initial condition, or a state: agent x, agent
	// y, block x, block y in pixels and the block's angle, with commas. "" is 0.
	Init   string   `json:"init,omitempty"`
	Method string   `json:"method,omitempty"` // "" is pcd-lb-ps
	Preset string   `json:"preset,omitempty"` // "" is default
	Pairs  *int     `json:"pairs,omitempty"`  // 1 if left out
	Limit  *float64 `json:"vmax,omitempty"`   // in normalised units per hundredth of a second; 8.4 if left out
	Gamma  *float64 `json:"gamma,omitempty"`  // coupling strength; that of the preset if left out
	// Sampler is one of [push.Samplers], as published if left out.
	Sampler string `json:"sampler,omitempty"`
	// Steps is the number of diffusion steps, those of the model if left out.
	Steps    *int   `json:"sampling_steps,omitempty"`
	Adjacent bool   `json:"adjacent,omitempty"` // see [push.Respacing]
	Seed     uint64 `json:"seed,omitempty"`
	// Policy is the folder of a LeRobot policy for both members, or, with a model, for the
	// first.
	Policy  string `json:"policy,omitempty"`
	Half    bool   `json:"half,omitempty"`    // the weights of the policy are rounded to half precision
	Model   string `json:"model,omitempty"`   // file; with a policy also "pusht", the one that ships
	Workers int    `json:"workers,omitempty"` // goroutines; 0 is one per processor
}

// DefaultPairs is the number of pairs of a request that does not say.
const DefaultPairs = 1

// DefaultPushLimit is the speed limit of a request that does not say: the middle one
// of the published tables.
var DefaultPushLimit = push.PublishedLimits[1]

// PushTask is a checked request: a policy, where pairs start and how they run.
type PushTask struct {
	Request PushRequest
	Models  [2]*push.Model // by member
	Starts  []push.Start
	Options push.Run
	GIF     bool // the animation is written as a GIF, too
}

// Check returns the task of a request, or says what is wrong with it.
func (r PushRequest) Check() (*PushTask, error) {
	t := &PushTask{Request: r}
	return t, t.Check()
}

// Check implements [Task]. It opens the policy.
func (t *PushTask) Check() error {
	r := t.Request
	run, err := r.run()
	if err != nil {
		return err
	}
	condition, state, err := parseInit(orElse(r.Init, "0"))
	if err != nil {
		return err
	}
	if err := pusht.NewWorld().Place(state); err != nil {
		return err
	}
	if t.Models, err = r.models(); err != nil {
		return err
	}
	if _, err := push.NewMixedPolicy(t.Models, run.Options); err != nil {
		return err
	}
	t.Options, t.Starts = run, push.Starts(condition, state, value(r.Pairs, DefaultPairs))
	return nil
}

// models opens the models of both members.
func (r PushRequest) models() (m [2]*push.Model, err error) {
	open := func() (*push.Model, error) {
		if r.Policy != "" && r.Model == push.BundledName {
			return push.Bundled()
		}
		return PushModel(r.Model)
	}
	switch {
	case r.Policy == "" && r.Half:
		return m, &RequestError{Field: "half", Value: true, Reason: "which has no effect without --policy"}
	case r.Policy == "":
		m[0], err = open()
		m[1] = m[0]
		return m, err
	}
	if m[0], err = push.OpenPolicy(r.Policy, policy.Options{Half: r.Half, Workers: r.Workers}); err != nil {
		return m, err
	}
	m[1] = m[0]
	if r.Model != "" {
		m[1], err = open()
	}
	return m, err
}

// run returns the run of a request.
func (r PushRequest) run() (out push.Run, err error) {
	out.VMax, out.Seed, out.Workers = value(r.Limit, DefaultPushLimit), r.Seed, r.Workers
	out.Respacing = push.Respacing{Sampler: r.Sampler, Steps: value(r.Steps, 0), Adjacent: r.Adjacent}
	if out.Method, err = push.ParseMethod(orElse(r.Method, string(push.PCDLBPS))); err != nil {
		return out, &RequestError{Field: "method", Value: quoted(r.Method), Err: err}
	}
	if out.Settings, err = push.SettingsByName(orElse(r.Preset, "default")); err != nil {
		return out, &RequestError{Field: "preset", Value: quoted(r.Preset), Err: err}
	}
	if err := first(within(settings.Workers, &r.Workers), within(PushPairs, r.Pairs), within(PushGamma, r.Gamma), within(PushLimit, &out.VMax), within(PushSteps, r.Steps)); err != nil {
		return out, err
	}
	if r.Gamma != nil && out.Method.Coupling() == push.Uncoupled {
		return out, &RequestError{Field: "gamma", Value: *r.Gamma, Reason: fmt.Sprintf("which has no effect on %s: it does not couple the pair", out.Method)}
	}
	out.Gamma = value(r.Gamma, out.Settings.Gamma(out.Method))
	return out, room("pairs", value(r.Pairs, 1), pairBytes, "pairs")
}

// ownCondition is the number that the noise of a state of the user's own has.
const ownCondition = 1 << 30

// parseInit reads the number of a published initial condition or a state.
func parseInit(text string) (condition int, s pusht.State, err error) {
	refuse := func(reason string) error { return &RequestError{Field: "init", Value: quoted(text), Reason: reason} }
	words := strings.Split(text, ",")
	if len(words) == 1 {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 || n >= pusht.Conditions {
			return 0, s, refuse(fmt.Sprintf("want a number from 0 to %d or five numbers with commas", pusht.Conditions-1))
		}
		return n, pusht.InitialConditions(n+1, pusht.ConditionSeed)[n], nil
	}
	var a [5]float64
	if len(words) != len(a) {
		return 0, s, refuse("want five numbers: agent x, agent y, block x, block y, block angle")
	}
	for i, w := range words {
		if a[i], err = strconv.ParseFloat(strings.TrimSpace(w), 64); err != nil {
			return 0, s, refuse(fmt.Sprintf("of which %q is not a number", w))
		}
	}
	return ownCondition, pusht.StateOf(a), nil
}

// Files implements [Task].
func (t *PushTask) Files() []string { return animatedFiles("push", pushArraysFile, t.GIF) }

// Run implements [Task].
func (t *PushTask) Run(ctx context.Context, w Watch, f *Folder) (*Outcome[PushSummary], error) {
	out, err := t.push(ctx, w)
	if err != nil {
		return nil, err
	}
	return out, out.writeTo(f)
}

// push runs the pairs and judges them.
func (t *PushTask) push(ctx context.Context, w Watch) (*Outcome[PushSummary], error) {
	run := t.Options
	var last *[2]int
	run.Progress, last = w.counted()
	r, err := push.DoMixed(ctx, t.Models, t.Starts, run)
	if err != nil {
		return nil, stopped(err, last)
	}
	s, err := t.summarise(r)
	if err != nil {
		return nil, err
	}
	arrays, err := pushArrays(r)
	if err != nil {
		return nil, err
	}
	inputs, err := t.inputs()
	if err != nil {
		return nil, err
	}
	out := &Outcome[PushSummary]{
		Name: "push", Summary: s, Seed: run.Seed, Settings: t.settings(), Verdict: t.verdict(r),
		Inputs: inputs,
		Arrays: arrays, setFiles: func(files []string) { s.Files = files }, Pictures: pushPictures{r, s},
	}
	out.parts = func() ([]part, error) { return out.animatedParts(t.Files()) }
	return out, nil
}

// inputs returns what was read, for the manifest.
func (t *PushTask) inputs() (map[string]manifest.Input, error) {
	out := map[string]manifest.Input{}
	for member, name := range []string{"policy", "model"} {
		if name == "policy" && t.Request.Policy == "" || name == "model" && t.Request.Policy != "" && t.Request.Model == "" {
			continue
		}
		digest, err := t.Models[member].Digest()
		if err != nil {
			return nil, err
		}
		out[name] = manifest.Input{Path: map[string]string{"policy": t.Request.Policy, "model": t.Request.Model}[name], SHA256: digest}
	}
	return out, nil
}

// verdict returns what a finished run misses: a certificate that its method promises.
func (t *PushTask) verdict(r *push.Result) error {
	c, s := r.Certificate, t.Options.Settings
	if t.Options.Method.Projected() && !s.PublishedProjection && !s.SkipProjection && !c.Certified {
		limited := stoppedAtLimit(r.Projections[c.Member : c.Member+1])
		return &pcd.UncertifiedError{Set: fmt.Sprintf("member %d", c.Member), Sample: c.Pair.Number, Violation: c.MaxViolation, Limited: limited}
	}
	return nil
}
