package push

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/samplers"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

func settings(t *testing.T, name string) Settings {
	t.Helper()
	s, err := SettingsByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func options(t *testing.T, m Method) Options {
	s := settings(t, "default")
	return Options{Method: m, Gamma: s.Gamma(m), VMax: 8.4, Settings: s, Seed: 3}
}

// short are episodes of three calls of the policy.
func short(o Options) Run { return Run{Options: o, EpisodeSteps: 3 * pusht.ActionSteps} }

func do(t *testing.T, m *Model, starts []Start, r Run) *Result {
	t.Helper()
	res, err := Do(t.Context(), m, starts, r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func conditions(n int) []pusht.State { return pusht.InitialConditions(n, pusht.ConditionSeed) }

// A pair does the same alone and in company, on one goroutine and on several, bit
// for bit.
func TestPairsDoNotDependOnTheBatch(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	m := goldenModel(t)
	s := conditions(2)
	for _, method := range []Method{DP, PCDDPP, CDLBPS} {
		o := options(t, method)
		o.Workers = 1
		all := do(t, m, append(Starts(0, s[0], 2), Starts(1, s[1], 3)...), short(o))
		o.Workers = 3
		const third = 4 // pair 2 of condition 1
		alone := do(t, m, Starts(1, s[1], 3)[2:], short(o))
		n := len(all.Recording.Actions) / 10
		for member := range 2 {
			want := all.Recording.Actions[(5*member+third)*n:][:n]
			if got := alone.Recording.Actions[member*n:][:n]; !slices.Equal(got, want) {
				t.Errorf("%s: member %d does something else alone", method, member)
			}
		}
	}
}

// Every plan of a projected method keeps the limit, and the certificate says so;
// the same actions under a lower limit are refused a certificate.
func TestCertificate(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	m := goldenModel(t)
	for _, method := range Methods() {
		o := options(t, method)
		r := do(t, m, Starts(0, conditions(1)[0], 1), Run{Options: o, EpisodeSteps: 2 * pusht.ActionSteps})
		if r.Certificate.Certified != method.Projected() {
			t.Errorf("%s: certificate %+v", method, r.Certificate)
		}
		judged, err := r.Judge([]float64{8.4})
		if err != nil {
			t.Fatal(err)
		}
		kept := true
		for _, s := range judged {
			kept = kept && s.Within[0] == [2]float64{1, 1}
		}
		if kept != method.Projected() {
			t.Errorf("%s: limit kept %v by the measure", method, kept)
		}
		if !method.Projected() {
			continue
		}
		if v := r.Certificate.MaxViolation; v > 0 || v < -0.01 {
			t.Errorf("%s: the worst step is %v off the limit; an untrained network should be at it", method, v)
		}
		o.VMax = 8.3
		if c := certify(r, [2]dataset.Linear{m.Action, m.Action}, o); c.Certified || math.Abs(c.MaxViolation-0.1) > 0.01 {
			t.Errorf("%s: certificate for a lower limit %+v", method, c)
		}
	}
}

func TestTimesAddUp(t *testing.T) {
	thorough.Test(t)
	o := options(t, PCDLBPS)
	o.Settings = settings(t, "pusht")
	r := do(t, goldenModel(t), Starts(0, conditions(1)[0], 2), short(o))
	s := r.Seconds
	sum := s.Network + s.VJP + s.Coupling + s.Projection + s.Physics + s.Other
	if math.Abs(sum-s.Total) > 1e-9*s.Total || s.VJP <= 0 || s.Network <= 0 || s.Projection <= 0 || s.Physics <= 0 {
		t.Errorf("parts %+v", s)
	}
}

func TestCancelledRunKeepsWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := short(options(t, PCDDPP))
	r.Progress = func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}
	res, err := Do(ctx, goldenModel(t), Starts(0, conditions(1)[0], 1), r)
	if !errors.Is(err, context.Canceled) || res.Status != pcd.Interrupted || res.Recording.Chunks != 2 {
		t.Fatalf("status %v after %d plans, error %v", res.Status, res.Recording.Chunks, err)
	}
	if res.Certificate.Certified {
		t.Errorf("an unfinished run is certified: %+v", res.Certificate)
	}
	if p := res.Trajectories()[0]; len(p[0].Actions) != 16 || len(p[1].Rewards) != 16 {
		t.Errorf("%d actions and %d rewards, want those of two plans", len(p[0].Actions), len(p[1].Rewards))
	}
}

func TestRunRefusesBadInput(t *testing.T) {
	m := goldenModel(t)
	start := Starts(0, conditions(1)[0], 1)
	for _, change := range []func(*Options){
		func(o *Options) { o.VMax = 0 },
		func(o *Options) { o.VMax = math.NaN() },
		func(o *Options) { o.Gamma = math.Inf(1) },
		func(o *Options) { o.Respacing.Steps = 33 },
		func(o *Options) { o.Respacing.Steps = -1 },
		func(o *Options) { o.Sampler = "unipc" },
		func(o *Options) { o.Sampler, o.Settings.ForwardNoise = "ddim", true },
		func(o *Options) { o.Respacing = Respacing{Sampler: "heun", Steps: 4, Adjacent: true} },
		func(o *Options) { o.Respacing = Respacing{Steps: 1, Adjacent: true} }, // at timestep 0 nothing is coupled
	} {
		o := options(t, PCDDPP)
		change(&o)
		var bad *OptionError
		if _, err := Do(t.Context(), m, start, short(o)); !errors.As(err, &bad) {
			t.Errorf("options %+v: %v", o, err)
		}
	}
	outside := start
	outside[0].State.Block.Position.X = 600
	var state *pusht.StateError
	if _, err := Do(t.Context(), m, outside, short(options(t, DP))); !errors.As(err, &state) || state.Value != 600 {
		t.Errorf("a block outside the arena: %v", err)
	}
	if _, err := Do(t.Context(), m, nil, short(options(t, DP))); err == nil {
		t.Error("no pairs are accepted")
	}
}

// Chains of fewer steps visit the first and the last timestep; the slip of the
// library visits others and can be longer than asked for.
func TestRespacing(t *testing.T) {
	full, err := goldenModel(t).Schedule()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r         Respacing
		len, last int
	}{
		{Respacing{}, 32, 31}, {Respacing{Steps: 10}, 10, 31}, {Respacing{Steps: 1}, 1, 31}, {Respacing{Steps: 31}, 31, 31},
		{Respacing{Steps: 10, Adjacent: true}, 11, 30}, {Respacing{Steps: 20, Adjacent: true}, 32, 31},
	} {
		s, err := c.r.of(full)
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != c.len || s.At(s.Len()-1).Timestep != c.last || c.len > 1 && s.At(0).Timestep != 0 {
			t.Errorf("%+v: %d steps up to %d, want %d up to %d", c.r, s.Len(), s.At(s.Len()-1).Timestep, c.len, c.last)
		}
		// A correct chain removes all noise: the product of its alphas is that of the
		// whole schedule.
		product := 1.0
		for i := range s.Len() {
			product *= s.At(i).Alpha
		}
		if want := full.At(c.last).AlphaBar; !c.r.Adjacent && math.Abs(product-want) > 1e-9 {
			t.Errorf("%+v: the chain spans %v, want %v", c.r, product, want)
		}
	}
}

