package plan

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan/internal/turns"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Options say how to plan. The zero value is enough: four samples or fewer by [PCDSHD]
// under the preset "default", repaired until one is certified.
type Options struct {
	Method   Method   // "" is [PCDSHD]
	Samples  int      // joint samples; 0 is [Settings.DefaultSamples]
	Gamma    *float64 // coupling strength of methods that couple; nil is [Settings.DefaultGamma] of the map
	Settings Settings // of one of the presets, see [SettingsByName]; the zero value is "default"
	Seed     uint64
	Noise    noise.Source // replaces the field of the seed
	Workers  int          // goroutines; 0 is one per processor
	// Progress is called as denoising steps finish; for methods that search, those
	// of the first plan of each robot. It may be nil.
	Progress func(done, total int)
	Search   SearchOptions // of methods that search
	Prefer   Preference    // among safe plans
	// Memory bounds what searches for new ways take, in bytes; 0 is a quarter of the
	// machine's. A search that would take more ends, and the next one runs.
	Memory int64
	// TimeLimit is the time after which a run ends: with the best plan that is certified by then, whose proof is
	// still made, or a refusal that says so; 0 is none. Other plans are the same, bit for bit, without it.
	TimeLimit time.Duration
	// Trying is called with what is tried after sampling, as in "ways of arcs", whenever that changes. It may be nil.
	Trying func(what string)

	// From is a joint trajectory in map units to start from, at the signal level of the last
	// few steps: one row per robot. Nil starts from noise.
	From []tensor.Batch
}

// DefaultSamples is the published number of joint samples.
const DefaultSamples = 128

// Result is a planned task.
type Result struct {
	// Plan is certified in continuous time; nil where none was found. Then Refusal says why.
	Plan    *Plan
	Refusal *UnsafeError
	// Samples holds the states of every robot in the units of the task and seconds, counted from
	// [Team.Origin], as drawn: row b of all robots is joint sample b. None for a search without paths.
	Samples []tensor.Batch
	Judged  []Measures // per joint sample, by the measures of the tables
	// Limits of the robots' speeds, in the units that Judged has: map units per second
	// in scenes, normalised units per second otherwise. See [Team.SpeedUnit].
	Limits       []float64
	SampleLimits LimitCertificate
	Status       pcd.Status
	Seconds      pcd.Seconds
	Projections  []project.Report // per robot
	Search       *SearchReport    // of methods that search, else nil
	// Step is the time between waypoints of Samples, in seconds: that of the team, or the one
	// with which the search for the shortest time began.
	Step float64
}

// Nearest returns the plan or, where none is certified, what came nearest to one; nil
// without trajectories.
func (r *Result) Nearest() *Plan {
	if r.Plan == nil && r.Refusal != nil {
		return r.Refusal.Nearest
	}
	return r.Plan
}

// LimitCertificate says whether all joint samples keep the speed limits, judged on the
// stored trajectories in float64.
type LimitCertificate struct {
	// Certified is true when there are limits and no step of any robot exceeds its
	// own.
	Certified bool `json:"certified"`
	// MaxViolation is by how much the worst step exceeds its limit, as a speed in the
	// units of a scene per second, in normalised units per second for published tasks;
	// 0 or less when certified.
	MaxViolation float64 `json:"max_violation"`
	Robot        string  `json:"robot,omitempty"`  // with the worst step
	Sample       int     `json:"sample,omitempty"` // with the worst step
}

// Run plans for a team. The result of a run that was interrupted or failed holds the
// states of the last finished denoising step, together with the error. They are not
// judged: no plan is among them.
//
// Methods that search return one joint sample at most. A search without paths is
// no error: there are no Samples then, Judged holds that of no result, and
// Search says why.
func Run(ctx context.Context, team Team, o Options) (*Result, error) {
	team, o, err := Complete(team, o)
	if err != nil {
		return nil, err
	}
	if err := team.CheckRun(o); err != nil {
		return nil, err
	}
	if o.Samples == 0 {
		o.Samples = o.Settings.DefaultSamples(len(team.Robots))
	}
	team = o.Settings.on(team)
	team.lines = turns.NewLines()
	trying, cancel := limited(ctx, o.TimeLimit)
	defer cancel()
	return team.run(trying, o)
}

// run plans for a team that is complete, in a context that [limited] returns.
func (t Team) run(ctx context.Context, o Options) (*Result, error) {
	if t.Shortest {
		return t.runShortest(ctx, o)
	}
	return t.runOnce(ctx, o)
}

