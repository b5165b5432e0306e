package pcd_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/tensor"
)

// shifted moves states by a number, and says where it was called.
type shifted struct {
	by    float32
	only  int // step, or -1
	calls *[][2]int
}

func (s shifted) Correct(_ context.Context, x []tensor.Batch, i, timestep int) error {
	if s.calls != nil {
		*s.calls = append(*s.calls, [2]int{i, timestep})
	}
	if s.only >= 0 && s.only != i {
		return nil
	}
	for _, b := range x {
		for j := range b.Data {
			b.Data[j] += s.by
		}
	}
	return nil
}

// A correction before the first step is another state to begin with.
func TestCorrectorMovesStates(t *testing.T) {
	s := cosine(t, 4)
	start := tensor.New(3, 2)
	problem := func(by float32, before pcd.Corrector) pcd.Problem {
		init := start.Clone()
		for i := range init.Data {
			init.Data[i] = float32(i)/8 + by
		}
		return pcd.Problem{
			Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{2}, 3, 0.01, s), Init: pcd.Values(init)}},
			Dynamics:  pcd.DDPM{Schedule: s}, Before: before,
		}
	}
	var calls [][2]int
	moved := mustSample(t, problem(0, shifted{0.5, 3, &calls}), pcd.Options{Samples: 3, Workers: 1})
	begun := mustSample(t, problem(0.5, nil), pcd.Options{Samples: 3, Workers: 1})
	if !slices.Equal(moved.Samples[0].Data, begun.Samples[0].Data) {
		t.Errorf("corrected %v, begun there %v", moved.Samples[0].Data, begun.Samples[0].Data)
	}
	if want := [][2]int{{3, 3}, {2, 2}, {1, 1}, {0, 0}}; !slices.Equal(calls, want) {
		t.Errorf("called at %v, want %v", calls, want)
	}
	plain := mustSample(t, problem(0, shifted{0, -1, nil}), pcd.Options{Samples: 3})
	if none := mustSample(t, problem(0, nil), pcd.Options{Samples: 3}); !slices.Equal(plain.Samples[0].Data, none.Samples[0].Data) {
		t.Error("a corrector that moves nothing changes samples")
	}
}

type refuses struct{ error }

func (r refuses) Correct(context.Context, []tensor.Batch, int, int) error { return r.error }

func TestCorrectorErrorsAreNamed(t *testing.T) {
	s := cosine(t, 4)
	cause := errors.New("no")
	p := pcd.Problem{Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{2}, 3, 0.01, s)}}, Dynamics: pcd.DDPM{Schedule: s}, Before: refuses{cause}}
	_, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 2})
	var step *pcd.StepError
	if !errors.Is(err, cause) || !errors.As(err, &step) || step.Step != 3 {
		t.Errorf("Sample = %v", err)
	}
}
