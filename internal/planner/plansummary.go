package planner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/heading"
	"github.com/go-pcd/pcd/internal/manifest"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/plan"
)

// PlanVersion is the version of plan.json that is written.
const PlanVersion = paths.NewestPlan

// PlanSummary is what a plan amounts to, and what plan.json holds. Lengths, times and
// speeds are in its Units, also those of the trajectories.
type PlanSummary struct {
	Version int             `json:"version"`
	Status  manifest.Status `json:"status"` // "finished": others are not summarised
	Task    string          `json:"task"`
	Name    string          `json:"name,omitempty"`  // of a scene
	Trial   *int            `json:"trial,omitempty"` // of a published map
	// Map is the file that the walls of a scene are read from, and Notes say what a user
	// should know of how the files of the scene were read.
	Map    *nav2d.MapFile `json:"map,omitempty"`
	Notes  []string       `json:"notes,omitempty"`
	Units  Units          `json:"units"`
	Method plan.Method    `json:"method"`
	Preset string         `json:"preset"`
	Gamma  float64        `json:"gamma"`
	Seed   uint64         `json:"seed"`
	Robots []RobotSummary `json:"robots"`
	Motion plan.Motion    `json:"motion"` // along the waypoints; never empty
	Times  []float64      `json:"times"`  // of the waypoints
	// Lateness is how late robots are to be free to be, in seconds, as the scene asks; what is
	// certified the certificate of the plan says.
	Lateness float64 `json:"lateness,omitempty"`
	// Plan is certified in continuous time. Where there is none, Nearest is what came nearest
	// to one: not to be driven.
	Plan    *JointPlan         `json:"plan,omitempty"`
	Nearest *JointPlan         `json:"nearest,omitempty"`
	Samples SamplesSummary     `json:"samples"`
	Seconds pcd.Seconds        `json:"seconds"` // of sampling
	Search  *plan.SearchReport `json:"search,omitempty"`
	Files   []string           `json:"files"`
}

// RobotSummary is a robot of a plan.
type RobotSummary struct {
	Name   string   `json:"name"`
	Radius float64  `json:"radius"`
	Limit  *float64 `json:"limit"` // of its speed; null for none
	// Acceleration, TurnRate (radians per second) and TurningRadius are its other limits; none
	// if left out.
	Acceleration  float64 `json:"acceleration,omitempty"`
	TurnRate      float64 `json:"turn_rate,omitempty"`
	TurningRadius float64 `json:"turning_radius,omitempty"`
	// StartHeading and GoalHeading are where it has to look at its ends, in radians; anywhere if
	// left out.
	StartHeading *float64 `json:"start_heading,omitempty"`
	GoalHeading  *float64 `json:"goal_heading,omitempty"`
}

// turns returns how it turns on the spot.
func (r RobotSummary) turns() heading.Rule {
	return heading.Rule{Rate: r.TurnRate, Start: r.StartHeading, Goal: r.GoalHeading}
}

// JointPlan is a joint trajectory with its certificate.
type JointPlan struct {
	Trajectories map[string]Waypoints `json:"trajectories"` // by robot
	Certificate  plan.Certificate     `json:"certificate"`
	Proof        *Proof               `json:"proof,omitempty"` // of a certified one, for strangers
	Order        *OrderSummary        `json:"order,omitempty"` // of a certified one on curves, for robots that are late
	Sample       int                  `json:"sample"`          // number of the joint sample that it was made from
	// Changes is what was done to the sample, Displacement the largest distance that a
	// waypoint was moved by.
	Changes       []plan.Change `json:"changes"`
	Displacement  float64       `json:"displacement"`
	Length        float64       `json:"length"`                    // of all ways together
	DA            []float64     `json:"da,omitempty"`              // per robot: adherence to the motion pattern; none without a pattern
	Rounds        int           `json:"repair_rounds"`             // convex programs solved
	Seconds       float64       `json:"repair_seconds"`            // of repair and judgement
	ShortOfMemory bool          `json:"short_of_memory,omitempty"` // a search for new ways ended at the memory that it may take
}

