package planner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project"
)

// PlanRequest is a task for several robots and how to plan it. A nil field is left
// to the task.
type PlanRequest struct {
	// Task names a published map. With a scene it names the scene, for people.
	Task  string  `json:"task"`
	Scene *string `json:"scene,omitempty"` // text of a scene file
	// Table is the text of a table (CSV) of robots that the scene has besides its own.
	Table *string `json:"table,omitempty"`
	// Robots and Trial choose a published trial; without a trial, a seed draws one.
	Robots *int    `json:"robots,omitempty"`
	Trial  *int    `json:"trial,omitempty"`
	Seed   *uint64 `json:"seed,omitempty"` // of the noise; 0 if left out
	// Radius is that of the robots of a published map, in map units. If left out it is
	// the published one, and from 24 robots on smaller, so that they fit: see
	// [nav2d.CrowdScale].
	Radius *float64 `json:"radius,omitempty"`

	Method  string `json:"method,omitempty"`  // "" is pcd-shd
	Preset  string `json:"preset,omitempty"`  // "" is default
	Samples *int   `json:"samples,omitempty"` // joint samples; as many as the preset says if left out
	// Limit is the highest speed: of a published map in normalised units per second,
	// where it replaces the loosest published one; of a scene in its units per second,
	// where stricter limits of robots stay.
	Limit  *float64 `json:"vmax,omitempty"`
	Gamma  *float64 `json:"gamma,omitempty"`  // coupling strength
	Repair *bool    `json:"repair,omitempty"` // until certified in continuous time; as the preset says if left out
	// SeparationSteps is the number of the last denoising steps after which samples are
	// projected onto those free of contact; none if left out.
	SeparationSteps *int     `json:"separation_steps,omitempty"`
	Motion          string   `json:"motion,omitempty"`  // along the waypoints: "curve" or "polyline"; as the scene says, or [plan.Options.DefaultMotion], if left out
	Rate            *float64 `json:"rate,omitempty"`    // rows a second of the table of a plan on curves; 50 if left out
	Formats         []string `json:"formats,omitempty"` // of files that robots and their tools read, beside the plan: see [Formats]
	Prefer          string   `json:"prefer,omitempty"`  // among safe plans: "pattern", "length", "clearance" or "time"
	Model           string   `json:"model,omitempty"`   // file, or folder of a published model
	// SearchLimit is the time after which the search for a plan ends: with the best that is certified by then, or a
	// refusal. If left out methods that search have [plan.DefaultTimeLimit], and others none.
	SearchLimit *time.Duration `json:"search_limit,omitempty"`
	// Memory bounds what searches for new ways take, in bytes; a quarter of the machine's if
	// left out.
	Memory  *int64 `json:"memory,omitempty"`
	Workers int    `json:"workers,omitempty"` // goroutines; 0 is one per processor
	// RemedyTime bounds the time in which changes of a task without a plan are tried, beside
	// as much as the plan took; 0 is two seconds.
	RemedyTime time.Duration `json:"-"`
	// Models opens a model by the name of a published map or by what a scene calls it;
	// nil is [NavigationModel]. A service decides here which files may be opened.
	Models func(path, name string) (*plan.Model, error) `json:"-"`
	// Files opens the files that a scene names: maps, places, teams. Nil opens none.
	Files nav2d.Files `json:"-"`
}

// The defaults of a request for a published map.
const (
	DefaultTask   = "highways"
	DefaultRobots = 4
)

// PlanTask is a checked request: a team and how to plan for it.
type PlanTask struct {
	Request PlanRequest
	Team    plan.Team
	Options plan.Options
	Trial   *int // number of the published trial, nil for other tasks
	GIF     bool // the animation is written as a GIF, too

	formats []Format // of a certified plan

	models map[string]*plan.Model    // in use, by name
	read   map[string]manifest.Input // files that the scene names
	scene  *nav2d.Task               // nil for a published map

	unknownFree bool // unknown cells of the map of a scene, which does not say what they are, are taken to be free
}

// Check returns the task of a request, or says what is wrong with it.
func (r PlanRequest) Check() (*PlanTask, error) {
	t := &PlanTask{Request: r}
	return t, t.Check()
}

