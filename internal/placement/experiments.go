package placement

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/experiment/toy"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// dynamics is a sampler by its name in the table.
type dynamics struct {
	name string
	pcd.Dynamics
}

// toyProblem has both blocks between the walls, by Langevin steps. The estimate is the mean of
// the next state, so that its noise level is that of a step.
func toyProblem(o Options) ([]dynamics, []instance, error) {
	d := toy.Dynamics
	d.Sigma = math.Sqrt(d.Step)
	in := instance{problem: toy.PCD.Problem(), samples: o.Toy, seed: o.Seed}
	in.measure = func(_ context.Context, s []tensor.Batch) (map[string][]float64, error) {
		valid := make([]float64, s[0].N)
		for k := range valid {
			if !toy.Overlap(s[0].Data[k], s[1].Data[k]) {
				valid[k] = 1
			}
		}
		return map[string][]float64{"no overlap": valid}, nil
	}
	return []dynamics{{"LMC", d}}, []instance{in}, nil
}

// The settings of navigation: the hardest of the published maps for four robots, and the
// strictest of its published limits.
const (
	navMap    = "highways"
	navRobots = 4
)

// navProblems are trials of navigation with squared hinges.
func navProblems(o Options) (all []dynamics, instances []instance, err error) {
	m, err := nav2d.MapByName(navMap)
	if err != nil {
		return nil, nil, err
	}
	model, err := plan.Bundled(navMap)
	if err != nil {
		return nil, nil, err
	}
	trials, err := nav2d.Trials(m, navRobots, o.Trials, nav2d.PublishedSeed)
	if err != nil {
		return nil, nil, err
	}
	settings, err := plan.SettingsByName("paper")
	if err != nil {
		return nil, nil, err
	}
	limits := plan.PublishedLimits(m)
	gamma := plan.DefaultGamma(m, plan.SquaredHinge)
	for i, t := range trials {
		team := plan.TeamOfTrial(m, t, model, limits[len(limits)-1])
		p, err := team.Problem(plan.PCDSHD, gamma, settings)
		if err != nil {
			return nil, nil, err
		}
		instances = append(instances, instance{p, o.Samples, o.Seed + uint64(i), judgedBy(team)})
	}
	for _, v := range []struct {
		sampler string
		steps   int
	}{{"ddpm", 25}, {"ddim", 10}, {"dpm++2m", 10}} {
		s := settings
		s.Sampler, s.Steps = v.sampler, v.steps
		p, err := plan.TeamOfTrial(m, trials[0], model, limits[0]).Problem(plan.PCDSHD, gamma, s)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, dynamics{v.sampler, p.Dynamics})
	}
	return all, instances, nil
}

// judgedBy measures joint samples of a team: whether robots keep apart and out of obstacles,
// and how far they keep to the pattern of the map.
func judgedBy(team plan.Team) func(context.Context, []tensor.Batch) (map[string][]float64, error) {
	return func(_ context.Context, s []tensor.Batch) (map[string][]float64, error) {
		var inMap []tensor.Batch
		for i, r := range team.Robots {
			x := s[i].Clone()
			r.Model.Limits.Unnormalize(x, x, dataset.ClipElement)
			inMap = append(inMap, x)
		}
		judged, err := team.Rules().Judge(inMap)
		if err != nil {
			return nil, err
		}
		out := map[string][]float64{}
		for _, j := range judged {
			success, adherence := 0.0, 0.0
			if j.Success() {
				success = 1
			}
			for _, a := range j.Adherence {
				adherence += a / float64(len(j.Adherence))
			}
			out["no contact"] = append(out["no contact"], success)
			out["DA"] = append(out["DA"], adherence)
		}
		return out, nil
	}
}

// pushProblem is the first call of the policy of pushing, for pairs that begin at the published
// initial conditions.
func pushProblem(ctx context.Context, o Options) ([]dynamics, []instance, error) {
	m, err := push.Bundled()
	if err != nil {
		return nil, nil, err
	}
	settings, err := push.SettingsByName("default")
	if err != nil {
		return nil, nil, err
	}
	options := push.Options{Method: push.PCDDPP, VMax: push.PublishedLimits[len(push.PublishedLimits)-1], Settings: settings, Seed: o.Seed}
	options.Gamma = settings.Gamma(options.Method)
	policy, err := push.NewPolicy(m, options)
	if err != nil {
		return nil, nil, err
	}
	worlds, err := pusht.NewVector(o.Pushes, pusht.VectorOptions{})
	if err != nil {
		return nil, nil, err
	}
	if err := worlds.Reset(pusht.InitialConditions(o.Pushes, pusht.ConditionSeed), nil); err != nil {
		return nil, nil, err
	}
	seen := tensor.New(o.Pushes, pusht.ObservationSteps, pusht.ObservationSize)
	worlds.Observe(seen.Data)
	p, err := policy.Problem(ctx, [2]tensor.Batch{seen, seen})
	if err != nil {
		return nil, nil, err
	}
	in := instance{problem: p, samples: o.Pushes, seed: o.Seed}
	in.measure = func(_ context.Context, s []tensor.Batch) (map[string][]float64, error) {
		var apart []float64
		a, b := s[0].Clone(), s[1].Clone()
		m.Action.Unnormalize(a, s[0])
		m.Action.Unnormalize(b, s[1])
		for k := range a.N {
			apart = append(apart, pointsApart(a.Sample(k), b.Sample(k)))
		}
		return map[string][]float64{"plans apart, px": apart}, nil
	}
	training, err := m.Schedule()
	if err != nil {
		return nil, nil, err
	}
	all := []dynamics{{"ddpm", p.Dynamics}}
	few, err := overGrid(training, 10, p.Dynamics.(pcd.DDPM).Clip)
	return append(all, few...), []instance{in}, err
}

