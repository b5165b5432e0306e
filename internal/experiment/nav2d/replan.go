package nav2d

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/plan/session"
)

// ReplanSpec says how to drive a team whose goals move. It is planned for again at
// every waypoint, in simulated time.
type ReplanSpec struct {
	Maps    []string `json:"maps"`
	Robots  []int    `json:"robots"`
	Replans int      `json:"replans"` // of each
	Rate    float64  `json:"rate"`    // of replans, in Hz of simulated time
	// Deadline is the number of seconds that every replan spends on ever better plans; 0
	// takes the first that is certified.
	Deadline float64 `json:"deadline"`
	Seed     uint32  `json:"seed"`
	Preset   string  `json:"preset"`
}

// ReplanRow is what the replans of a team gave. Every plan in force is certified.
type ReplanRow struct {
	Map    string `json:"map"`
	Robots int    `json:"robots"`
	// Planned, Continued and Stopped count the plans by kind, Warm the planned ones
	// that were drawn from the plan before.
	Planned   int `json:"planned"`
	Warm      int `json:"warm"`
	Continued int `json:"continued"`
	Stopped   int `json:"stopped"`
	// Draws is the mean number of times that samples were drawn and repaired for a new
	// plan, Adherence and Length are the mean adherence to the motion pattern and the mean
	// length of the ways of all robots together, in map units, of the plans in force.
	Draws     float64 `json:"draws"`
	Adherence float64 `json:"da"`
	Length    float64 `json:"length"`
	// Median, Late and Longest are of the seconds from update to plan: half of the
	// replans, 99 in 100, and all. Missed counts those that took longer than the time
	// between two.
	Median  float64  `json:"median"`
	Late    float64  `json:"p99"`
	Longest float64  `json:"longest"`
	Missed  int      `json:"missed"`
	Reasons []string `json:"reasons,omitempty"` // of stops
}

// Goals go round their places on a circle of this radius, in map units, by an angle per
// replan, and jump to other places after so many replans.
const (
	wander      = 0.8 * nav2d.RobotRadius
	wanderAngle = 0.3
	goalsHold   = 20
)

// check returns an error for numbers that make no table.
func (s ReplanSpec) check() error {
	bounds := []experiment.Bound{
		{Name: "numbers of robots", Value: float64(len(s.Robots)), Low: 1, High: mostRobots},
		{Name: "deadline", Value: s.Deadline, High: 3600},
	}
	if err := errors.Join(experiment.CheckNumbers(SpecReplans, float64(s.Replans)), experiment.CheckNumbers(SpecRate, s.Rate), experiment.CheckNumbers(SpecRobots, floats(s.Robots)...)); err != nil {
		return err
	}
	for _, name := range s.Maps {
		if _, err := nav2d.MapByName(name); err != nil {
			return err
		}
	}
	return experiment.CheckBounds(bounds...)
}

// MeasureReplans drives the teams of a spec. after is called with every row and may be
// nil. An error says that a team was left without a certified plan.
func MeasureReplans(ctx context.Context, spec ReplanSpec, workers int, after func(ReplanRow)) ([]ReplanRow, error) {
	settings, err := plan.SettingsByName(spec.Preset)
	if err == nil {
		err = spec.check()
	}
	if err != nil {
		return nil, &experiment.SpecError{Err: err}
	}
	var out []ReplanRow
	for _, robots := range spec.Robots {
		for _, name := range spec.Maps {
			m, err := nav2d.MapByName(name)
			if err != nil {
				return out, err
			}
			o := plan.Options{Method: plan.PCDSHD, Settings: settings, Seed: uint64(spec.Seed), Workers: workers}
			o.Gamma = new(settings.DefaultGamma(m, o.Method.Coupling()))
			row, err := spec.measure(ctx, m, robots, o)
			if err != nil {
				return out, err
			}
			out = append(out, row)
			if after != nil {
				after(row)
			}
		}
	}
	return out, nil
}

// measure drives one team.
func (s ReplanSpec) measure(ctx context.Context, m *nav2d.Map, robots int, o plan.Options) (ReplanRow, error) {
	row := ReplanRow{Map: m.Name, Robots: robots}
	model, err := plan.Bundled(m.Name)
	if err != nil {
		return row, err
	}
	trials, err := nav2d.ScaledTrials(m, nav2d.CrowdScale(robots), robots, 1+s.Replans/goalsHold, s.Seed)
	if err != nil {
		return row, err
	}
	scale := nav2d.CrowdScale(robots)
	team := plan.TeamOfTrial(m, trials[0], model, plan.PublishedLimits(m)[0])
	team.Step = 1 / s.Rate
	for i := range team.Robots {
		team.Robots[i].Radius *= scale
	}
	replanning, err := session.New(team, o)
	if err != nil {
		return row, err
	}
	var seconds []float64
	for k := range s.Replans {
		u := session.Update{Steps: min(k, 1), Goals: wandering(trials[k/goalsHold].Goals, k, wander*scale), Within: time.Duration(s.Deadline * float64(time.Second))}
		p, err := replanning.Replan(ctx, u)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && p.Kind == session.Unsafe {
			err = p.Reason
		}
		if err != nil {
			return row, err
		}
		row.add(p, team.Step)
		adherence, _ := metric.Moments(p.Judged.Adherence)
		row.Adherence += adherence / float64(s.Replans)
		row.Length += p.Length / float64(s.Replans)
		seconds = append(seconds, p.Elapsed)
	}
	row.Draws /= float64(max(row.Planned, 1))
	slices.Sort(seconds)
	row.Median, row.Late, row.Longest = metric.Quantile(seconds, 0.5), metric.Quantile(seconds, 0.99), seconds[len(seconds)-1]
	return row, nil
}

// add adds a plan that has to be there within some seconds.
func (row *ReplanRow) add(p *session.Plan, within float64) {
	switch p.Kind {
	case session.Planned:
		row.Planned++
		row.Draws += float64(p.Draws)
	case session.Continued:
		row.Continued++
	default:
		row.Stopped++
		row.Reasons = append(row.Reasons, p.Reason.Error())
	}
	if p.Warm {
		row.Warm++
	}
	if p.Elapsed > within {
		row.Missed++
	}
}

// wandering returns goals at replan k, on circles around their places. Each is at
// another angle.
func wandering(places []geom.Vec2, k int, radius float64) (out []geom.Vec2) {
	for i, p := range places {
		sin, cos := math.Sincos(wanderAngle*float64(k) + float64(i))
		out = append(out, p.Add(geom.Vec2{X: cos, Y: sin}.Scale(radius)))
	}
	return out
}