// Check implements [Task]. It draws the trial or reads the scene, and opens the models. What
// there is no time for is refused with a duration that was found to be enough.
func (t *PlanTask) Check() error { return t.timed(t.besideUnknown(t.check())) }

func (t *PlanTask) check() (err error) {
	r := t.Request
	t.models, t.read = map[string]*plan.Model{}, map[string]manifest.Input{}
	if t.Options, err = r.options(); err != nil {
		return err
	}
	if t.formats, err = ParseFormats(r.Formats); err != nil {
		return err
	}
	if err := t.load(); err != nil {
		return err
	}
	if err := t.checkRate(); err != nil {
		return err
	}
	if r.Samples == nil {
		t.Options.Samples = t.Options.Settings.DefaultSamples(len(t.Team.Robots))
	}
	if n := len(t.Team.Robots); t.Options.Samples > maxTrajectories/n {
		return tooMany("samples", t.Options.Samples, n)
	} else if err := room("samples", t.Options.Samples, n*trajectoryBytes, "joint samples"); err != nil {
		return err
	}
	coupling := t.Options.Method.Coupling()
	t.Options.Gamma = new(value(r.Gamma, t.Options.Settings.DefaultGamma(t.Team.Map, coupling)))
	return t.Team.CheckRun(t.Options)
}

// options returns the options that do not depend on the task.
func (r PlanRequest) options() (plan.Options, error) {
	o := plan.Options{Seed: value(r.Seed, 0), Workers: r.Workers, Memory: value(r.Memory, 0)}
	o.Search.TimeLimit = value(r.SearchLimit, plan.DefaultTimeLimit)
	var err error
	if o.Method, err = plan.ParseMethod(orElse(r.Method, string(plan.PCDSHD))); err != nil {
		return o, &RequestError{Field: "method", Value: quoted(r.Method), Err: err}
	}
	if !o.Method.Searches() {
		o.TimeLimit = value(r.SearchLimit, 0)
	}
	if o.Settings, err = plan.SettingsByName(orElse(r.Preset, "default")); err != nil {
		return o, &RequestError{Field: "preset", Value: quoted(r.Preset), Err: err}
	}
	o.Settings.Repair = value(r.Repair, o.Settings.Repair)
	o.Settings.SeparationSteps = value(r.SeparationSteps, 0)
	o.Samples = value(r.Samples, 1)
	if o.Prefer, err = plan.ParsePreference(r.Prefer); err != nil {
		return o, &RequestError{Field: "prefer", Value: quoted(r.Prefer), Err: err}
	}
	return o, first(within(settings.Workers, &r.Workers), within(PlanSamples, r.Samples), within(PlanLimit, r.Limit), within(PlanRate, r.Rate),
		within(PlanSeparation, r.SeparationSteps), r.effects(o), within(PlanGamma, r.Gamma))
}

// effects refuses settings that are out of range or without an effect on the method.
func (r PlanRequest) effects(o plan.Options) error {
	idle := func(field string, v any, reason string) error {
		return &RequestError{Field: field, Value: v, Reason: fmt.Sprintf("which has no effect on %s: it %s", o.Method, reason)}
	}
	switch {
	case r.Memory != nil && o.Memory < plan.MinMemory:
		return &RequestError{Field: "memory", Value: o.Memory, Reason: fmt.Sprintf("want at least %d bytes", plan.MinMemory)}
	case r.SearchLimit != nil && *r.SearchLimit <= 0:
		return &RequestError{Field: "search-limit", Value: *r.SearchLimit, Reason: "want a positive duration"}
	case o.Settings.SeparationSteps > 0 && o.Method.Searches():
		return idle("separation-steps", o.Settings.SeparationSteps, "samples one robot at a time")
	case r.Gamma != nil && o.Method.Coupling() == plan.Uncoupled:
		return idle("gamma", *r.Gamma, "does not couple robots")
	}
	return nil
}