func TestMethods(t *testing.T) {
	for _, c := range []struct {
		m                    Method
		coupling             Coupling
		posterior, projected bool
		gamma                float64
	}{
		{DP, Uncoupled, false, false, 0}, {DPProj, Uncoupled, false, true, 0},
		{CDDPP, Determinantal, false, false, 0.2}, {CDLBPS, LogBarrier, true, false, 0.02},
		{PCDDPPPS, Determinantal, true, true, 2}, {PCDLB, LogBarrier, false, true, 0.2},
	} {
		if c.m.Coupling() != c.coupling || c.m.Posterior() != c.posterior || c.m.Projected() != c.projected {
			t.Errorf("%s: coupling %q, posterior %v, projected %v", c.m, c.m.Coupling(), c.m.Posterior(), c.m.Projected())
		}
		if g := settings(t, "pusht").Gamma(c.m); g != c.gamma {
			t.Errorf("%s: gamma %v, want %v", c.m, g, c.gamma)
		}
	}
	if len(Methods()) != 10 {
		t.Errorf("%d methods", len(Methods()))
	}
	if _, err := ParseMethod("pcd-shd"); err == nil {
		t.Error("an unknown method is accepted")
	}
	if s := settings(t, "paper"); s.ScaleOf(PCDLB) != Gamma || settings(t, "pusht").ScaleOf(PCDLB) != GammaNoiseRate {
		t.Error("the conventions of gamma are mixed up")
	}
	if _, err := SettingsByName("mmd"); err == nil {
		t.Error("an unknown preset is accepted")
	}
}

// Every preset runs.
func TestPresetsRun(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	m := goldenModel(t)
	for _, name := range PresetNames() {
		s := settings(t, name)
		o := Options{Method: PCDDPPPS, Gamma: s.Gamma(PCDDPPPS), VMax: 8.4, Settings: s}
		r := do(t, m, Starts(0, conditions(1)[0], 1), Run{Options: o, EpisodeSteps: pusht.ActionSteps})
		if r.Certificate.Certified == s.PublishedProjection {
			t.Errorf("%s: certificate %+v", name, r.Certificate)
		}
	}
}

// TestSamplersRun runs every sampler, coupled under both conventions of γ and projected. The
// ancestral sampler is that of the published runs, up to rounding, where no estimate is
// limited: the same noise gives the same actions, also where β/√α is spelled as the scale that
// all samplers have.
func TestSamplersRun(t *testing.T) {
	m := goldenModel(t)
	observed := tensor.New(2, pusht.ObservationSteps, pusht.ObservationSize)
	for i := range observed.Data {
		observed.Data[i] = float32(200 + i%37)
	}
	for _, name := range []string{"default", "unscaled"} {
		s := settings(t, name)
		s.FreeEstimate = true
		for _, method := range []Method{PCDLB, CDDPP} {
			var published *Prediction
			for _, sampler := range Samplers() {
				p, err := NewPolicy(m, Options{Method: method, Gamma: s.Gamma(method), VMax: 8.4, Settings: s, Respacing: Respacing{Sampler: sampler, Steps: 12}})
				if err != nil {
					t.Fatal(err)
				}
				got, err := p.Predict(t.Context(), [2]tensor.Batch{observed, observed}, noise.New(5))
				if err != nil {
					t.Fatalf("%s, %s, %s: %v", name, method, sampler, err)
				}
				switch sampler {
				case samplers.DDPM:
					published = got
				case "euler-ancestral":
					golden.Close(t, name+" "+string(method), got.Actions[0].Data, published.Actions[0].Data, 0.05, 1e-3)
				}
			}
		}
	}
}

// Projections are counted over all calls of the policy, by member.
func TestProjectionsAreReported(t *testing.T) {
	m, s := goldenModel(t), conditions(1)
	three := do(t, m, Starts(0, s[0], 2), short(options(t, PCDLB)))
	one := do(t, m, Starts(0, s[0], 2), Run{Options: options(t, PCDLB), EpisodeSteps: pusht.ActionSteps})
	for member, r := range three.Projections {
		if r.Samples == 0 || r.Samples != 3*one.Projections[member].Samples || r.ViolationAfter > 0 {
			t.Errorf("member %d: %+v in three calls, %+v in one", member, r, one.Projections[member])
		}
	}
	if r := do(t, m, Starts(0, s[0], 1), short(options(t, DP))); r.Projections != [2]project.Report{} {
		t.Errorf("%+v of a method that does not project", r.Projections)
	}
}
