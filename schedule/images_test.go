package schedule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/schedule"
)

// latentDiffusion is the schedule of the latent diffusion models.
func latentDiffusion(t *testing.T) *schedule.Schedule {
	t.Helper()
	s, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestImageSchedule(t *testing.T) {
	s, g := latentDiffusion(t), golden.Open(t, "testdata/scheduler_ddpm.npz")
	golden.Close(t, "betas", table(s, buffers["betas"]), g.Float64("betas"), 1e-9, 1e-6)
	bars := table(s, buffers["alphas_cumprod"])
	golden.Close(t, "alpha-bars", bars, g.Float64("alphas_cumprod_float64"), 0, 1e-12)
	// The reference multiplies in float32.
	golden.Close(t, "float32 alpha-bars", bars, g.Float64("alphas_cumprod_float32"), 1e-8, 3e-6)
}

func TestImageTimesteps(t *testing.T) {
	for file, counts := range map[string][]int{"ddpm": {5, 7, 10, 50, 100, 999, 1000}, "ddim": {5, 50, 100}} {
		g := golden.Open(t, "testdata/scheduler_"+file+".npz")
		for _, n := range counts {
			want := g.Ints(fmt.Sprintf("timesteps_%d", n))
			slices.Reverse(want)
			got, err := schedule.LeadingTimesteps(1000, n, 1, true)
			if n == 1000 { // the offset leads beyond the training steps
				if slices.Max(want) != 1000 {
					t.Errorf("timesteps_1000 ends at %d", slices.Max(want))
				}
				want = want[:999]
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: LeadingTimesteps(1000, %d, 1) = %v, %v, want %v", file, n, got, err, want)
			}
		}
	}
}

// The reference never adds less than 1e-10, also where the state before is clean.
func TestImageDeviations(t *testing.T) {
	s, err := latentDiffusion(t).Leading(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := table(s, schedule.Step.PosteriorStd)
	slices.Reverse(got)
	want := golden.Open(t, "testdata/scheduler_ddpm.npz").Float64("std_100")
	// ᾱ of the reference is a product in float32.
	golden.Close(t, "standard deviations", got, want, 1e-12, 2e-5)
}

func TestEndAt(t *testing.T) {
	training := latentDiffusion(t)
	s, err := training.Leading(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	end := training.At(0).AlphaBar
	e, err := s.EndAt(end)
	if err != nil {
		t.Fatal(err)
	}
	first, before := e.At(0), s.At(0)
	if first.AlphaBar != before.AlphaBar || first.Timestep != 1 || first.AlphaBarPrev != end || before.AlphaBarPrev != 1 {
		t.Errorf("step 0 = %+v, before %+v", first, before)
	}
	if want := 1 - first.AlphaBar/end; math.Abs(first.Beta-want) > 1e-15 || !(first.PosteriorVariance > 0) {
		t.Errorf("beta %v, want %v; posterior variance %v", first.Beta, want, first.PosteriorVariance)
	}
	if e.At(1) != s.At(1) || e.Len() != s.Len() {
		t.Error("other steps changed")
	}
	same, err := s.EndAt(before.AlphaBar)
	if err != nil {
		t.Fatal(err)
	}
	if f := same.At(0); f.AlphaBarPrev != f.AlphaBar || f.Beta != 0 || f.PosteriorVariance != 0 {
		t.Errorf("step 0 to its own level = %+v", f)
	}
	for _, bad := range []float64{before.AlphaBar - 1e-9, 0, 1.1, math.NaN()} {
		if _, err := s.EndAt(bad); err == nil {
			t.Errorf("EndAt(%v) = nil, want an error", bad)
		}
	}
}