// Files implements [Task].
func (t *PlanTask) Files() []string {
	all := animatedFiles("plan", planArraysFile, t.GIF)
	if t.Team.Motion == plan.Curve {
		all = append(all, motionFile)
	}
	for _, name := range formatFiles(t.formats, robotNames(t.Team)) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Run implements [Task].
func (t *PlanTask) Run(ctx context.Context, w Watch, f *Folder) (*Outcome[PlanSummary], error) {
	out, err := t.plan(ctx, w)
	if err != nil {
		return nil, err
	}
	if f != nil {
		tell, _ := w.trying()
		tell("the files") // the tables of large teams have hundreds of megabytes
		defer tell("")
	}
	return out, out.writeTo(f)
}

// plan plans and judges.
func (t *PlanTask) plan(ctx context.Context, w Watch) (*Outcome[PlanSummary], error) {
	o := t.Options
	var last *[2]int
	o.Progress, last = w.counted()
	o.Search.Progress = w.Search
	tell, tried := w.trying()
	o.Trying = tell
	defer tell("")
	begin := time.Now()
	r, err := plan.Run(ctx, t.Team, o)
	if err != nil {
		return nil, stopped(err, last)
	}
	if len(r.Samples) == 0 { // a search without paths, or no time to sample
		return nil, cmp.Or(r.Refusal.Err, error(r.Refusal))
	}
	if t.Team.Shortest {
		t.Team.Step, t.Team.Waypoints = r.Step, r.Samples[0].Shape[0]
	}
	if r.Plan != nil {
		t.Team.Step, t.Team.Waypoints = r.Plan.Times[1], len(r.Plan.Times)
	}
	run := ending{took: time.Since(begin), tried: *tried}
	if r.Plan == nil {
		tell("what would help")
	}
	verdict := t.verdict(ctx, r, run)
	if r.Plan != nil && ordered(r.Plan, t.Team) {
		tell("the order of passages")
	}
	return t.outcome(ctx, r, verdict)
}

// outcome gathers what a finished run gives.
func (t *PlanTask) outcome(ctx context.Context, r *plan.Result, verdict error) (*Outcome[PlanSummary], error) {
	s, err := t.Summarise(ctx, r)
	if err != nil {
		return nil, err
	}
	settings, err := t.settings(r)
	if err != nil {
		return nil, err
	}
	arrays, err := t.arrays(r)
	if err != nil {
		return nil, err
	}
	out := &Outcome[PlanSummary]{
		Name: "plan", Summary: s, Seed: t.Options.Seed, Settings: settings, Verdict: verdict,
		Arrays: arrays, setFiles: func(files []string) { s.Files = files }, Pictures: planPictures{t, r, s},
	}
	out.parts = func() ([]part, error) {
		inputs, err := t.inputs()
		if err != nil {
			return nil, err
		}
		out.Inputs = inputs
		all, err := out.animatedParts(animatedFiles("plan", planArraysFile, t.GIF))
		if err != nil || r.Plan == nil {
			return all, err
		}
		made := t.madeOf(all)
		if r.Plan.Curves != nil {
			all = append(all, part{motionFile, t.saveMotion(robotSummaries(t.Team, r.Limits), r.Plan, made)})
		}
		if len(t.formats) > 0 {
			all = t.withFormats(all, s, made)
		}
		return all, nil
	}
	return out, nil
}

// verdict returns what a finished run misses: a certificate that its method promises,
// or a feasible sample.
func (t *PlanTask) verdict(ctx context.Context, r *plan.Result, run ending) error {
	c := r.SampleLimits
	if t.Options.Method.Projected() && t.Options.Settings.ExactProjection && !c.Certified && c.Robot != "" {
		return &pcd.UncertifiedError{Set: c.Robot, Sample: c.Sample, Violation: c.MaxViolation, Limited: stoppedAtLimit(r.Projections)}
	}
	if r.Plan == nil {
		return t.infeasible(ctx, r, run)
	}
	return nil
}

// stoppedAtLimit says whether a projection ended before it had converged.
func stoppedAtLimit(reports []project.Report) bool {
	return slices.ContainsFunc(reports, func(r project.Report) bool { return r.Status == project.IterationLimit })
}

// value returns what a field points at, or a default.
func value[T any](field *T, otherwise T) T {
	if field == nil {
		return otherwise
	}
	return *field
}

// orElse returns a text, or a default for an empty one.
func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }
