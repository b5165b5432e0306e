package images

import (
	"context"
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// pull is a model whose score is t·(c - z).
type pull struct{ centre []float32 }

func (p pull) Shape() tensor.Shape { return tensor.Shape{len(p.centre)} }
func (p pull) Kind() schedule.Kind { return schedule.Score }
func (p pull) Predict(_ context.Context, dst, x tensor.Batch, t int) error {
	for i, v := range x.Data {
		dst.Data[i] = float32(t) * (p.centre[i%len(p.centre)] - v)
	}
	return nil
}

// chord returns the segment from (0, 0, 0) to (4, 0, 0) with a pull to (1, 0, 2).
func chord() *Segment {
	return &Segment{
		Exemplars: tensor.Batch{N: 2, Shape: tensor.Shape{3}, Data: []float32{0, 0, 0, 4, 0, 0}}, Length: 4,
		model: pull{[]float32{1, 0, 2}}, steps: []int{3, 1},
	}
}

// The score along a chord is signed: it points to the second exemplar before the foot of
// the centre, and back behind it.
func TestScores(t *testing.T) {
	s, err := chord().Scores(t.Context(), 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range s.Timesteps {
		for k, share := range s.Shares {
			if got, want := s.Along[i][k], float64(step)*(1-4*share); math.Abs(got-want) > 1e-6 {
				t.Errorf("timestep %d, share %v: %v, want %v", step, share, got, want)
			}
		}
	}
	if _, err := chord().Scores(t.Context(), 1, nil); err == nil {
		t.Error("one point is accepted")
	}
}

// The ratio is the mean of √(a² + 2²)/a at distances a from the foot, whatever the
// timestep.
func TestRatio(t *testing.T) {
	r, err := chord().ratio(t.Context(), [][]float64{{0, 0.5}, {1, 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Mean[0]-math.Sqrt(5)) > 1e-6 || math.Abs(r.Mean[1]-math.Sqrt(13)/3) > 1e-6 {
		t.Errorf("ratios %v", r.Mean)
	}
}

func TestOutliers(t *testing.T) {
	r := &Ratio{Mean: []float64{10, 10, 10, 10, 10, 12, 100}}
	r.judge()
	for i, out := range r.Outliers {
		if out != (i == 6) {
			t.Errorf("step %d: outlier %v", i, out)
		}
	}
	if math.Abs(r.Level-62.0/6) > 1e-12 {
		t.Errorf("level %v of the others", r.Level)
	}
	if flat := (&Ratio{Mean: []float64{5, 5}}); true {
		if flat.judge(); flat.Level != 5 || flat.Outliers[0] {
			t.Errorf("equal ratios: %+v", flat)
		}
	}
}

// Segments of a model follow its timesteps, and its samples stay on the chord.
func TestSegments(t *testing.T) {
	s, err := Segments(t.Context(), Source{Model: tinyModel(t)}, 4)
	if err != nil || len(s) != 2 {
		t.Fatalf("%d segments, %v", len(s), err)
	}
	for _, seg := range s {
		if len(seg.steps) != 4 || seg.steps[0] != 751 || seg.steps[3] != 1 || !(seg.Length > 0) {
			t.Errorf("%s: timesteps %v, length %v", seg.Gender, seg.steps, seg.Length)
		}
		r, err := seg.Ratio(t.Context(), 3, 1, nil)
		if err != nil || len(r.Mean) != 4 {
			t.Fatalf("%v, %v", r, err)
		}
		for _, v := range r.Mean {
			if !(v >= 1-1e-9) {
				t.Errorf("a score is shorter than its part: %v", r.Mean)
			}
		}
		x, err := seg.Strip(t.Context(), 3)
		if err != nil || x.N != 3 || !x.Shape.Equal(tensor.Shape{3, 8, 8}) {
			t.Errorf("strip of shape %v, %v", x.Shape, err)
		}
		paths, err := seg.paths(t.Context(), 2, 1)
		if err != nil || paths[0][0] != 0.5 || !(paths[3][1] >= 0 && paths[3][1] <= 1) {
			t.Errorf("paths %v, %v", paths, err)
		}
	}
	if _, err := Segments(t.Context(), Source{Model: tinyModel(t)}, 5000); err == nil {
		t.Error("more steps than the training had are accepted")
	}
	if _, err := s[0].source.exemplars(0, pair.MostDrawn+1); err == nil {
		t.Error("more exemplars than there are")
	}
}
