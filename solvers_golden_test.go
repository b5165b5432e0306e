package pcd_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// standIn is the network of the reference vectors,
// p_j = tanh(0.9 u_j + 0.3 u_(j+1)) + 0.2 cos(t/160 + 0.37 j), at t + later.
type standIn struct {
	shape tensor.Shape
	kind  schedule.Kind
	later float64
	at    *float64   // a real timestep instead of what it is called with
	calls *[]calling // that are recorded, if there are
}

// calling is a call of the network: what it saw and said.
type calling struct{ x, p []float32 }

func (m standIn) Shape() tensor.Shape { return m.shape }
func (m standIn) Kind() schedule.Kind { return m.kind }

func (m standIn) At(t float64) denoise.Denoiser {
	m.at = &t
	return m
}

func (m standIn) Predict(_ context.Context, dst, x tensor.Batch, timestep int) error {
	t := float64(timestep) + m.later
	if m.at != nil {
		t = *m.at + m.later
	}
	for r := range x.N {
		u, p := x.Sample(r), dst.Sample(r)
		for j := range u {
			next := float64(u[(j+1)%len(u)])
			p[j] = float32(math.Tanh(0.9*float64(u[j])+0.3*next) + 0.2*math.Cos(t/160+0.37*float64(j)))
		}
	}
	if m.calls != nil {
		*m.calls = append(*m.calls, calling{x.Clone().Data, append([]float32(nil), dst.Data...)})
	}
	return nil
}

// drawn is the noise of reference vectors: the start, and that of every step.
type drawn struct{ start, steps []float32 }

func (d drawn) Normal(dst []float32, _ int, at noise.Address) {
	if at.Draw == 0 {
		copy(dst, d.start)
		return
	}
	copy(dst, d.steps[(at.Draw-1)*len(dst):])
}

// solverCase is a case of the reference's samplers, as its scheduler was configured.
type solverCase struct {
	Name, Class  string
	Steps, Calls int
	InitSigma    float64 `json:"init_noise_sigma"`
	Drawn        []bool
	Step         struct {
		Eta   *float64
		Churn float64 `json:"s_churn"`
		From  float64 `json:"s_tmin"`
		To    float64 `json:"s_tmax"`
		Noise float64 `json:"s_noise"`
	}
	Timesteps struct{ Mu float64 } `json:"set_timesteps"`
	Config    struct {
		Prediction  string  `json:"prediction_type"`
		Spacing     string  `json:"timestep_spacing"`
		Offset      int     `json:"steps_offset"`
		AlphaToOne  *bool   `json:"set_alpha_to_one"`
		Clip        bool    `json:"clip_sample"`
		ZeroSNR     bool    `json:"rescale_betas_zero_snr"`
		Karras      bool    `json:"use_karras_sigmas"`
		Exponential bool    `json:"use_exponential_sigmas"`
		Beta        bool    `json:"use_beta_sigmas"`
		Final       string  `json:"final_sigmas_type"`
		Order       int     `json:"solver_order"`
		Solver      string  `json:"solver_type"`
		Algorithm   string  `json:"algorithm_type"`
		EulerFinal  bool    `json:"euler_at_final"`
		Original    int     `json:"original_inference_steps"`
		SkipPRK     bool    `json:"skip_prk_steps"`
		Shift       float64 `json:"shift"`
		Dynamic     bool    `json:"use_dynamic_shifting"`
		ShiftType   string  `json:"time_shift_type"`
		Terminal    float64 `json:"shift_terminal"`
		Stochastic  bool    `json:"stochastic_sampling"`
	}
}

// kind returns what the model of the case predicts.
func (c solverCase) kind() schedule.Kind {
	switch {
	case strings.HasPrefix(c.Class, "Flow"):
		return schedule.Flow
	case c.Config.Prediction == "v_prediction":
		return schedule.V
	case c.Config.Prediction == "sample":
		return schedule.X0
	}
	return schedule.Epsilon
}

