package planner

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/manifest"
	navmetric "github.com/go-pcd/pcd/metric/nav2d"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project/separation"
)

// PlanSummary is what a plan amounts to, and what plan.json holds. Lengths, times and
// speeds are in its Units, also those of the trajectories.
type PlanSummary struct {
	Status  manifest.Status     `json:"status"` // "finished": others are not summarised
	Task    string              `json:"task"`
	Name    string              `json:"name,omitempty"` // of a scene
	Units   Units               `json:"units"`
	Robots  int                 `json:"robots"`
	Radius  *float64            `json:"radius,omitempty"` // of all robots; none when they differ
	Samples int                 `json:"samples"`
	Method  plan.Method         `json:"method"`
	Limit   *float64            `json:"vmax"`   // of all robots; null when they differ or have none
	Limits  map[string]*float64 `json:"limits"` // by robot; null for none
	Gamma   float64             `json:"gamma"`
	Seed    uint64              `json:"seed"`
	Trial   *int                `json:"trial,omitempty"` // of a published map
	Preset  string              `json:"preset"`
	Metrics PlanMetrics         `json:"metrics"`
	// SampleLimits says whether all samples keep the speed limits, Certificate whether
	// the plan that is delivered keeps everything, and Proof shows that to strangers.
	SampleLimits plan.LimitCertificate `json:"sample_limits"`
	Certificate  *plan.Certificate     `json:"certificate,omitempty"`
	Best         PlanBest              `json:"best"`
	Proof        *Proof                `json:"proof,omitempty"`
	Step         float64               `json:"dt"`    // between two waypoints
	Times        []float64             `json:"times"` // of the waypoints
	Seconds      pcd.Seconds           `json:"seconds"`
	Search       *plan.SearchReport    `json:"search,omitempty"`
	Files        []string              `json:"files"`
}

// PlanMetrics are the measures of the published tables, as rates in [0, 1]. They look
// at waypoints only.
type PlanMetrics struct {
	SU           float64   `json:"su"`           // 1 when some joint sample is free of collisions
	RS           float64   `json:"rs"`           // share of joint samples in which robots keep apart
	CS           []float64 `json:"cs"`           // per robot: share of samples within the speed limit
	DA           []float64 `json:"da,omitempty"` // per robot: adherence to the motion pattern; none without a pattern
	ObstacleSafe float64   `json:"obstacle_safe"`
	Feasible     float64   `json:"feasible"` // share of joint samples that succeed within all limits
}

// PlanBest is the plan that is delivered, with its trajectories.
type PlanBest struct {
	Sample        int      `json:"sample"`         // number of the joint sample that it was made from
	Feasible      bool     `json:"feasible"`       // certified in continuous time
	Continuous    bool     `json:"continuous"`     // the same: robots and obstacles keep apart between waypoints too
	FirstFeasible int      `json:"first_feasible"` // of the samples as drawn, at their waypoints; -1 for none
	Length        float64  `json:"length"`
	Separation    *float64 `json:"separation,omitempty"` // of two robots
	Clearance     *float64 `json:"clearance,omitempty"`  // from obstacles
	// Changes is what was done to the sample, Displacement the largest distance that a
	// waypoint was moved by, Rounds the number of convex programs solved for it.
	Changes       []plan.Change        `json:"changes"`
	Displacement  float64              `json:"displacement"`
	Rounds        int                  `json:"repair_rounds"`
	RepairSeconds float64              `json:"repair_seconds"`
	ShortOfMemory bool                 `json:"short_of_memory,omitempty"` // a search for new ways ended at the memory that it may take
	DA            []float64            `json:"da,omitempty"`              // per robot: adherence to the motion pattern; none without a pattern
	Trajectories  map[string]Waypoints `json:"trajectories"`              // by robot
}

// Waypoints are the states (x, y, vx, vy) of a robot. In JSON they have all the digits that
// they have as float64: the shortest text of a float32 is another number to those who read
// it as a float64, and not the one that was certified.
type Waypoints [][]float32

