package teams

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project"
)

// MotionRow compares straight motion, curves and curves in the shortest time on the same teams.
type MotionRow struct {
	Name      string    `json:"name"` // of a map and the number of robots, or of a scene
	Trials    int       `json:"trials"`
	Certified [3]int    `json:"certified"` // straight, curves, in the shortest time
	Processor [3]Spread `json:"processor"` // seconds
	Moved     [2]Spread `json:"moved"`     // largest displacement of a waypoint; straight, curves
	DA        [2]Spread `json:"da"`        // adherence; straight, curves
	Factor    Spread    `json:"factor"`    // the shortest time over the one that was given
	Arrival   Spread    `json:"arrival"`   // mean over robots of the time at the goal over the shortest time of all
	Sampled   Sampled   `json:"sampled"`   // the worst of all plans on curves, by the judge that samples
	Denied    int       `json:"denied"`    // plans on curves that this judge does not accept
}

// Spread is a median and the range.
type Spread struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

func spreadOf(v []float64) (s Spread) {
	if len(v) > 0 {
		v = slices.Sorted(slices.Values(v))
		s = Spread{metric.Quantile(v, 0.5), v[0], v[len(v)-1]}
	}
	return s
}

// MeasureMotion plans for the teams of a spec, and for others that are given by name, along
// polylines, along curves and in the shortest time. after is called with every row and may be
// nil.
func MeasureMotion(ctx context.Context, spec Spec, scenes []Named, models func(name string) (*plan.Model, error), workers int, after func(MotionRow)) (rows []MotionRow, err error) {
	cells, err := spec.Cells()
	if err != nil {
		return nil, &experiment.SpecError{Err: err}
	}
	settings, err := plan.SettingsByName(spec.Preset)
	if err != nil {
		return nil, &experiment.SpecError{Err: err}
	}
	for _, c := range cells {
		model, err := models(c.mapName())
		if err != nil {
			return nil, err
		}
		teams, err := c.teams(model)
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, Named{fmt.Sprintf("%s, %d robots", c.Map, c.Robots), teams})
	}
	for _, s := range scenes {
		row, err := measureMotion(ctx, s, plan.Options{Settings: settings, Seed: spec.Seed, Workers: workers})
		if err != nil {
			return rows, fmt.Errorf("%s: %w", s.Name, err)
		}
		rows = append(rows, row)
		if after != nil {
			after(row)
		}
	}
	return rows, nil
}

// Named are teams with a name for all of them.
type Named struct {
	Name  string
	Teams []plan.Team
}

func measureMotion(ctx context.Context, s Named, o plan.Options) (row MotionRow, err error) {
	row = MotionRow{Name: s.Name, Trials: len(s.Teams), Sampled: Sampled{Gap: math.Inf(1)}}
	var processor [3][]float64
	var moved, da [2][]float64
	var factor, arrival []float64
	for i, team := range s.Teams {
		if o.Seed = uint64(i); team.Shortest {
			return row, fmt.Errorf("a scene without a duration, want one to compare with")
		}
		given := team.Step
		for k := range 3 {
			team.Motion, team.Shortest = plan.Curve, k == 2
			if k == 0 {
				team.Motion = plan.Polyline
			}
			watch := startWatch()
			r, err := plan.Run(ctx, team, o)
			if err != nil && !errors.Is(err, project.ErrInfeasible) {
				return row, err
			}
			_, seconds := watch.stop()
			processor[k] = append(processor[k], seconds)
			var p *plan.Plan
			if err == nil {
				p = r.Plan
			}
			if p == nil {
				continue
			}
			row.Certified[k]++
			if k > 0 {
				row.add(Sample(team, p))
			}
			if k < 2 {
				adherence, _ := metric.Moments(p.Judged.Adherence)
				moved[k], da[k] = append(moved[k], p.Displacement), append(da[k], adherence)
				continue
			}
			factor = append(factor, p.Times[1]/given)
			arrival = append(arrival, team.Arrival(p)/float64(len(team.Robots)*(len(p.Times)-1)))
		}
	}
	for k := range 3 {
		row.Processor[k] = spreadOf(processor[k])
	}
	for k := range 2 {
		row.Moved[k], row.DA[k] = spreadOf(moved[k]), spreadOf(da[k])
	}
	row.Factor, row.Arrival = spreadOf(factor), spreadOf(arrival)
	return row, nil
}

// add takes the worst of what samples of plans show.
func (r *MotionRow) add(s Sampled) {
	if !s.Kept() {
		r.Denied++
	}
	w := &r.Sampled
	w.Gap = min(w.Gap, s.Gap)
	w.Speed, w.Acceleration = max(w.Speed, s.Speed), max(w.Acceleration, s.Acceleration)
	w.Ends, w.Rest = max(w.Ends, s.Ends), max(w.Rest, s.Rest)
}
