package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

const goldenFolder = "testdata/lerobot"

func open(t testing.TB, dir string, o Options) *Policy {
	t.Helper()
	p, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// observations are those of a golden folder whose names begin with prefix.
func observations(t *testing.T, g *golden.Policy, prefix string) (out []Observation) {
	t.Helper()
	for _, name := range g.Archive.Names() {
		key, ok := strings.CutPrefix(name, prefix)
		if !ok || !strings.HasPrefix(key, "observation.") || strings.HasSuffix(key, "cotangent") {
			continue
		}
		shape := g.Archive.Shape(name)
		for len(out) < shape[0] {
			out = append(out, Observation{map[string][]float32{}, map[string]Image{}})
		}
		all := g.Archive.Float64(name)
		for i := range out {
			part := all[i*len(all)/shape[0] : (i+1)*len(all)/shape[0]]
			if len(shape) == 4 {
				m := Image{shape[1], shape[2], shape[3], make([]uint8, len(part))}
				for j, v := range part {
					m.Pix[j] = uint8(v)
				}
				out[i].Images[key] = m
				continue
			}
			out[i].Vectors[key] = make([]float32, len(part))
			for j, v := range part {
				out[i].Vectors[key][j] = float32(v)
			}
		}
	}
	return out
}

// recorded gives the recorded draws of rows.
type recorded struct {
	draws []float32
	rows  int
}

func (r recorded) Normal(dst []float32, size int, at noise.Address) {
	copy(dst, r.draws[(at.Draw*r.rows+at.Sample)*size:])
}

// chain keeps the states of a run.
type chain struct{ states []float32 }

func (c *chain) Step(info pcd.StepInfo) error {
	c.states = append(c.states, info.Samples(0).Data...)
	return nil
}

// TestPoliciesAgainstPublished compares what every stage makes of raw observations, whole
// chains and the actions of all folders, which have all vintages.
func TestPoliciesAgainstPublished(t *testing.T) {
	golden.Policies(t, goldenFolder, func(t *testing.T, g *golden.Policy) {
		p, history := open(t, g.Folder(), Options{Workers: 2}), observations(t, g, "in.")
		if want := Vintage(strings.ToUpper(g.Name[:1])); p.config.Vintage != want {
			t.Errorf("vintage %s, want %s", p.config.Vintage, want)
		}
		checkNormalized(t, g, p, history)
		condition, err := p.Condition(t.Context(), history)
		if err != nil {
			t.Fatal(err)
		}
		g.Check(t, "out.global_cond", condition.Data, 0, 0)
		checkSampling(t, g, p, condition)
	})
}

func checkNormalized(t *testing.T, g *golden.Policy, p *Policy, history []Observation) {
	t.Helper()
	rows, err := p.normalized([][]Observation{history})
	if err != nil {
		t.Fatal(err)
	}
	for key, got := range rows {
		data := got.Data
		if len(got.Shape) == 3 { // every fifth line and column
			h, w := got.Shape[1], got.Shape[2]
			data = nil
			for at, v := range got.Data {
				if at%w%5 == 0 && at/w%h%5 == 0 {
					data = append(data, v)
				}
			}
		}
		g.Check(t, "out.norm."+key, data, 0, 0)
	}
}

func checkSampling(t *testing.T, g *golden.Policy, p *Policy, condition tensor.Batch) {
	t.Helper()
	shape := g.Archive.Shape("in.noise")
	source := recorded{g.Archive.Float32("in.noise"), shape[1]}
	model, err := p.Bind(condition)
	if err != nil {
		t.Fatal(err)
	}
	dynamics, err := p.Dynamics(Sampling{})
	if err != nil {
		t.Fatal(err)
	}
	if times, want := timesteps(dynamics), g.Archive.Ints("in.timesteps"); !slices.Equal(times, want) {
		t.Errorf("timesteps %v, want %v", times, want)
	}
	checkTables(t, g, p)
	c := &chain{}
	problem := pcd.Problem{Dynamics: dynamics, Variables: []pcd.Variable{{Model: model}}}
	if _, err := pcd.Sample(t.Context(), problem, pcd.Options{Samples: shape[1], Noise: source, Observer: c}); err != nil {
		t.Fatal(err)
	}
	g.Check(t, "out.chain", c.states, 0, 0)
	checkPicked(t, g, model, dynamics, append(slices.Clone(source.draws[:shape[1]*p.config.Horizon*p.config.Action.Size()]), c.states...))
	plan, err := p.planRows(t.Context(), condition, shape[1], Sampling{Noise: source})
	if err != nil {
		t.Fatal(err)
	}
	g.Check(t, "out.actions_normalised", plan.Sampled.Samples[0].Data, 0, 0)
	g.Check(t, "out.actions", plan.Actions.Data, 0, 0)
	var executed []float32
	for row := range shape[1] {
		executed = append(executed, plan.Executed(row)...)
	}
	g.Check(t, "out.executed", executed, 0, 0)
}

// timesteps returns what a model is told along a chain.
func timesteps(d pcd.Dynamics) (times []int) {
	for i := d.Steps() - 1; i >= 0; i-- {
		times = append(times, pcd.Timestep(d, i))
	}
	return times
}

// checkTables compares the noise schedule of a folder with the tables of the published code,
// which are float32: the last products of a squared cosine keep four digits.
func checkTables(t *testing.T, g *golden.Policy, p *Policy) {
	t.Helper()
	s, err := p.config.Diffusion.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	var betas, bars []float32
	for i := range s.Len() {
		betas, bars = append(betas, float32(s.At(i).Beta)), append(bars, float32(s.At(i).AlphaBar))
	}
	golden.Close(t, g.Name+": in.betas", betas, g.Archive.Float32("in.betas"), 1e-12, 1e-6)
	golden.Close(t, g.Name+": in.alphas_cumprod", bars, g.Archive.Float32("in.alphas_cumprod"), 1e-12, 5e-6)
}

// checkPicked compares what the network says at some steps of a chain, and the estimate of the
// actions there. states begin with the noise.
func checkPicked(t *testing.T, g *golden.Policy, model *nn.Bound, d pcd.Dynamics, states []float32) {
	t.Helper()
	x := tensor.New(g.Archive.Shape("in.noise")[1], model.Shape()...)
	out := x.Clone()
	for k, step := range g.Archive.Ints("in.picked_steps") {
		transition := d.Transition(d.Steps()-1-step, model.Kind())
		copy(x.Data, states[step*len(x.Data):])
		if err := model.Predict(t.Context(), out, x, transition.Timestep); err != nil {
			t.Fatal(err)
		}
		g.Check(t, "out.model_output", out.Data, k*len(x.Data), len(x.Data))
		transition.WriteEstimate(out.Data, x.Data, out.Data)
		g.Check(t, "out.pred_original_sample", out.Data, k*len(x.Data), len(x.Data))
	}
}

// queued gives the recorded draws of one chunk after another.
type queued struct {
	draws []float32
	size  int // of a chunk
	chunk *int
}

func (q queued) Normal(dst []float32, size int, at noise.Address) {
	copy(dst, q.draws[*q.chunk*q.size+at.Draw*size:])
}

// TestActorsAgainstPublished gives one observation after the other and compares the actions. Nothing
// of an observation is left when the next one comes: who drives uses one memory for all of them.
func TestActorsAgainstPublished(t *testing.T) {
	golden.Policies(t, goldenFolder, func(t *testing.T, g *golden.Policy) {
		if !g.Has("out.queue.actions") {
			return
		}
		p, chunk := open(t, g.Folder(), Options{}), 0
		shape := g.Archive.Shape("in.queue.noise")
		draws := g.Archive.Float32("in.queue.noise")
		a, err := NewActor(p, Sampling{Noise: queued{draws, len(draws) / shape[0], &chunk}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Start(nil); err != nil {
			t.Fatal(err)
		}
		var actions []float32
		for _, o := range observations(t, g, "in.queue.") {
			chunk = a.Plans()
			action, err := a.Act(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			actions = append(actions, action...)
			for _, v := range o.Vectors {
				clear(v)
			}
			for _, m := range o.Images {
				clear(m.Pix)
			}
			clear(o.Vectors)
			clear(o.Images)
		}
		g.Check(t, "out.queue.actions", actions, 0, 0)
	})
}

// TestNormalizersAgainstPublished compares every mode of both generations, with constant and
// nearly constant numbers.
func TestNormalizersAgainstPublished(t *testing.T) {
	a := golden.Open(t, goldenFolder+"/normalisation/io.npz")
	x, y := a.Float32("in.x"), a.Float32("in.y")
	for _, mode := range []Mode{MeanStd, MinMax, quantilesMode, quantile10Mode} {
		low, high := mode.statistics()
		for _, generation := range []string{"C", "AB"} {
			name := "out." + generation + "." + string(mode)
			if !slices.Contains(a.Names(), name+".forward") {
				continue
			}
			n := &normalizer{mode: mode, inModel: generation == "AB", epsilon: defaultEpsilon, low: a.Float32("in." + low), high: a.Float32("in." + high)}
			forward, inverse := make([]float32, len(x)), make([]float32, len(y))
			for row := 0; row < len(x); row += len(n.low) {
				n.forward(forward[row:row+len(n.low)], x[row:row+len(n.low)], 1)
			}
			n.inverse(inverse, y)
			// The same operations in the same order and precision: the same bits.
			golden.Close(t, name+".forward", forward, a.Float32(name+".forward"), 0, 0)
			golden.Close(t, name+".inverse", inverse, a.Float32(name+".inverse"), 0, 0)
		}
	}
}

// TestSchedulesAgainstPublished compares tables, grids and single steps of both schedulers.
func TestSchedulesAgainstPublished(t *testing.T) {
	g := golden.OpenPolicy(t, goldenFolder, "schedulers")
	a := g.Archive
	for _, beta := range []string{"squaredcos_cap_v2", "linear", "scaled_linear", "sigmoid"} {
		betas := a.Float32("out." + beta + ".betas")
		d := Diffusion{Beta: beta, Steps: len(betas), BetaStart: 1e-4, BetaEnd: 0.02}
		if len(betas) == 40 {
			d.BetaStart, d.BetaEnd = 1e-3, 0.05
		}
		s, err := d.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		var got, bars []float32
		for i := range s.Len() {
			got, bars = append(got, float32(s.At(i).Beta)), append(bars, float32(s.At(i).AlphaBar))
		}
		g.Check(t, "out."+beta+".betas", got, 0, 0)
		g.Check(t, "out."+beta+".alphas_cumprod", bars, 0, 0)
	}
	for _, name := range a.Names() {
		switch {
		case strings.HasPrefix(name, "out.step."):
			checkSteps(t, g, name)
		case strings.HasPrefix(name, "out.timesteps."):
			words := strings.Split(name, ".")
			p := &Policy{config: Config{Diffusion: Diffusion{Steps: 100, Beta: "squaredcos_cap_v2", Inference: len(a.Ints(name))}}}
			d, err := p.Dynamics(Sampling{Scheduler: strings.ToUpper(words[2])})
			if err != nil {
				t.Fatal(err)
			}
			if got := timesteps(d); !slices.Equal(got, a.Ints(name)) {
				t.Errorf("%s: %v, want %v", name, got, a.Ints(name))
			}
		}
	}
}

// checkSteps compares one step from every timestep of a grid. The name says scheduler, kind of
// prediction, clipping and number of steps.
func checkSteps(t *testing.T, g *golden.Policy, name string) {
	t.Helper()
	a := g.Archive
	words := strings.Split(strings.TrimPrefix(name, "out.step."), ".")
	p := &Policy{config: Config{Diffusion: Diffusion{Steps: 100, Beta: "squaredcos_cap_v2", Inference: map[string]int{"K100": 100, "K10": 10, "K7": 7}[words[len(words)-1]]}}}
	switch {
	case strings.Contains(name, "clip1.0"):
		p.config.Diffusion.Clip = 1
	case strings.Contains(name, "clip1.7"):
		p.config.Diffusion.Clip = 1.7
	}
	d, err := p.Dynamics(Sampling{Scheduler: strings.ToUpper(words[0])})
	if err != nil {
		t.Fatal(err)
	}
	kind := map[string]schedule.Kind{"epsilon": schedule.Epsilon, "sample": schedule.X0}[words[1]]
	x, m, z := a.Float32("in.sample"), a.Float32("in.model_output"), a.Float32("in.noise")
	var got []float32
	for i := d.Steps() - 1; i >= 0; i-- {
		step, next := d.Transition(i, kind), make([]float32, len(x))
		step.WriteMean(next, x, m)
		for j := range next {
			next[j] += float32(step.Std) * z[j]
		}
		got = append(got, next...)
	}
	g.Check(t, name, got, 0, 0)
}