// pointsApart returns the mean distance of the points of two paths.
func pointsApart(a, b []float32) (sum float64) {
	for h := 0; h < len(a); h += 2 {
		sum += math.Hypot(float64(a[h]-b[h]), float64(a[h+1]-b[h+1])) / float64(len(a)/2)
	}
	return sum
}

// overGrid returns samplers of few steps.
func overGrid(training *schedule.Schedule, steps int, clip float64) ([]dynamics, error) {
	g, err := training.Grid(schedule.GridOptions{Steps: steps, Spacing: schedule.Trailing})
	if err != nil {
		return nil, err
	}
	return []dynamics{{"ddim", pcd.Euler{Grid: g, Clip: clip}}, {"dpm++2m", pcd.DPMSolver{Grid: g}}}, nil
}

// pairProblem draws pairs of portraits in the hulls of two exemplars each.
func pairProblem(ctx context.Context, o Options) ([]dynamics, []instance, error) {
	model, err := pair.Bundled()
	if err != nil {
		return nil, nil, err
	}
	r := pair.Request{Model: model, Method: pair.PCD, Members: pair.DrawMembers(pair.Age, 2, 2), Pairs: o.Pairs, Steps: 50, Seed: o.Seed}
	p, err := r.Problem(ctx)
	if err != nil {
		return nil, nil, err
	}
	in := instance{problem: p, samples: o.Pairs, seed: o.Seed}
	in.measure = func(ctx context.Context, s []tensor.Batch) (map[string][]float64, error) { return xor(ctx, model, s) }
	all := []dynamics{{"ddpm", p.Dynamics}}
	for _, v := range []latent.Sampler{{Method: "ddim", Steps: 25}, {Method: "dpm++2m", Steps: 15}} {
		d, err := model.Dynamics(v)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, dynamics{v.Method, d})
	}
	return all, []instance{in}, nil
}

// xor asks the judge whether exactly one image of every pair is old.
func xor(ctx context.Context, model *pair.Model, s []tensor.Batch) (map[string][]float64, error) {
	ages := slices.IndexFunc(model.Judge.Net.Config().Heads, func(h nn.ClassifierHead) bool { return h.Name == "age_group" })
	if ages < 0 {
		return nil, fmt.Errorf("the judge does not tell ages")
	}
	var old [2][]bool
	for i, z := range s {
		images, err := model.Codec.Decode(ctx, z, nil)
		if err != nil {
			return nil, err
		}
		age := model.Judge.Net.Question(ages)
		p := tensor.New(images.N, age.Classes())
		if err := age.Probabilities(ctx, p, images); err != nil {
			return nil, err
		}
		for k := range p.N {
			sum := 0.0
			for group, q := range p.Sample(k) {
				if portrait.IsOld(group) {
					sum += float64(q)
				}
			}
			old[i] = append(old[i], sum > 0.5)
		}
	}
	differ := make([]float64, len(old[0]))
	for k := range differ {
		if old[0][k] != old[1][k] {
			differ[k] = 1
		}
	}
	return map[string][]float64{"XOR": differ}, nil
}

// experiment makes its problems, with the samplers under which they are drawn.
type experiment struct {
	name  string
	build func(ctx context.Context, o Options) ([]dynamics, []instance, error)
}

// experiments are the four of the paper.
var experiments = []experiment{
	{"toy", func(_ context.Context, o Options) ([]dynamics, []instance, error) { return toyProblem(o) }},
	{"nav2d", func(_ context.Context, o Options) ([]dynamics, []instance, error) { return navProblems(o) }},
	{"pusht", pushProblem},
	{"images", pairProblem},
}

// Experiments lists the names.
func Experiments() (names []string) {
	for _, e := range experiments {
		names = append(names, e.name)
	}
	return names
}

// Options says how much is run.
type Options struct {
	Experiments []string // nil is all
	Toy         int      // pairs of blocks
	Trials      int      // of navigation
	Samples     int      // joint samples of a trial
	Pushes      int      // pairs of pushing
	Pairs       int      // pairs of images
	Seed        uint64
	Workers     int
	// Progress is called as rows are done; it may be nil.
	Progress func(done, total int)
}

// Default is what the published table was run with.
func Default() Options {
	return Options{Toy: 2000, Trials: 10, Samples: 16, Pushes: 64, Pairs: 48}
}

// Run compares the places.
func Run(ctx context.Context, o Options) (rows []Row, err error) {
	chosen := slices.DeleteFunc(slices.Clone(experiments), func(e experiment) bool { return !o.wants(e.name) })
	for k, e := range chosen {
		more, err := e.run(ctx, o)
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
		if o.Progress != nil {
			o.Progress(k+1, len(chosen))
		}
	}
	return rows, nil
}

// run compares the places under every sampler of an experiment.
func (e experiment) run(ctx context.Context, o Options) (rows []Row, err error) {
	all, instances, err := e.build(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("placement: %s: %w", e.name, err)
	}
	for _, d := range all {
		more, err := compare(ctx, e.name, d, instances, o)
		if err != nil {
			return rows, fmt.Errorf("placement: %s by %s: %w", e.name, d.name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (o Options) wants(name string) bool {
	return len(o.Experiments) == 0 || slices.Contains(o.Experiments, name)
}
