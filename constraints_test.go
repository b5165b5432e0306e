package pcd_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// counter counts the steps at which it projects.
type counter struct {
	project.Projector
	calls *int
}

func (c counter) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	*c.calls++
	return c.Projector.Project(ctx, dst, x)
}

func TestCadence(t *testing.T) {
	s := cosine(t, 32)
	for _, c := range []struct {
		cadence pcd.Cadence
		at      pcd.Window
		want    int
	}{{want: 32}, {pcd.Cadence{Every: 1}, pcd.Window{}, 32}, {pcd.Cadence{Every: 5}, pcd.Window{}, 7}, {pcd.Cadence{Every: 1000}, pcd.Window{}, 1},
		{pcd.Cadence{LastOnly: true}, pcd.Window{}, 1}, {pcd.Cadence{Steps: []int{31, 4, 2}}, pcd.Window{}, 4}, {pcd.Cadence{Steps: []int{}}, pcd.Window{}, 1},
		{pcd.Cadence{Steps: []int{0, 1}}, pcd.Window{From: 1}, 1}, {pcd.Cadence{}, pcd.Window{To: 8}, 8}} {
		calls := 0
		r := mustSample(t, pcd.Problem{
			Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{3}, 2, 1, s), Project: counter{interval(t, -0.1, 0.1), &calls}, ProjectAt: c.at}},
			Dynamics:  pcd.DDPM{Schedule: s},
			Cadence:   c.cadence,
		}, pcd.Options{Samples: 5, Workers: 1})
		if end := c.at.From == 0; calls != c.want || r.Certificate.Certified != end {
			t.Errorf("%+v at %+v: %d projections, certified %v; want %d and %v", c.cadence, c.at, calls, r.Certificate.Certified, c.want, end)
		}
	}
}

// inOrder is the set of pairs x <= y, element by element.
type inOrder struct{}

func (inOrder) Check(shapes []tensor.Shape) error {
	if len(shapes) != 2 || !shapes[0].Equal(shapes[1]) {
		return errors.New("want two variables of one shape")
	}
	return nil
}

func (inOrder) Violation(dst []float64, x []tensor.Batch) {
	for k := range dst {
		dst[k] = math.Inf(-1)
		for j, v := range x[0].Sample(k) {
			dst[k] = max(dst[k], float64(v)-float64(x[1].Sample(k)[j]))
		}
	}
}

func (inOrder) Project(_ context.Context, dst, x []tensor.Batch) (project.Report, error) {
	for j, v := range x[0].Data {
		w := x[1].Data[j]
		if v > w {
			v, w = (v+w)/2, (v+w)/2
		}
		dst[0].Data[j], dst[1].Data[j] = v, w
	}
	return project.Report{Samples: x[0].N}, nil
}

// A constraint may hold several variables together.
func TestJointConstraint(t *testing.T) {
	s := cosine(t, 32)
	g := gaussian(t, tensor.Shape{3}, 0, 0.4, s)
	p := pcd.Problem{
		Variables:   []pcd.Variable{{Name: "x", Model: g}, {Name: "y", Model: g}, {Name: "z", Model: g}},
		Constraints: []pcd.Constraint{{Name: "order", Variables: []int{2, 0}, Project: inOrder{}}},
		Dynamics:    pcd.DDPM{Schedule: s},
	}
	r := mustSample(t, p, pcd.Options{Samples: 300, Seed: 20})
	if !r.Certificate.Certified || len(r.Certificate.Constraints) != 1 || r.JointProjections[0].Samples != 32*300 {
		t.Errorf("certificate %+v, reports %+v", r.Certificate, r.JointProjections)
	}
	p.Constraints[0].Window = pcd.Window{From: 2, To: 5}
	if r := mustSample(t, p, pcd.Options{Samples: 300, Seed: 20}); r.JointProjections[0].Samples != 3*300 || r.Certificate.Certified {
		t.Errorf("in a window of three steps before the last: certificate %+v, reports %+v", r.Certificate, r.JointProjections)
	}
	v := make([]float64, 300)
	inOrder{}.Violation(v, []tensor.Batch{r.Samples[2], r.Samples[0]})
	if worst := slices.Max(v); worst > 0 {
		t.Errorf("z exceeds x by %v", worst)
	}
	p.Constraints = append(p.Constraints, pcd.Constraint{}, pcd.Constraint{Project: inOrder{}})
	_, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 1})
	for _, want := range []string{"constraint 1 has no set", "constraint 2: want two variables"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to mention %q", err, want)
		}
	}
}
