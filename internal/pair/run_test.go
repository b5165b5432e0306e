package pair

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/tensor"
)

// request returns a small request.
func request(t testing.TB, method Method) Request {
	return Request{
		Model: untrained(t), Method: method, Pairs: 3, Seed: 5, Steps: 6,
		Members: []Member{{Name: "male", Exemplars: painted(1, 2, 16)}, {Name: "female", Exemplars: painted(2, 3, 16)}},
	}
}

func do(t *testing.T, r Request) *Result {
	t.Helper()
	out, err := Do(t.Context(), r)
	check(t, err)
	return out
}

// Every method that projects gives latents that are combinations of the exemplars by
// the weights beside them, which this test computes once more from what is returned.
func TestProjectedLatentsAreCombinations(t *testing.T) {
	for _, method := range []Method{SDP, PCD, PCDPS} {
		out := do(t, request(t, method))
		if c := out.Certificate; !c.Certified || c.Latents != 6*(3+3) || c.MinWeight < 0 || c.MaxSumError != 0 || c.MaxResidual > c.Bound {
			t.Errorf("%s: certificate %+v", method, c)
		}
		for _, d := range out.Members {
			for k := range d.Latents.N {
				w := d.Final(k)
				sum, size := float32(0), 0.0
				off := make([]float64, d.Latents.Size())
				for j, z := range d.Latents.Sample(k) {
					off[j] = float64(z)
				}
				for i, u := range w {
					sum += u
					for j, e := range d.Exemplars.Sample(i) {
						off[j] -= float64(u) * float64(e)
						size = max(size, math.Abs(float64(e)))
					}
				}
				if worst := slices.MaxFunc(off, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) }); sum != 1 || slices.Min(w) < 0 || math.Abs(worst) > 1e-5*size {
					t.Errorf("%s: image %d of %s: weights %v with the sum %v, off by %g", method, k, d.Name, w, sum, worst)
				}
			}
		}
	}
}

// A latent that is moved out of the hull, or weights that are changed, lose the
// certificate.
func TestCertificateCanFail(t *testing.T) {
	out := do(t, request(t, PCD))
	d := out.Members[0]
	verdict := func(change func(x tensor.Batch, w []float32), box float64) Certificate {
		x, w := d.Latents.Clone(), slices.Clone(d.Weights[len(d.Weights)-6:])
		change(x, w)
		j := judgement{box: box}
		j.judge(0, d.Name, x, d.Exemplars, w, 5)
		return j.certificate()
	}
	if c := verdict(func(tensor.Batch, []float32) {}, 0); !c.Certified {
		t.Fatalf("unchanged: %+v", c)
	}
	for name, change := range map[string]func(x tensor.Batch, w []float32){
		"moved":        func(x tensor.Batch, _ []float32) { x.Data[7] += 1e-4 },
		"not a number": func(x tensor.Batch, _ []float32) { x.Data[7] = float32(math.NaN()) },
		"sum":          func(_ tensor.Batch, w []float32) { w[0] += 4 * grain },
		"negative":     func(_ tensor.Batch, w []float32) { w[0], w[1] = -grain, 1+grain },
	} {
		if c := verdict(change, 0); c.Certified {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := verdict(func(tensor.Batch, []float32) {}, 1e-3); c.Certified || !(c.MaxBeyondBox > 0) {
		t.Errorf("beyond the box: %+v", c)
	}
}

// Pair 2 is the same alone.
func TestPairsAreIndependent(t *testing.T) {
	for _, method := range []Method{SD, PCD, PCDPS} {
		r := request(t, method)
		all := do(t, r)
		r.First, r.Pairs = 2, 1
		one := do(t, r)
		for i, d := range one.Members {
			if !slices.Equal(d.Latents.Data, all.Members[i].Latents.Sample(2)) || !slices.Equal(d.Images.Data, all.Members[i].Images.Sample(2)) {
				t.Errorf("%s: image 2 of %s depends on the others", method, d.Name)
			}
			if method != SD && !slices.Equal(d.WeightsAt(3, 0), all.Members[i].WeightsAt(3, 2)) {
				t.Errorf("%s: weights of image 2 of %s depend on the others", method, d.Name)
			}
		}
	}
}

// Without a hull nothing is certified, and no weights are made up.
func TestFreeMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the other methods")
	}
	plain := do(t, request(t, SD))
	coupled := do(t, request(t, SDC))
	if plain.Members[0].Weights != nil || plain.Certificate.Certified || plain.Members[0].Exemplars.N != 0 {
		t.Errorf("sd has weights or a certificate: %+v", plain.Certificate)
	}
	if slices.Equal(plain.Members[0].Latents.Data, coupled.Members[0].Latents.Data) {
		t.Error("the coupling does nothing")
	}
	r := request(t, SDC)
	r.Gamma = math.SmallestNonzeroFloat64
	if none := do(t, r); !slices.Equal(plain.Members[0].Latents.Data, none.Members[0].Latents.Data) {
		t.Error("sd-c without strength is not sd")
	}
}