// SamplesSummary is what all joint samples amount to, as drawn.
type SamplesSummary struct {
	Number        int                   `json:"number"`
	FirstFeasible int                   `json:"first_feasible"` // number of the first that breaks no rule at its waypoints, -1 for none
	Limits        plan.LimitCertificate `json:"limits"`         // whether all keep the speed limits
	Metrics       PlanMetrics           `json:"metrics"`
}

// Shown returns the plan or, where none is certified, what came nearest to one; nil
// without trajectories.
func (s *PlanSummary) Shown() *JointPlan {
	if s.Plan != nil {
		return s.Plan
	}
	return s.Nearest
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

// Waypoints are the states (x, y, vx, vy) of a robot. In JSON they have all the digits that
// they have as float64, those that are certified: whoever reads them as float64 has the same ones.
// Those of a polyline are float32 numbers where the workspace is near zero, and those of a
// curve are decimals.
type Waypoints [][]float64

// CommonLimit returns the speed limit of all robots, nil when they differ or have none.
func (s *PlanSummary) CommonLimit() *float64 {
	first := s.Robots[0].Limit
	for _, r := range s.Robots {
		if first == nil || r.Limit == nil || *r.Limit != *first {
			return nil
		}
	}
	return first
}

// newJointPlan returns what a file holds of a joint trajectory.
func newJointPlan(ctx context.Context, p *plan.Plan, team plan.Team) (*JointPlan, error) {
	order, err := newOrderSummary(ctx, p, team)
	if err != nil {
		return nil, err
	}
	out := &JointPlan{
		Trajectories: map[string]Waypoints{}, Certificate: p.Certificate, Proof: newProof(team, p), Order: order, Sample: p.Sample,
		Changes: append([]plan.Change{}, p.Changes...), Displacement: p.Displacement, Length: p.Length,
		Rounds: p.Rounds, Seconds: p.Seconds, ShortOfMemory: p.ShortOfMemory,
	}
	if team.Map.Pattern != nil {
		out.DA = p.Judged.Adherence
	}
	for i, robot := range team.Robots {
		out.Trajectories[robot.Name] = waypoints(team.States(p, i))
	}
	return out, nil
}

// finite returns nil for what JSON has no number for.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// Summarise returns the summary of a finished run. The error is that of the context.
func (t *PlanTask) Summarise(ctx context.Context, r *plan.Result) (s *PlanSummary, err error) {
	team, o := t.Team, t.Options
	s = &PlanSummary{
		Version: PlanVersion, Status: manifest.Finished, Task: t.name(), Name: team.Name, Trial: t.Trial, Units: unitsOf(team),
		Motion: cmp.Or(team.Motion, o.DefaultMotion()), Method: o.Method, Preset: o.Settings.Name, Gamma: *o.Gamma, Seed: o.Seed, Robots: robotSummaries(team, r.Limits),
		Samples: summariseSamples(team, r), Seconds: r.Seconds.Divided(), Search: r.Search, Files: []string{},
	}
	s.Lateness = team.Lateness
	waypoints := r.Samples[0].Shape[0]
	if p := r.Nearest(); p != nil {
		waypoints = len(p.Times) // fewer than those of samples, where everybody stays after that
	}
	for h := range waypoints {
		s.Times = append(s.Times, float64(h)*team.Step)
	}
	if t.scene != nil {
		s.Map, s.Notes = t.scene.MapFile, t.scene.Notes
	}
	if r.Plan != nil {
		s.Plan, err = newJointPlan(ctx, r.Plan, team)
	} else if p := r.Nearest(); p != nil {
		s.Nearest, err = newJointPlan(ctx, p, team)
	}
	return s, err
}

func robotSummaries(team plan.Team, limits []float64) (out []RobotSummary) {
	for i, r := range team.Robots {
		out = append(out, RobotSummary{Name: r.Name, Radius: team.RadiusOf(r), Limit: finite(inUnits(team, limits[i])),
			Acceleration: digits(team.AccelerationOf(r)), TurnRate: r.TurnRate, TurningRadius: digits(r.TurningRadius * team.LengthUnit()),
			StartHeading: r.StartHeading, GoalHeading: r.GoalHeading})
	}
	return out
}

func summariseSamples(team plan.Team, r *plan.Result) SamplesSummary {
	m := navmetric.Summarise([][]navmetric.Sample{r.Judged}, r.Limits)
	s := SamplesSummary{
		Number:        len(r.Judged),
		FirstFeasible: slices.IndexFunc(r.Judged, func(j navmetric.Sample) bool { return j.Feasible(r.Limits) }),
		Limits:        r.SampleLimits,
		Metrics:       PlanMetrics{SU: m.Success.Mean, RS: m.Safe.Mean, ObstacleSafe: m.Clear.Mean, Feasible: m.Feasible.Mean},
	}
	for i := range team.Robots {
		s.Metrics.CS = append(s.Metrics.CS, m.WithinLimit[i].Mean)
		if team.Map.Pattern != nil {
			s.Metrics.DA = append(s.Metrics.DA, m.Adherence[i].Mean)
		}
	}
	return s
}

// name returns the name of the task, for people.
func (t *PlanTask) name() string { return orElse(t.Request.Task, DefaultTask) }

// waypoints returns states as rows.
func waypoints(x, v []geom.Vec2) (way Waypoints) {
	for h := range x {
		way = append(way, []float64{x[h].X, x[h].Y, v[h].X, v[h].Y})
	}
	return way
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
	problem, err := t.Team.Problem(o.Method, *o.Gamma, o.Settings)
	if err != nil {
		return planSettings{}, err
	}
	settings := planSettings{
		Options:     planChoices{t.name(), o.Method, len(r.Judged), *o.Gamma, nil, o.Seed},
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

// maxRecorded is the size of the largest scene whose text a manifest holds.
const maxRecorded = 64 << 10

// inputs identifies what was read: the scene, with its text, and the models of the
// robots by their names.
func (t *PlanTask) inputs() (map[string]manifest.Input, error) {
	out := map[string]manifest.Input{}
	if text := t.Request.Scene; text != nil {
		out["scene"] = manifest.Input{Path: t.name(), SHA256: manifest.DigestBytes([]byte(*text))}
		if len(*text) <= maxRecorded {
			out["scene"] = manifest.Input{Path: t.name(), SHA256: manifest.DigestBytes([]byte(*text)), Text: *text}
		}
	}
	if text := t.Request.Table; text != nil {
		out["robots"] = manifest.Input{SHA256: manifest.DigestBytes([]byte(*text)), Text: *text}
	}
	maps.Copy(out, t.read)
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
// and of every robot its limit, start and goal, and the times of the waypoints. Positions
// count from "origin".
func (t *PlanTask) arrays(r *plan.Result) ([]dataset.Array, error) {
	x := r.Samples
	var all, limits, starts, goals, times []float32
	frame, origin := t.Team.TaskFrame().Local(), t.Team.Origin()
	for i, robot := range t.Team.Robots {
		all = append(all, x[i].Data...)
		limits = append(limits, float32(inUnits(t.Team, r.Limits[i])))
		start, goal := frame.FromMap(robot.Start), frame.FromMap(robot.Goal)
		starts, goals = append(starts, float32(start.X), float32(start.Y)), append(goals, float32(goal.X), float32(goal.Y))
	}
	for h := range x[0].Shape[0] { // of samples, which may have another clock than a plan in the shortest time
		times = append(times, float32(float64(h)*r.Step))
	}
	n := len(x)
	at, err := dataset.NewArray("origin", []int{2}, []float64{origin.X, origin.Y})
	out, errs := []dataset.Array{at}, []error{err}
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
