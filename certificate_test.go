package pcd_test

import (
	"context"
	"errors"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// exhausted is a projector that never has iterations enough.
type exhausted struct{ project.Projector }

func (exhausted) Project(_ context.Context, dst, x tensor.Batch) (project.Report, error) {
	dst.CopyFrom(x)
	return project.Report{Status: project.IterationLimit, Samples: x.N, Moved: x.N, ViolationAfter: 1}, nil
}

// A violation that a projection left because it stopped too early is told from
// one that nobody knows the reason of.
func TestCertificateNamesProjectorLimit(t *testing.T) {
	s := cosine(t, 5)
	p := pcd.Problem{
		Variables: []pcd.Variable{{Name: "x", Model: gaussian(t, tensor.Shape{1}, 3, 0.01, s), Project: exhausted{interval(t, 0, 1)}}},
		Dynamics:  pcd.DDPM{Schedule: s},
	}
	limited := mustSample(t, p, pcd.Options{Samples: 4}).Certificate.Err()
	if !errors.Is(limited, pcd.ErrProjectorLimit) || !errors.Is(limited, pcd.ErrUncertified) {
		t.Errorf("at the limit of the projector: %v", limited)
	}
	if other := error(&pcd.UncertifiedError{Set: "x", Violation: 1}); errors.Is(other, pcd.ErrProjectorLimit) || !errors.Is(other, pcd.ErrUncertified) {
		t.Errorf("without a limit: %v", other)
	}
}
