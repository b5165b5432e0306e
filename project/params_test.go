package project_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

func row(v ...float32) tensor.Batch {
	return tensor.Batch{N: 1, Shape: tensor.Shape{len(v)}, Data: v}
}

func TestParametersAreChecked(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	origin := row(0, 0)
	for name, f := range map[string]func() error{
		"NaN limit":       func() error { _, err := project.NewSpeedLimit(nan, project.Path{Start: origin}); return err },
		"negative limit":  func() error { _, err := project.NewSpeedLimit(-1, project.Path{Start: origin}); return err },
		"infinite limit":  func() error { _, err := project.NewSpeedLimit(inf, project.Path{Start: origin}); return err },
		"no start":        func() error { _, err := project.NewSpeedLimit(1, project.Path{Dims: 2}); return err },
		"no dimension":    func() error { _, err := project.NewSpeedLimit(1, project.Path{Start: row(0, 0, 0, 0)}); return err },
		"negative skip":   func() error { _, err := project.NewSpeedLimit(1, project.Path{Start: origin, Skip: -1}); return err },
		"NaN bound":       func() error { _, err := project.NewInterval(nan, 1); return err },
		"empty interval":  func() error { _, err := project.NewInterval(1, 0); return err },
		"between float32": func() error { _, err := project.NewInterval(1+1e-12, 1+2e-12); return err },
		"empty box":       func() error { _, err := project.NewBox([]float64{0, 1}, []float64{1, 0}); return err },
		"negative radius": func() error { _, err := project.NewBall(origin, -1); return err },
		"zero normal":     func() error { _, err := project.NewHalfSpace([]float64{0, 0}, 1); return err },
		"NaN normal":      func() error { _, err := project.NewHalfSpace([]float64{0, nan}, 1); return err },
		"NaN row":         func() error { _, err := project.NewAffine([][]float64{{nan}}, []float64{1}); return err },
		"negative total":  func() error { _, err := project.NewSimplex(-1, 1); return err },
		"no exemplar":     func() error { _, err := project.NewHull(tensor.Batch{Shape: tensor.Shape{2}}); return err },
		"no set":          func() error { _, err := project.NewIntersection(project.IntersectionOptions{}); return err },
		"acceleration NaN": func() error {
			_, err := project.NewAccelerationLimit(nan, project.Path{Start: origin}, tensor.Batch{})
			return err
		},
		"acceleration goal": func() error {
			_, err := project.NewAccelerationLimit(1, project.Path{Start: origin, Goal: origin}, tensor.Batch{})
			return err
		},
	} {
		var pe *project.ParameterError
		if err := f(); !errors.As(err, &pe) {
			t.Errorf("%s: %v, want a *ParameterError", name, err)
		}
	}
	for name, f := range map[string]func() error{
		"NaN start": func() error {
			_, err := project.NewSpeedLimit(1, project.Path{Start: row(0, float32(nan))})
			return err
		},
		"infinite goal": func() error {
			_, err := project.NewSpeedLimit(1, project.Path{Start: origin, Goal: row(0, float32(inf))})
			return err
		},
		"NaN centre":   func() error { _, err := project.NewBall(row(float32(nan)), 1); return err },
		"NaN exemplar": func() error { _, err := project.NewHull(row(float32(nan))); return err },
	} {
		var nf *tensor.NonFiniteError
		if err := f(); !errors.As(err, &nf) {
			t.Errorf("%s: %v, want a *tensor.NonFiniteError", name, err)
		}
	}
}

func TestShapesAreChecked(t *testing.T) {
	s, err := project.NewSpeedLimit(1, project.Path{Start: row(0, 0), Skip: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range []tensor.Shape{{4}, {1, 2}, {4, 1}, {4, 2, 1}} {
		var se *project.ShapeError
		if err := s.Check(shape); !errors.As(err, &se) {
			t.Errorf("Check(%v) = %v, want a *ShapeError", shape, err)
		}
	}
	b, err := project.NewBall(row(1, 2, 3), 1)
	if err != nil {
		t.Fatal(err)
	}
	var se *project.SizeError
	if err := b.Check(tensor.Shape{2, 2}); !errors.As(err, &se) || se.Want != 3 {
		t.Errorf("Check of 4 elements = %v, want a *SizeError that wants 3", err)
	}
	var ie *project.InfeasibleError
	p, err := project.NewSimplex(1, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(tensor.Shape{4}); !errors.As(err, &ie) || math.Abs(ie.Violation-0.2) > 1e-12 {
		t.Errorf("Check of 4 elements up to 0.2 with the sum 1 = %v, want infeasible by 0.2", err)
	}
	if _, err := project.NewAffine([][]float64{{1, 1}, {2, 2}}, []float64{1, 3}); !errors.Is(err, project.ErrInfeasible) {
		t.Errorf("NewAffine of a contradiction = %v, want infeasible", err)
	}
}

func TestMissingSamples(t *testing.T) {
	start := tensor.New(3, 2)
	start.First = 10
	s, err := project.NewSpeedLimit(1, project.Path{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.New(2, 4, 2)
	x.First = 12
	var me *project.MissingSampleError
	if _, err := s.Project(context.Background(), x, x); !errors.As(err, &me) || me.Sample != 13 {
		t.Errorf("Project of samples 12 and 13 with starts for 10 to 12 = %v, want sample 13 missing", err)
	}
}