// MarshalJSON implements [json.Marshaler].
func (w Waypoints) MarshalJSON() ([]byte, error) {
	wide := make([][]float64, len(w))
	for h, state := range w {
		for _, v := range state {
			wide[h] = append(wide[h], float64(v))
		}
	}
	return json.Marshal(wide)
}

func newPlanBest(b plan.Best, d *plan.Delivery, team plan.Team) PlanBest {
	out := PlanBest{Sample: b.Sample, FirstFeasible: b.FirstFeasible, Changes: []plan.Change{}, Trajectories: map[string]Waypoints{}}
	if d == nil {
		return out
	}
	out.Sample, out.Length, out.Displacement, out.Rounds, out.RepairSeconds = d.Sample, d.Length, d.Displacement, d.Rounds, d.Seconds
	out.Feasible, out.Continuous = d.Certificate.Certified, d.Certificate.Certified
	out.ShortOfMemory = d.ShortOfMemory
	out.Changes = append(out.Changes, d.Changes...)
	out.Separation, out.Clearance = d.Certificate.Gap(separation.Bodies), d.Certificate.Gap(separation.Obstacles)
	if team.Map.Pattern != nil {
		out.DA = d.Judged.Adherence
	}
	for i, robot := range team.Robots {
		out.Trajectories[robot.Name] = waypoints(d.Trajectories[i].Sample(0))
	}
	return out
}

// finite returns nil for what JSON has no number for.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// Summarise returns the summary of a finished run.
func (t *PlanTask) Summarise(r *plan.Result) *PlanSummary {
	team, o := t.Team, t.Options
	m := navmetric.Summarise([][]navmetric.Sample{r.Judged}, r.Limits)
	s := &PlanSummary{
		Status: manifest.Finished, Task: t.name(), Name: team.Name, Units: unitsOf(team),
		Robots: len(team.Robots), Samples: len(r.Judged), Method: o.Method, Gamma: o.Gamma, Seed: o.Seed, Trial: t.Trial,
		Preset: o.Settings.Name, Limits: map[string]*float64{}, SampleLimits: r.Certificate, Best: newPlanBest(r.Best, r.Delivery, team),
		Step: team.Step, Seconds: r.Seconds.Divided(), Search: r.Search, Files: []string{},
		Metrics: PlanMetrics{SU: m.Success.Mean, RS: m.Safe.Mean, ObstacleSafe: m.Clear.Mean, Feasible: m.Feasible.Mean},
	}
	for h := range r.Trajectories[0].Shape[0] {
		s.Times = append(s.Times, float64(h)*team.Step)
	}
	for i, robot := range team.Robots {
		s.Metrics.CS = append(s.Metrics.CS, m.WithinLimit[i].Mean)
		if team.Map.Pattern != nil {
			s.Metrics.DA = append(s.Metrics.DA, m.Adherence[i].Mean)
		}
		s.Limits[robot.Name] = finite(inUnits(team, r.Limits[i]))
	}
	s.Limit, s.Radius = commonLimit(team, r.Limits), commonRadius(team)
	if d := r.Delivery; d != nil {
		s.Certificate, s.Proof = &d.Certificate, newProof(team, d)
	}
	return s
}

// name returns the name of the task, for people.
func (t *PlanTask) name() string { return orElse(t.Request.Task, DefaultTask) }

// waypoints cuts a trajectory into its states.
func waypoints(x []float32) (way Waypoints) {
	for at := 0; at < len(x); at += nav2d.Channels {
		way = append(way, x[at:at+nav2d.Channels])
	}
	return way
}

// commonLimit returns the limit of all robots, nil when they differ or have none.
func commonLimit(t plan.Team, limits []float64) *float64 {
	for _, l := range limits {
		if l != limits[0] {
			return nil
		}
	}
	return finite(inUnits(t, limits[0]))
}