// stableDiffusion is the schedule of the cases.
func stableDiffusion(t *testing.T) *schedule.Schedule {
	t.Helper()
	s, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// grid returns the levels that the case visits.
func (c solverCase) grid(t *testing.T) *schedule.Grid {
	t.Helper()
	k := c.Config
	if c.kind() == schedule.Flow {
		return mustGrid(t)(schedule.FlowGrid(schedule.FlowOptions{Steps: c.Steps, Shift: k.Shift, Dynamic: k.Dynamic,
			Mu: c.Timesteps.Mu, LinearMu: k.ShiftType == "linear", Terminal: k.Terminal}))
	}
	o := schedule.GridOptions{Steps: c.Steps, Offset: k.Offset, ZeroSNR: k.ZeroSNR, Original: k.Original}
	o.Spacing = map[string]schedule.Spacing{"linspace": schedule.Linspace, "trailing": schedule.Trailing}[k.Spacing]
	switch {
	case k.Karras:
		o.Sigmas = schedule.Karras
	case k.Exponential:
		o.Sigmas = schedule.Geometric
	case k.Beta:
		o.Sigmas = schedule.BetaQuantiles
	}
	o.EndAtFirst = k.Final == "sigma_min" || k.AlphaToOne != nil && !*k.AlphaToOne
	switch c.Class {
	case "DDIMScheduler", "PNDMScheduler":
		o.Strided = true
	case "EulerDiscreteScheduler", "EulerAncestralDiscreteScheduler", "HeunDiscreteScheduler":
		o.Family = schedule.Continuous
	case "DPMSolverMultistepScheduler":
		o.Family = schedule.Interior
	case "LCMScheduler", "TCDScheduler":
		o.Family = schedule.Distilled
	}
	if c.Class == "PNDMScheduler" && !k.SkipPRK {
		o.Halved = 3
	}
	return mustGrid(t)(stableDiffusion(t).Grid(o))
}

func mustGrid(t *testing.T) func(*schedule.Grid, error) *schedule.Grid {
	return func(g *schedule.Grid, err error) *schedule.Grid {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

// dynamics returns the sampler of the case.
func (c solverCase) dynamics(t *testing.T) pcd.Dynamics {
	t.Helper()
	k, g, eta, clip := c.Config, c.grid(t), 0.0, 0.0
	if c.Step.Eta != nil {
		eta = *c.Step.Eta
	}
	if k.Clip {
		clip = 1
	}
	switch c.Class {
	case "DDIMScheduler":
		return pcd.Euler{Grid: g, Eta: eta, Clip: clip}
	case "DDPMScheduler", "EulerAncestralDiscreteScheduler":
		return pcd.Euler{Grid: g, Eta: 1, Clip: clip}
	case "EulerDiscreteScheduler":
		return pcd.Euler{Grid: g, Churn: c.Step.Churn, ChurnNoise: c.Step.Noise, ChurnFrom: c.Step.From, ChurnTo: c.Step.To}
	case "HeunDiscreteScheduler":
		return pcd.Heun{Grid: g, Clip: clip}
	case "DPMSolverMultistepScheduler":
		return pcd.DPMSolver{Grid: g, Order: k.Order, Taylor: k.Solver == "heun", SDE: strings.HasPrefix(k.Algorithm, "sde"), EulerFinal: k.EulerFinal}
	case "LCMScheduler":
		return pcd.LCM{Grid: g, Clip: clip}
	case "TCDScheduler":
		return pcd.TCD{Grid: g, Training: stableDiffusion(t), Eta: eta, Clip: clip}
	case "PNDMScheduler":
		return pcd.PNDM{Grid: g, RungeKutta: !k.SkipPRK}
	case "FlowMatchEulerDiscreteScheduler":
		if k.Stochastic {
			return pcd.LCM{Grid: g, TimeScale: 1e9} // whose state has no weight then
		}
		return pcd.Euler{Grid: g}
	}
	t.Fatalf("class %s is not known", c.Class)
	return nil
}

// samplers are the reference's vectors of a folder of cases.
type samplers struct {
	golden.Case
	io map[string]golden.Array
}

func openSamplers(t *testing.T, name string) samplers {
	t.Helper()
	c := golden.Cases(t, "testdata/samplers", func(n string) bool { return n == name })[0]
	return samplers{c, golden.Safetensors(t, c.Dir+"/io.safetensors")}
}

// compare checks all calls of a chain, with the tolerance of each.
func (s samplers) compare(t *testing.T, name string, got [][]float32) {
	t.Helper()
	want, ok := s.io[name]
	if !ok {
		t.Errorf("there is no %s", name)
		return
	}
	tol := s.Tolerances[name]
	size := len(want.Data) / want.Shape[0]
	if len(got) != want.Shape[0] {
		t.Errorf("%s: %d calls, want %d", name, len(got), want.Shape[0])
		return
	}
	for i, g := range got {
		abs := tol.Abs
		if len(tol.PerCall) > 0 {
			abs = tol.PerCall[i]
		}
		golden.Close(t, name, g, want.Data[i*size:][:size], abs, tol.Rel)
	}
}

// TestSamplersAreTheReferences runs every sampler of the reference on its network, and
// compares timesteps, what the network sees, states after every call and estimates.
func TestSamplersAreTheReferences(t *testing.T) {
	s := openSamplers(t, "samplers")
	var file struct {
		Shape []int
		Cases []solverCase
	}
	raw, err := os.ReadFile(s.Dir + "/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 80 {
		t.Fatalf("there are %d cases, want all", len(file.Cases))
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) { s.checkSolver(t, c, file.Shape) })
	}
}

func (s samplers) checkSolver(t *testing.T, c solverCase, shape []int) {
	d, calls := c.dynamics(t), []calling(nil)
	if d.Steps() != c.Calls {
		t.Fatalf("%d calls, want %d", d.Steps(), c.Calls)
	}
	m := standIn{shape: shape[1:], kind: c.kind(), calls: &calls}
	var states [][]float32
	watch := pcd.ObserverFunc(func(info pcd.StepInfo) error {
		states = append(states, info.Samples(0).Data)
		return nil
	})
	field := drawn{start: s.io["in."+c.Name+".start"].Data, steps: s.io["in."+c.Name+".noise"].Data}
	p := pcd.Problem{Variables: []pcd.Variable{{Model: m}}, Dynamics: d}
	mustSample(t, p, pcd.Options{Samples: shape[0], ChunkSize: shape[0], Noise: field, Observer: watch})
	s.checkTimesteps(t, c, d)
	c.checkStart(t, d)
	ours := newChain(t, c, d, states, calls)
	s.compare(t, "out."+c.Name+".x", ours.states)
	if _, ok := s.io["out."+c.Name+".model_in"]; ok {
		s.compare(t, "out."+c.Name+".model_in", ours.seen)
	}
	if _, ok := s.io["out."+c.Name+".x0"]; ok && c.Step.Churn == 0 {
		s.compare(t, "out."+c.Name+".x0", ours.estimates)
	}
}

// checkStart compares the standard deviation that a chain begins with, in the coordinates of
// the network.
func (c solverCase) checkStart(t *testing.T, d pcd.Dynamics) {
	t.Helper()
	got, want := 1.0, c.InitSigma
	if s, ok := d.(pcd.Starter); ok {
		got = s.Start()
	}
	if g, _ := sigmaGrid(c, d, t); g != nil {
		want *= g.From(0).Signal
	}
	if c.InitSigma > 0 && math.Abs(got-want) > 1e-5 {
		t.Errorf("the chain begins with %v, want %v", got, want)
	}
}

func (s samplers) checkTimesteps(t *testing.T, c solverCase, d pcd.Dynamics) {
	t.Helper()
	var got []float64
	for i := d.Steps() - 1; i >= 0; i-- {
		tr := d.Transition(i, c.kind())
		got = append(got, float64(tr.Timestep)+tr.Fraction)
	}
	name := "out." + c.Name + ".timesteps"
	golden.Close(t, name, got, s.io[name].Data, s.Tolerances[name].Abs, s.Tolerances[name].Rel)
	name = "out." + c.Name + ".sigmas"
	want, ok := s.io[name]
	if !ok {
		return
	}
	g := c.grid(t)
	var sigmas []float64
	for k := range g.Len() + 1 {
		l := g.To(g.Len() - 1)
		if k < g.Len() {
			l = g.From(k)
		}
		if c.kind() == schedule.Flow {
			sigmas = append(sigmas, l.Noise)
			continue
		}
		sigmas = append(sigmas, l.Sigma())
		if c.Class == "HeunDiscreteScheduler" && k > 0 && k < g.Len() {
			sigmas = append(sigmas, l.Sigma()) // asked twice
		}
	}
	golden.Close(t, name, sigmas, want.Data, s.Tolerances[name].Abs, s.Tolerances[name].Rel)
}

// chain is a run in the coordinates of the reference.
type chain struct{ states, seen, estimates [][]float32 }

// newChain converts a run: the reference's states are x/Signal where it works with σ.
func newChain(t *testing.T, c solverCase, d pcd.Dynamics, states [][]float32, calls []calling) chain {
	t.Helper()
	var out chain
	for k, call := range calls {
		tr := d.Transition(len(calls)-1-k, c.kind())
		e := make([]float32, len(call.x))
		tr.WriteEstimate(e, call.x, call.p)
		out.seen, out.estimates = append(out.seen, call.x), append(out.estimates, e)
	}
	for k, x := range states {
		scale := float32(1)
		if g, call := sigmaGrid(c, d, t); g != nil {
			scale = float32(1 / reached(g, call, k).Signal)
		}
		y := make([]float32, len(x))
		for j, v := range x {
			y[j] = scale * v
		}
		out.states = append(out.states, y)
	}
	return out
}

// sigmaGrid returns the grid of a case whose reference works with σ, and the calls of a step.
func sigmaGrid(c solverCase, d pcd.Dynamics, t *testing.T) (g *schedule.Grid, calls int) {
	switch c.Class {
	case "EulerDiscreteScheduler", "EulerAncestralDiscreteScheduler":
		return c.grid(t), 1
	case "HeunDiscreteScheduler":
		return c.grid(t), 2
	}
	return nil, 0
}

// reached returns the level after the k-th call.
func reached(g *schedule.Grid, calls, k int) schedule.Level { return g.To(k / calls) }
