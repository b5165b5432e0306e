package toy

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/thorough"
)

// Shares to expect, from an independent simulation of 10^5 pairs: p_out,
// p_overlap, p_valid.
var expected = map[Method][3]float64{
	Conditional: {0.228, 0.835, 0.047},
	Coupled:     {0.989, 0.0037, 0.0089},
	PCD:         {0, 0.081, 0.919},
	PD:          {0, 0.9992, 0.0008},
}

func TestSharesAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	n := thorough.Cases(10000, 40000)
	for m, want := range expected {
		p, err := Run(context.Background(), m, Options{Pairs: n})
		if err != nil {
			t.Fatal(err)
		}
		s := Summarise(p)
		for i, got := range []float64{s.POut, s.POverlap, s.PValid} {
			// Five standard errors of ours and of the reference, and its rounding.
			bound := 5*math.Sqrt(want[i]*(1-want[i])*(1/float64(n)+1e-5)) + 0.001
			if math.Abs(got-want[i]) > bound {
				t.Errorf("%s: share %d is %v, want %v ± %v", m, i, got, want[i], bound)
			}
		}
		constrained := m == PCD || m == PD
		if s.Certified != constrained || (s.MaxViolation <= 0) != constrained || constrained && s.POut != 0 {
			t.Errorf("%s: certified %v with violation %v and p_out %v", m, s.Certified, s.MaxViolation, s.POut)
		}
	}
}

// Classifier guidance is projected coupled diffusion with the other variable
// pinned; with the same noise the chains are the same, bit for bit.
func TestGuidanceIsAPinnedVariable(t *testing.T) {
	opts := Options{Pairs: 2000, Steps: 50}.withDefaults()
	a, err := sample(context.Background(), pinned(32), opts, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Run(context.Background(), CG, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Samples[0].Data, b.Big.Data) {
		t.Error("a pinned variable and a given one lead to different samples")
	}
	if !a.Certificate.Certified {
		t.Errorf("pinned variable is not certified: %v", a.Certificate.Err())
	}
}

// Projected diffusion is projected coupled diffusion of zero strength.
func TestProjectedDiffusionIsZeroStrength(t *testing.T) {
	zero := 0.0
	opts := Options{Pairs: 2000, Steps: 50}
	a, err := Run(context.Background(), PD, opts)
	if err != nil {
		t.Fatal(err)
	}
	opts.Strength = &zero
	b, err := Run(context.Background(), PCD, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Big.Data, b.Big.Data) || !slices.Equal(a.Small.Data, b.Small.Data) {
		t.Error("coupling of strength 0 changed the samples")
	}
}

// Every metric of the special cases is within a factor 2 of the baseline.
func TestVerifySpecialCases(t *testing.T) {
	t.Parallel()
	for seed := range uint64(thorough.Cases(1, 2)) {
		rows, err := Verify(context.Background(), VerifyOptions{Samples: 15000, Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		base := rows[2]
		for _, r := range rows {
			for name, v := range map[string][3]float64{
				"js": {r.JS, base.JS, r.Expected.JS}, "tv": {r.TV, base.TV, r.Expected.TV}, "l2": {r.L2, base.L2, r.Expected.L2},
			} {
				if ratio := v[0] / v[1]; ratio > 2 || ratio < 0.5 {
					t.Errorf("seed %d, %s: %s is %v, baseline %v", seed, r.Pair, name, v[0], v[1])
				}
				if ratio := v[0] / v[2]; ratio > 1.6 || ratio < 0.6 {
					t.Errorf("seed %d, %s: %s is %v, expected %v", seed, r.Pair, name, v[0], v[2])
				}
			}
		}
	}
}

func TestParseMethods(t *testing.T) {
	if ms, err := ParseMethods("all"); err != nil || len(ms) != 5 {
		t.Errorf(`ParseMethods("all") = %v, %v`, ms, err)
	}
	if _, err := ParseMethods("pdc"); err == nil {
		t.Error(`ParseMethods("pdc") = nil error`)
	}
}

func TestRunStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p, err := Run(ctx, PCD, Options{Pairs: 100, Progress: func(done, _ int) {
		if done == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || p == nil {
		t.Fatalf("Run = %v, %v, want partial pairs and a cancellation", p, err)
	}
	if s := Summarise(p); s.POut != 0 {
		t.Errorf("partial pairs leave the corridor: %+v", s)
	}
	if _, err := Run(context.Background(), PCD, Options{Pairs: -1}); err == nil {
		t.Error("a negative number of pairs: no error")
	} else if pe := new(pcd.ProblemError); !errors.As(err, &pe) {
		t.Errorf("a negative number of pairs: %v, want a *pcd.ProblemError", err)
	}
}