// commonRadius returns the radius of all robots in the units of the task, nil when they
// differ.
func commonRadius(t plan.Team) *float64 {
	for _, r := range t.Robots {
		if r.Radius != t.Robots[0].Radius {
			return nil
		}
	}
	return new(t.RadiusOf(t.Robots[0]))
}

// planSettings is what a manifest records of a plan.
type planSettings struct {
	Options     planChoices   `json:"options"`
	Settings    plan.Settings `json:"settings"`
	Differences []string      `json:"differences_from_reference"`
	Models      []plan.Card   `json:"models"`
	Dynamics    string        `json:"dynamics"`
}

// planChoices are the choices of a run.
type planChoices struct {
	Task    string      `json:"task"`
	Method  plan.Method `json:"method"`
	Samples int         `json:"samples"`
	Gamma   float64     `json:"gamma"`
	Limits  []*float64  `json:"limits"` // null is none
	Seed    uint64      `json:"seed"`
}

// settings returns what the manifest records.
func (t *PlanTask) settings(r *plan.Result) (planSettings, error) {
	o := t.Options
	reference, err := plan.SettingsByName("mmd")
	if err != nil {
		return planSettings{}, err
	}
	problem, err := t.Team.Problem(o.Method, o.Gamma, o.Settings)
	if err != nil {
		return planSettings{}, err
	}
	settings := planSettings{
		Options:     planChoices{t.name(), o.Method, len(r.Judged), o.Gamma, nil, o.Seed},
		Settings:    o.Settings,
		Differences: o.Settings.Differences(reference),
		Dynamics:    fmt.Sprint(problem.Dynamics),
	}
	for i, robot := range t.Team.Robots {
		settings.Options.Limits = append(settings.Options.Limits, finite(inUnits(t.Team, r.Limits[i])))
		settings.Models = append(settings.Models, robot.Model.Card)
	}
	return settings, nil
}

// inputs identifies what was read: the scene, with its text, and the models of the
// robots by their names.
func (t *PlanTask) inputs() (map[string]manifest.Input, error) {
	out := map[string]manifest.Input{}
	if text := t.Request.Scene; text != nil {
		out["scene"] = manifest.Input{Path: t.name(), SHA256: manifest.DigestBytes([]byte(*text)), Text: *text}
	}
	for name, model := range t.models {
		digest, err := model.Digest()
		if err != nil {
			return nil, err
		}
		out["model "+name] = manifest.Input{Path: t.Request.Model, SHA256: digest}
	}
	return out, nil
}

// arrays returns all samples as "trajectories" [robot, sample, waypoint, channel],
// and of every robot its limit, start and goal, and the times of the waypoints.
func (t *PlanTask) arrays(r *plan.Result) ([]dataset.Array, error) {
	x, s := r.Trajectories, t.Summarise(r)
	var all, limits, starts, goals, times []float32
	frame := t.Team.TaskFrame()
	for i, robot := range t.Team.Robots {
		all = append(all, x[i].Data...)
		limits = append(limits, float32(inUnits(t.Team, r.Limits[i])))
		start, goal := frame.FromMap(robot.Start), frame.FromMap(robot.Goal)
		starts, goals = append(starts, float32(start.X), float32(start.Y)), append(goals, float32(goal.X), float32(goal.Y))
	}
	for _, v := range s.Times {
		times = append(times, float32(v))
	}
	n := len(x)
	var out []dataset.Array
	var errs []error
	for _, a := range []struct {
		name  string
		shape []int
		data  []float32
	}{
		{"trajectories", append([]int{n, x[0].N}, x[0].Shape...), all}, {"limits", []int{n}, limits},
		{"starts", []int{n, 2}, starts}, {"goals", []int{n, 2}, goals}, {"times", []int{len(times)}, times},
	} {
		array, err := dataset.NewArray(a.name, a.shape, a.data)
		out, errs = append(out, array), append(errs, err)
	}
	return out, errors.Join(errs...)
}
