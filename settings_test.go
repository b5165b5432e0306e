package pcd_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// noSteps are dynamics of a stranger that forgot to say how many steps they take.
type noSteps struct{ pcd.LMC }

func (noSteps) Steps() int { return 0 }

// TestSettingsWithoutEffectAreRefused wants settings that would silently do nothing, or
// the opposite of what they say, to be named before any compute.
func TestSettingsWithoutEffectAreRefused(t *testing.T) {
	pull := cost.Func{Name: "pull", Vars: 1, Eval: func(_, _ [][]float32) float64 { return 0 }}
	for want, change := range map[string]func(*pcd.Problem){
		"take 0 steps":       func(p *pcd.Problem) { p.Dynamics = noSteps{p.Dynamics.(pcd.LMC)} },
		"lists no variables": func(p *pcd.Problem) { p.Couplings[0].Variables = []int{} },
		"coupling 0: the window from step 9 to before step 4 has no step": func(p *pcd.Problem) {
			p.Couplings[0].Window = pcd.Window{From: 9, To: 4}
		},
		"before step -4": func(p *pcd.Problem) { p.Variables[0].ProjectAt = pcd.Window{To: -4} },
		"condition 0: the window from step 3 to before step 3": func(p *pcd.Problem) {
			p.Variables[0].Conditions[0].Window = pcd.Window{From: 3, To: 3}
		},
		"coupling 0: the window begins at step 5, want one of 4 to 0":  func(p *pcd.Problem) { p.Couplings[0].Window = pcd.Window{From: 5} },
		"variable 0: the window begins at step -1":                     func(p *pcd.Problem) { p.Variables[0].ProjectAt = pcd.Window{From: -1} },
		"condition 0: the window begins at step 6, want one of 5 to 0": func(p *pcd.Problem) { p.Variables[0].Conditions[0].Window = pcd.Window{From: 6} },
		"cadence projects at step 5, want steps from 4 to 0":           func(p *pcd.Problem) { p.Cadence.Steps = []int{4, 5} },
		"the number of costs is 0":                                     func(p *pcd.Problem) { p.Couplings[0].Cost = cost.Sum() },
		"the number of edges is 0":                                     func(p *pcd.Problem) { p.Couplings[0].Cost = cost.Graph(cost.DPP{}) },
		"lie outside the shape [3 2]":                                  func(p *pcd.Problem) { p.Variables[0].Conditions[0].Offset = math.MaxInt },
		"transform 0: it is nil":                                       func(p *pcd.Problem) { p.Couplings[0].Transforms = []pcd.Transform{nil} },
		"clipped to norm -1":                                           func(p *pcd.Problem) { p.Couplings[0].Transforms = []pcd.Transform{pcd.ClipPoints{Max: -1}} },
		"with floor NaN": func(p *pcd.Problem) {
			p.Couplings[0].Transforms = []pcd.Transform{pcd.NormalizeSamples{Floor: math.NaN()}}
		},
		"point 3 is left alone, want -3 to 2": func(p *pcd.Problem) { p.Couplings[0].Transforms = []pcd.Transform{pcd.ZeroPoints{0, 3}} },
		"overflows":                           func(p *pcd.Problem) { p.Variables[0].Model = standIn{shape: tensor.Shape{1 << 31, 1 << 31, 4}} },
	} {
		p := pcd.Problem{
			Variables: []pcd.Variable{{Model: standIn{shape: tensor.Shape{3, 2}, kind: schedule.Score}, Conditions: []pcd.Condition{{Values: tensor.New(1, 2)}}}},
			Couplings: []pcd.Coupling{{Cost: pull, Strength: 1}},
			Dynamics:  pcd.LMC{Step: 0.1, Length: 5},
		}
		if err := p.Validate(pcd.Options{Samples: 2}); err != nil {
			t.Fatalf("before the change: %v", err)
		}
		change(&p)
		if _, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 2}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Sample = %v, want an error with %q", err, want)
		}
	}
	one := pcd.Problem{Variables: []pcd.Variable{{Model: standIn{shape: tensor.Shape{2}, kind: schedule.Score}}}, Dynamics: pcd.LMC{Step: 0.1, Length: 5}}
	if err := one.Validate(pcd.Options{Samples: 3, First: math.MaxInt - 3}); err != nil {
		t.Errorf("the last samples that have numbers: %v", err)
	}
	if err := one.Validate(pcd.Options{Samples: 3, First: math.MaxInt - 2}); err == nil || !strings.Contains(err.Error(), "want at most 9223372036854775804") {
		t.Errorf("samples beyond all numbers: %v, want an error that names the last first number", err)
	}
	if _, err := pcd.Sample(context.Background(), pcd.Problem{
		Variables: []pcd.Variable{{Model: standIn{shape: tensor.Shape{1 << 20}, kind: schedule.Score}}}, Dynamics: pcd.LMC{Step: 0.1, Length: 5},
	}, pcd.Options{Samples: math.MaxInt / 2}); err == nil || !strings.Contains(err.Error(), "more numbers than a program can hold") {
		t.Errorf("Sample = %v, want an error for samples that no memory holds", err)
	}
}