// runOnce plans for the time that is given.
func (t Team) runOnce(ctx context.Context, o Options) (*Result, error) {
	out, err := t.drawAll(ctx, o)
	if out != nil {
		out.Step = t.Step
	}
	if err != nil && out != nil && timeIsUp(ctx) {
		out.Samples, out.Status, out.Refusal = nil, pcd.Complete, &UnsafeError{Plan: "sample", TimeLimit: o.TimeLimit}
		return out, nil
	}
	if err != nil || out.Status != pcd.Complete && len(out.Samples) == 0 {
		return out, err
	}
	return out, t.choose(ctx, out, o)
}

// choose makes the plan of a result of its samples, or the refusal.
func (t Team) choose(ctx context.Context, out *Result, o Options) error {
	if len(out.Samples) == 0 {
		out.Refusal = &UnsafeError{Plan: "sample", Err: out.Search.Err()}
		return nil
	}
	p, err := t.deliver(ctx, out, o)
	switch {
	case err != nil:
		return err
	case p.Certificate.Certified && o.Prefer == PreferTime && t.curved():
		t = t.asFineAs(p)
		t.Lateness = p.Certificate.Lateness
		o.tell("early arrivals")
		out.Plan, err = t.atOnce(ctx, p)
		return err
	case p.Certificate.Certified:
		out.Plan = p
	default:
		out.Refusal = &UnsafeError{Plan: "sample", Worst: p.Certificate.Worst(), Nearest: p, Cells: p.cells.Reason}
		if n := p.cells.Waypoints; t.Map.Cells != nil && n > t.waypoints() {
			out.Refusal.Seconds = float64(n) * t.Step
		}
		if timeIsUp(ctx) {
			out.Refusal.TimeLimit = o.TimeLimit
		}
	}
	return nil
}

// draw samples a team and judges the samples.
func (t Team) draw(ctx context.Context, o Options) (*Result, error) {
	if o.Method.Searches() {
		return t.search(ctx, o)
	}
	p, err := t.Problem(o.Method, *o.Gamma, o.Settings)
	if err != nil {
		return nil, err
	}
	if o.From != nil {
		t.startFrom(&p, o.From)
	}
	run := pcd.Options{Samples: o.Samples, Seed: o.Seed, Noise: o.Noise, Workers: o.Workers}
	if !o.Settings.ExactProjection {
		run.ChunkSize = o.Samples // the published iteration stops for a batch at once
	}
	if o.Progress != nil {
		run.Observer = pcd.ObserverFunc(func(i pcd.StepInfo) error { o.Progress(i.Done, i.Total); return nil })
	}
	res, err := pcd.Sample(ctx, p, run)
	if res == nil {
		return nil, err
	}
	out, judgeErr := t.result(res, o)
	if err == nil {
		err = judgeErr
	}
	return out, err
}

// CheckRun returns an error for the first thing that keeps a team from being planned
// for with these options, before any compute. See [Team.Check].
func (t Team) CheckRun(o Options) error {
	if err := t.checkTask(); err != nil {
		return err
	}
	t, o, err := Complete(t, o)
	if err != nil {
		return err
	}
	if _, err := ParseMethod(string(o.Method)); err != nil {
		return err
	}
	if _, err := ParsePreference(string(o.Prefer)); err != nil {
		return err
	}
	if o.TimeLimit < 0 {
		return &TeamError{Reason: fmt.Sprintf("the time limit is %v, want more, or 0 for none", o.TimeLimit)}
	}
	if t.Shortest {
		if err := t.checkShortest(o.Settings); err != nil {
			return err
		}
		t.Step = t.firstStep()
	}
	if math.IsNaN(*o.Gamma) || math.IsInf(*o.Gamma, 0) {
		return &TeamError{Reason: fmt.Sprintf("gamma is %v, want a finite number", *o.Gamma)}
	}
	if err := t.checkFrom(o); err != nil {
		return err
	}
	if o.Method.Searches() {
		return t.checkSearch(o)
	}
	if err := o.Settings.checkSeparation(t); err != nil {
		return err
	}
	return t.Check(o.Settings)
}

// result brings samples to map units and judges them.
func (t Team) result(res *pcd.Result, o Options) (*Result, error) {
	out := &Result{Status: res.Status, Seconds: res.Seconds, Projections: res.Projections}
	rule := o.Settings.clip()
	if rule == dataset.ClipBatch {
		rule = batchRule(res.Samples)
	}
	for i, r := range t.Robots {
		x := res.Samples[i]
		r.Model.Limits.Unnormalize(x, x, rule)
		t.toTask(x)
		if o.Settings.PinGoal {
			t.restoreEnds(x, r)
		}
		if o.Settings.Velocities {
			t.velocities(x, r)
		}
		out.Samples = append(out.Samples, x)
		out.Limits = append(out.Limits, t.judgedLimit(r))
	}
	if o.Settings.holdsStaying() { // without the rounding of the way through normalised units
		out.Samples, _ = t.settled(out.Samples)
	}
	return out, t.assess(out)
}