func TestFramesAndTimesteps(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of any run")
	}
	r := request(t, PCD)
	r.Frames, r.Timesteps = 3, "0:400"
	out := do(t, r)
	var steps []int
	for _, f := range out.Frames {
		steps = append(steps, f.Step)
	}
	if !slices.Equal(steps, []int{1, 3, 5}) || !slices.Equal(out.Frames[2].Latents[1].Data, out.Members[1].Latents.Data) {
		t.Errorf("frames at steps %v", steps)
	}
	for i, ts := range out.Timesteps {
		if w := out.Members[0].WeightsAt(i, 0)[0]; (w == w) != (ts <= 400) {
			t.Errorf("the weight after timestep %d is %v", ts, w)
		}
	}
	if want := 3 * 6; out.Certificate.Latents != want || !out.Certificate.Certified {
		t.Errorf("certificate of %d latents, want %d", out.Certificate.Latents, want)
	}
	if c := out.Choices; c.FreeNoiseScale != 1 || math.Abs(c.FreeGamma-FreeGamma*16) > 1e-9 || do(t, request(t, PCD)).Choices.FreeNoiseScale != 0 {
		t.Errorf("free steps: %+v", c)
	}
	if len(out.StepSeconds) != 6 {
		t.Errorf("times of %d steps", len(out.StepSeconds))
	}
}

// The intersection with a box keeps both.
func TestBox(t *testing.T) {
	r := request(t, PCD)
	free := do(t, r)
	side := 0.0
	for _, d := range free.Members { // the box holds the middle of both hulls, and not all of them
		m := make([]float32, d.Exemplars.Size())
		for i := range d.Exemplars.N {
			for j, v := range d.Exemplars.Sample(i) {
				m[j] += v / float32(d.Exemplars.N)
			}
		}
		side = max(side, 1.1*largest(m))
	}
	r.Box = side
	out := do(t, r)
	c := out.Certificate
	if !c.Certified || c.MaxBeyondBox > 0 || !(largest(free.Members[1].Exemplars.Data) > side) {
		t.Errorf("certificate %+v with a box of %g", c, side)
	}
	for _, d := range out.Members {
		if most := largest(d.Latents.Data); most > side {
			t.Errorf("%s: a number of %g is beyond the box of %g", d.Name, most, side)
		}
	}
}

// Mirror descent ends near the exact projection, in the hull as well.
func TestMirrorDescent(t *testing.T) {
	r := request(t, SDP)
	exact := do(t, r)
	r.MirrorDescent = &latent.MirrorDescent{Iterations: 4000}
	out := do(t, r)
	if !out.Certificate.Certified || out.Choices.MirrorDescent.LearningRate <= 0 {
		t.Errorf("certificate %+v, choices %+v", out.Certificate, out.Choices.MirrorDescent)
	}
	for i, w := range out.Members[1].Weights {
		if math.Abs(float64(w-exact.Members[1].Weights[i])) > 0.02 {
			t.Fatalf("weight %d is %v, exact %v", i, w, exact.Members[1].Weights[i])
		}
	}
}

