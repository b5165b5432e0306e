package nav2d

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/plan"
)

// RuntimeSpec says what runs to time: teams of growing size on a map without
// obstacles, as many robots to the area as RuntimeCrowd has from there on.
type RuntimeSpec struct {
	Robots  []int         `json:"robots"`
	Methods []plan.Method `json:"methods"` // the first is what the others are compared with
	Samples int           `json:"samples"`
	Repeats int           `json:"repeats"` // in turns, of which the fastest counts
	Preset  string        `json:"preset"`
}

// RuntimeCrowd is the number of robots of the published size that the timed teams
// are as dense as. Larger teams have smaller robots.
const RuntimeCrowd = 16

// PublishedRuntimeSpec returns the sizes of teams that the profile is made of.
func PublishedRuntimeSpec() RuntimeSpec {
	return RuntimeSpec{
		Robots: []int{2, 4, 8, 16, 32, 64}, Methods: []plan.Method{plan.Diffuser, plan.PCDSHD},
		Samples: plan.DefaultSamples, Repeats: 3, Preset: "paper",
	}
}

// Runtime is the fastest of the timed runs of a method with a team.
type Runtime struct {
	Robots  int         `json:"robots"`
	Method  plan.Method `json:"method"`
	Seconds pcd.Seconds `json:"seconds"` // wall-clock time
	// Ratio is the total over that of the first method, measured in turns.
	Ratio float64 `json:"ratio"`
}

// Growth is the exponent k of time ∝ robots^k, fitted over all sizes.
type Growth struct {
	Method   plan.Method `json:"method"`
	Total    float64     `json:"total"`
	Coupling float64     `json:"coupling"` // 0 for methods that do not couple
}

// check returns an error for numbers that make no profile.
func (s RuntimeSpec) check() error {
	bounds := []experiment.Bound{
		{Name: "numbers of robots", Value: float64(len(s.Robots)), Low: 1, High: mostRobots},
		{Name: "methods", Value: float64(len(s.Methods)), Low: 1, High: mostRobots},
		{Name: "repeats", Value: float64(s.Repeats), Low: 1, High: mostTrials},
	}
	for _, n := range s.Robots {
		bounds = append(bounds, experiment.Bound{Name: "robots × samples", Value: float64(n) * float64(s.Samples), High: mostStates})
	}
	return errors.Join(experiment.CheckNumbers(SpecSamples, float64(s.Samples)), experiment.CheckNumbers(SpecRobots, floats(s.Robots)...), experiment.CheckBounds(bounds...))
}

// MeasureRuntime times the runs of a spec. progress is called as they finish and
// may be nil.
func MeasureRuntime(ctx context.Context, spec RuntimeSpec, model *plan.Model, workers int, progress func(done, total int)) ([]Runtime, error) {
	settings, err := plan.SettingsByName(spec.Preset)
	if err := errors.Join(err, spec.check()); err != nil {
		return nil, &experiment.SpecError{Err: err}
	}
	var out []Runtime
	done, total := 0, len(spec.Robots)*len(spec.Methods)*spec.Repeats
	for _, robots := range spec.Robots {
		team, err := crowd(robots, model)
		if err != nil {
			return nil, err
		}
		rows := make([]Runtime, len(spec.Methods))
		for repeat := range spec.Repeats {
			for i, method := range spec.Methods {
				o := plan.Options{Method: method, Samples: spec.Samples, Gamma: new(plan.DefaultGamma(team.Map, method.Coupling())), Settings: settings, Seed: uint64(repeat), Workers: workers}
				result, err := plan.Run(ctx, team, o)
				if err != nil {
					return nil, err
				}
				if s := result.Seconds.Divided(); repeat == 0 || s.Total < rows[i].Seconds.Total {
					rows[i] = Runtime{Robots: robots, Method: method, Seconds: s}
				}
				if done++; progress != nil {
					progress(done, total)
				}
			}
		}
		for i := range rows {
			rows[i].Ratio = rows[i].Seconds.Total / rows[0].Seconds.Total
		}
		out = append(out, rows...)
	}
	return out, nil
}

// crowd returns a team whose density does not grow with its size.
func crowd(robots int, model *plan.Model) (plan.Team, error) {
	if robots < 1 {
		return plan.Team{}, fmt.Errorf("nav2d: %d robots, want at least 1", robots)
	}
	shrink := math.Sqrt(RuntimeCrowd / math.Max(RuntimeCrowd, float64(robots)))
	m := nav2d.NewMap("open floor", geom.Box{Min: geom.Vec2{X: -1, Y: -1}, Max: geom.Vec2{X: 1, Y: 1}}, nil, nil)
	m.Margins.Robots *= shrink
	trials, err := nav2d.Trials(m, robots, 1, nav2d.PublishedSeed)
	if err != nil {
		return plan.Team{}, err
	}
	team := plan.TeamOfTrial(m, trials[0], model, plan.PublishedLimits(nav2d.Empty())[0])
	team.Motion = plan.Polyline // methods are compared as published
	for i := range team.Robots {
		team.Robots[i].Radius *= shrink
	}
	return team, nil
}

// FitGrowth fits the exponents of every method.
func FitGrowth(rows []Runtime) []Growth {
	var out []Growth
	for _, method := range plan.Methods() {
		var robots, total, coupling []float64
		for _, r := range rows {
			if r.Method == method {
				robots = append(robots, float64(r.Robots))
				total = append(total, r.Seconds.Total)
				coupling = append(coupling, r.Seconds.Coupling)
			}
		}
		if len(robots) > 0 {
			out = append(out, Growth{method, exponent(robots, total), exponent(robots, coupling)})
		}
	}
	return out
}

// exponent returns the slope of the least-squares line through (log x, log y), 0
// when there is none.
func exponent(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		if !(y[i] > 0) {
			return 0
		}
		a, b := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	if d := n*sxx - sx*sx; d > 0 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}
