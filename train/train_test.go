package train_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

func exponential(t testing.TB) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Exponential(25, 1e-4, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// network is a small U-Net over paths of 8 points in the plane.
func network(t testing.TB, workers int) *nn.TemporalUNet {
	t.Helper()
	n, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{Horizon: 8, StateDim: 2, Width: 16, DimMults: []int{1, 2}, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	n.Init(noise.New(5).Sub("init"))
	return n
}

const spread = 0.15

// paths are n samples of a mixture of two smooth paths with independent noise.
func paths(n int) tensor.Batch {
	x := tensor.New(n, 8, 2)
	noise.New(6).Normal(x.Data, 16, noise.Address{})
	for k := range n {
		mean := modeMean(k % 3 / 2)
		for j := range x.Sample(k) {
			x.Sample(k)[j] = float32(mean[j]) + spread*x.Sample(k)[j]
		}
	}
	return x
}

// modeMean returns the mean path of a mode; the first has twice the weight.
func modeMean(mode int) []float64 {
	out := make([]float64, 16)
	for h := range 8 {
		u := float64(h) / 7
		out[2*h] = 1.6*u - 0.8
		out[2*h+1] = 0.6 * math.Sin(math.Pi*u)
		if mode == 1 {
			out[2*h+1] = -0.5 * math.Sin(math.Pi*u)
		}
	}
	return out
}

func weightsOf(n train.Network) []float32 {
	var out []float32
	for _, p := range n.Params() {
		out = append(out, p.Data...)
	}
	return out
}

func config() train.Config {
	return train.Config{Steps: 40, Batch: 16, Rate: 1e-3, ClipNorm: 1, Warmup: 5, Cosine: true, Validation: 0.1,
		EMA: train.EMA{Decay: 0.9, Every: 2, Start: 10}}
}

// objective is noise prediction that is told both ends of a path.
func objective(t testing.TB, n *nn.TemporalUNet, d train.Data) train.NoiseMSE {
	t.Helper()
	return train.NoiseMSE{Net: n, Data: d, Schedule: exponential(t), Pins: []train.Pin{{Row: 0}, {Row: -1, Tail: []float32{0.25}}}}
}

func trainer(t testing.TB, c train.Config, workers int) (*train.Trainer, *nn.TemporalUNet) {
	t.Helper()
	n := network(t, workers)
	tr, err := train.New(objective(t, n, train.Unconditional(paths(60))), c)
	if err != nil {
		t.Fatal(err)
	}
	return tr, n
}

func TestTwoGoroutinesGiveTheWeightsOfOne(t *testing.T) {
	var want []float32
	for _, workers := range []int{1, 2, 3} {
		tr, n := trainer(t, config(), workers)
		if err := tr.Run(context.Background(), train.Hooks{}); err != nil {
			t.Fatal(err)
		}
		got := weightsOf(n)
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%d goroutines give other weights than one", workers)
		}
	}
}

// A training that is stopped anywhere and resumed in a new process continues as
// if it had not been.
func TestResumeIsBitExact(t *testing.T) {
	tr, n := trainer(t, config(), 2)
	var end train.Metrics
	if err := tr.Run(context.Background(), train.Hooks{Log: func(m train.Metrics) error { end = m; return nil }}); err != nil {
		t.Fatal(err)
	}
	full := weightsOf(n)
	restore := tr.UseAverage()
	fullAverage := weightsOf(n)
	restore()

	path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
	ctx, kill := context.WithCancel(context.Background())
	tr, _ = trainer(t, config(), 2)
	err := tr.Run(ctx, train.Hooks{Progress: func(done, _ int) {
		if done == 17 {
			kill()
		}
	}})
	if !errors.Is(err, context.Canceled) || tr.Done() != 17 {
		t.Fatalf("interrupted after %d steps with %v, want 17 and a cancellation", tr.Done(), err)
	}
	if err := tr.Save(path); err != nil {
		t.Fatal(err)
	}

	tr, n = trainer(t, config(), 1)
	n.Init(noise.New(99)) // whatever was in the network
	if err := tr.Resume(path); err != nil {
		t.Fatal(err)
	}
	var last train.Metrics
	if err := tr.Run(context.Background(), train.Hooks{Log: func(m train.Metrics) error { last = m; return nil }}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(weightsOf(n), full) {
		t.Error("the weights differ from those of a run that was not stopped")
	}
	if *last.ValidationLoss != *end.ValidationLoss {
		t.Errorf("validation loss %v, want %v", *last.ValidationLoss, *end.ValidationLoss)
	}
	tr.UseAverage()
	if !slices.Equal(weightsOf(n), fullAverage) {
		t.Error("the averaged weights differ from those of a run that was not stopped")
	}
}

// Equal trainings have equal checkpoints, wherever they are stopped, and whether somebody reads their log or not.
func TestCheckpointsOfEqualTrainings(t *testing.T) {
	for _, at := range []int{10, 17, 40} {
		c := config()
		c.LogEvery = 10
		save := func(h train.Hooks) []byte {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			h.Progress = func(done, _ int) {
				if done == at {
					stop()
				}
			}
			tr, _ := trainer(t, c, 1)
			if err := tr.Run(ctx, h); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
			if err := tr.Save(path); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		if !bytes.Equal(save(train.Hooks{}), save(train.Hooks{Log: func(train.Metrics) error { return nil }})) {
			t.Errorf("checkpoints after %d steps differ", at)
		}
	}
}

func TestResumeRefusesAnotherRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
	tr, _ := trainer(t, config(), 1)
	if err := tr.Save(path); err != nil {
		t.Fatal(err)
	}
	other := config()
	other.Rate = 2e-3
	changed, _ := trainer(t, other, 1)
	longer := config()
	longer.Steps = 80
	more, _ := trainer(t, longer, 1)
	if err := more.Resume(path); err != nil {
		t.Errorf("resuming with more steps: %v", err)
	}
	elsewhere, err := train.New(objective(t, network(t, 1), train.Unconditional(paths(61))), config())
	if err != nil {
		t.Fatal(err)
	}
	if err := more.Run(t.Context(), train.Hooks{}); err != nil {
		t.Fatal(err)
	}
	ahead := filepath.Join(t.TempDir(), "checkpoint.safetensors")
	if err := more.Save(ahead); err != nil {
		t.Fatal(err)
	}
	varied := config()
	varied.Batch, varied.EMA.Start, varied.Seed = 8, 0, 2
	emphasised := objective(t, network(t, 1), train.Unconditional(paths(60)))
	emphasised.Emphasis = 5
	several, err := train.New(emphasised, varied)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, path  string
		tr          *train.Trainer
		differences []string
		said        string
	}{
		{"another rate", path, changed, []string{"rate: 0.001 instead of 0.002"}, "was made with other settings (rate: 0.001 instead of 0.002); go on with what it was made with"},
		{"several settings", path, several, []string{"batch: 16 instead of 8", "ema.start: 10 instead of 0", "loss.emphasis: 0 instead of 5", "seed: 0 instead of 2"}, "(batch: 16 instead of 8; ema.start: 10 instead"},
		{"other data", path, elsewhere, nil, "was made with other data; go on with"},
		{"fewer steps", ahead, tr, nil, "is at step 80 already, of 40 steps; ask for more"},
	} {
		var ce *train.CheckpointError
		err := c.tr.Resume(c.path)
		if !errors.As(err, &ce) || !slices.Equal(ce.Differences, c.differences) || !strings.Contains(err.Error(), c.said) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: Resume = %v, want a *train.CheckpointError of %q: %q", c.what, err, c.differences, c.said)
		}
	}
	if err := tr.Resume(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing checkpoint: no error")
	}
}

func TestBadSettingsAndData(t *testing.T) {
	nan := paths(4)
	nan.Data[20] = float32(math.NaN())
	one := train.Config{Steps: 1}
	for what, c := range map[string]struct {
		x      tensor.Batch
		config train.Config
		change func(*train.NoiseMSE)
	}{
		"no steps":    {paths(10), train.Config{}, nil},
		"batch":       {paths(10), train.Config{Steps: 1, Batch: -1}, nil},
		"NaN rate":    {paths(10), train.Config{Steps: 1, Rate: math.NaN()}, nil},
		"warm-up":     {paths(10), train.Config{Steps: 1, Warmup: 2}, nil},
		"pin":         {paths(10), one, func(o *train.NoiseMSE) { o.Pins = []train.Pin{{Row: 8}} }},
		"emphasis":    {paths(10), one, func(o *train.NoiseMSE) { o.Emphasis = math.NaN() }},
		"dropout":     {paths(10), one, func(o *train.NoiseMSE) { o.Dropout = 0.1 }}, // of no condition
		"null":        {paths(10), one, func(o *train.NoiseMSE) { o.Null = make([]float32, 3) }},
		"no examples": {tensor.New(0, 8, 2), one, nil},
		"NaN":         {nan, one, nil},
		"shape":       {tensor.New(3, 8, 3), one, nil},
	} {
		o := train.NoiseMSE{Net: network(t, 1), Data: train.Unconditional(c.x), Schedule: exponential(t)}
		if c.change != nil {
			c.change(&o)
		}
		if _, err := train.New(o, c.config); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// A small network trained on a mixture of paths recovers its score: the mean
// squared error of the predicted noise against the exact one is a small share of
// the variance of the noise, which is 1.
func TestTrainingRecoversTheScore(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	s := exponential(t)
	n := network(t, 2)
	tr, err := train.New(train.NoiseMSE{Net: n, Data: train.Unconditional(paths(3000)), Schedule: s}, train.Config{
		Steps: 1300, Batch: 40, Rate: 4e-3, Cosine: true, ClipNorm: 1, EMA: train.EMA{Decay: 0.99},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Run(context.Background(), train.Hooks{}); err != nil {
		t.Fatal(err)
	}
	defer tr.UseAverage()()

	exact, err := analytic.NewMixture(tensor.Shape{8, 2}, []analytic.Component{
		{Weight: 2, Mean: modeMean(0), Variance: []float64{spread * spread}},
		{Weight: 1, Mean: modeMean(1), Variance: []float64{spread * spread}},
	}, s)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := denoise.Convert(exact, schedule.Epsilon, s)
	if err != nil {
		t.Fatal(err)
	}
	x0, eps := paths(300), tensor.New(300, 8, 2)
	noise.New(8).Normal(eps.Data, 16, noise.Address{})
	x, got, want := tensor.New(300, 8, 2), tensor.New(300, 8, 2), tensor.New(300, 8, 2)
	for _, c := range []struct {
		step  int
		bound float64
	}{{8, 0.02}, {14, 0.03}, {19, 0.02}, {22, 0.01}} {
		s.At(c.step).Diffuse(x.Data, x0.Data, eps.Data)
		if err := errors.Join(n.Predict(context.Background(), got, x, c.step), truth.Predict(context.Background(), want, x, c.step)); err != nil {
			t.Fatal(err)
		}
		mse := 0.0
		for i := range got.Data {
			d := float64(got.Data[i] - want.Data[i])
			mse += d * d / float64(len(got.Data))
		}
		t.Logf("step %d: mean squared error %v", c.step, mse)
		if mse > c.bound {
			t.Errorf("step %d: mean squared error of the noise %v, want at most %v", c.step, mse, c.bound)
		}
	}
}