// assess judges the samples of a finished result.
func (t Team) assess(out *Result) (err error) {
	if out.Status != pcd.Complete {
		return nil
	}
	if out.Judged, err = t.judge(out.Samples); err != nil {
		return err
	}
	out.SampleLimits = t.certify(out.Samples)
	return nil
}

// batchRule resolves the batch-wide rule over all robots together, as the
// reference unnormalises them.
func batchRule(x []tensor.Batch) dataset.Clip {
	if exceeded(x) {
		return dataset.ClipElement
	}
	return dataset.ClipNone
}

// toTask brings states from map units to those of the task, counted from its origin.
func (t Team) toTask(x tensor.Batch) {
	if f := t.local(); f != (nav2d.Frame{Scale: 1}) {
		for at := 0; at < len(x.Data); at += channels {
			s := x.Data[at : at+channels]
			p := f.FromMap(geom.Vec2{X: float64(s[0]), Y: float64(s[1])})
			s[0], s[1] = float32(p.X), float32(p.Y)
			s[2], s[3] = float32(float64(s[2])*f.Scale), float32(float64(s[3])*f.Scale)
		}
	}
}

// toMap returns a copy of states of the task in map units.
func (t Team) toMap(x tensor.Batch) tensor.Batch {
	f := t.local()
	if f == (nav2d.Frame{Scale: 1}) {
		return x
	}
	x = x.Clone()
	for at := 0; at < len(x.Data); at += channels {
		s := x.Data[at : at+channels]
		p := f.ToMap(geom.Vec2{X: float64(s[0]), Y: float64(s[1])})
		s[0], s[1] = float32(p.X), float32(p.Y)
	}
	return x
}

// restoreEnds writes start and goal as they were given, without the rounding of
// the way through normalised units.
func (t Team) restoreEnds(x tensor.Batch, r Robot) {
	start, goal := t.local().FromMap(r.Start), t.local().FromMap(r.Goal)
	for k := range x.N {
		s := x.Sample(k)
		s[0], s[1] = float32(start.X), float32(start.Y)
		end := s[len(s)-channels:]
		end[0], end[1] = float32(goal.X), float32(goal.Y)
	}
}

// judge judges joint samples in the units of the task, given robot by robot.
func (t Team) judge(trajectories []tensor.Batch) ([]Measures, error) {
	inMap := make([]tensor.Batch, len(trajectories))
	for i, x := range trajectories {
		inMap[i] = t.toMap(x)
	}
	return t.Rules().Judge(inMap)
}

// Rules returns the rules that trajectories in map units are judged by.
func (t Team) Rules() navmetric.Criteria {
	n := navmetric.Criteria{World: t.Map, Step: t.Step, HalfRange: t.judgedHalfRange()}
	if t.Map.Pattern != nil {
		n.Pattern = t.Map.Pattern
	}
	for _, r := range t.Robots {
		n.Radii = append(n.Radii, r.Radius)
	}
	return n
}

// certify checks every step of every robot against its limit. It shares nothing
// with the projector: it reads the stored numbers.
func (t Team) certify(trajectories []tensor.Batch) LimitCertificate {
	c := LimitCertificate{MaxViolation: math.Inf(-1)}
	limited := false
	for i, r := range t.Robots {
		if math.IsInf(r.Limit, 1) {
			continue
		}
		limited = true
		limit, unit := t.judgedLimit(r), t.judgedHalfRange()
		for j := range unit {
			unit[j] *= t.LengthUnit()
		}
		for k := range trajectories[i].N {
			if v := t.SpeedUnit() * (fastestStep(trajectories[i].Sample(k), unit)/t.Step - limit); !(v <= c.MaxViolation) {
				c.MaxViolation, c.Robot, c.Sample = v, r.Name, k
			}
		}
	}
	c.Certified = limited && c.MaxViolation <= 0
	if !limited {
		c.MaxViolation = 0
	}
	return c
}

// fastestStep returns the longest step of a trajectory in units of which so many
// units of the task are given in x and y.
func fastestStep(s []float32, unit [2]float64) float64 {
	longest := 0.0
	for at := channels; at < len(s); at += channels {
		dx := (float64(s[at]) - float64(s[at-channels])) / unit[0]
		dy := (float64(s[at+1]) - float64(s[at-channels+1])) / unit[1]
		longest = max(longest, dx*dx+dy*dy)
	}
	return math.Sqrt(longest)
}