func TestThreeVariables(t *testing.T) {
	r := request(t, PCD)
	r.Members = append(r.Members, Member{Exemplars: painted(3, 2, 16)})
	out := do(t, r)
	if len(out.Groups) != 3 || len(out.Members) != 3 || out.Members[2].Name != "member 3" || !out.Certificate.Certified || out.Satisfied() == nil {
		t.Errorf("groups %v, certificate %+v", out.Groups, out.Certificate)
	}
}

func TestRefusals(t *testing.T) {
	same := painted(4, 2, 16)
	same[1] = same[0]
	wide := append(painted(4, 2, 16), painted(5, 1, 24)...)
	for name, c := range map[string]struct {
		change func(*Request)
		want   any
	}{
		"one exemplar":      {func(r *Request) { r.Members[1].Exemplars = r.Members[1].Exemplars[:1] }, new(*ExemplarError)},
		"300 exemplars":     {func(r *Request) { r.Members[0].Exemplars = painted(6, 300, 16) }, new(*ExemplarError)},
		"different sizes":   {func(r *Request) { r.Members[0].Exemplars = wide }, new(*ExemplarError)},
		"the same exemplar": {func(r *Request) { r.Members[0].Exemplars = same }, new(*ExemplarError)},
		"gamma":             {func(r *Request) { r.Gamma = -1 }, new(*latent.SettingError)},
		"gamma NaN":         {func(r *Request) { r.Gamma = math.NaN() }, new(*latent.SettingError)},
		"noise scale":       {func(r *Request) { r.NoiseScale = 1e9 }, new(*latent.SettingError)},
		"steps":             {func(r *Request) { r.Steps = 1001 }, new(*latent.SettingError)},
		"no timestep":       {func(r *Request) { r.Timesteps = "300:310" }, new(*latent.SettingError)},
		"timesteps":         {func(r *Request) { r.Timesteps = "9:3" }, new(*latent.SettingError)},
		"one member":        {func(r *Request) { r.Members = r.Members[:1] }, new(*latent.SettingError)},
		"three genders": {func(r *Request) {
			r.Members, r.Attribute = append(r.Members, Member{Exemplars: painted(3, 2, 16)}), Gender
		},
			new(*latent.SettingError)},
		"no classifier": {func(r *Request) { r.Model.Classifier = nil }, new(*NeedsError)},
		"no text":       {func(r *Request) { r.Method = SDCPrompt }, new(*NeedsError)},
		"no guide":      {func(r *Request) { r.Method = Sync }, new(*NeedsError)},
		"no adapter":    {func(r *Request) { r.Method = CNetXS }, new(*NeedsError)},
		"sync weight":   {func(r *Request) { r.SyncWeight = -1 }, new(*latent.SettingError)},
		"control":       {func(r *Request) { r.Control = 101 }, new(*latent.SettingError)},
		"box and mirror descent": {func(r *Request) { r.Box, r.MirrorDescent = 3, &latent.MirrorDescent{} },
			new(*latent.SettingError)},
	} {
		r := request(t, PCD)
		c.change(&r)
		if out, err := Do(t.Context(), r); out != nil || err == nil || !errors.As(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := request(t, "poem")
	if _, err := Do(t.Context(), r); err == nil {
		t.Error("an unknown method is drawn by")
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := request(t, PCD)
	r.Progress = func(stage string, done, _ int) {
		if stage == "denoise" && done == 2 {
			cancel()
		}
	}
	if out, err := Do(ctx, r); out != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Do = %v, %v", out, err)
	}
}
