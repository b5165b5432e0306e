package project_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// must returns the set of a constructor that must not fail.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// points returns n normal points of a size and scale.
func points(n, size int, scale float64) tensor.Batch {
	r := rand.New(rand.NewPCG(uint64(n), uint64(size)))
	b := tensor.New(n, size)
	for i := range b.Data {
		b.Data[i] = float32(scale * r.NormFloat64())
	}
	return b
}

// walks draws random walks of [n, channels] with steps of all sizes around limit.
func walks(channels int, limit float64) func(r *rand.Rand, x []float32) {
	return func(r *rand.Rand, x []float32) {
		step := limit * math.Pow(10, 2*r.Float64()-1.5)
		noise := limit * math.Pow(10, 3*r.Float64()-2)
		at := make([]float64, channels)
		for i := range x {
			at[i%channels] += step * r.NormFloat64()
			x[i] = float32(at[i%channels] + noise*r.NormFloat64())
		}
	}
}

func TestConformance(t *testing.T) {
	half := []float64{1, -2, 0.5, 0, 3, -1}
	speed := must[*project.SpeedLimit](t)
	acceleration := must[project.Projector](t)
	none := tensor.Batch{}
	origin := tensor.New(1, 2)
	perSample := points(48, 2, 0.1)
	perSample.First = 100
	goals := points(48, 2, 0.3)
	goals.First = 100
	interval := must[project.Exact](t)(project.NewInterval(-0.7, 0.3))
	ball := must[project.Exact](t)(project.NewBall(tensor.New(1, 6), 0.9))
	plane := must[project.Exact](t)(project.NewHalfSpace(half, 0.4))
	line := must[*project.SpeedLimit](t)(project.NewSpeedLimit(0.1, project.Path{Start: origin}))
	for name, s := range map[string]lawtest.ProjectorSuite{
		"interval": {Projector: interval, Shape: tensor.Shape{2, 3}},
		"interval from zero": {
			Projector: must[project.Exact](t)(project.NewInterval(math.Copysign(0, -1), 1)), Shape: tensor.Shape{5},
			Input: func(r *rand.Rand, x []float32) { // zeros of either sign, and others
				for i := range x {
					x[i] = float32(math.Copysign(float64(r.IntN(2))*r.NormFloat64(), r.NormFloat64()))
				}
			},
		},
		"half-open interval": {
			Projector: must[project.Exact](t)(project.NewInterval(0.1, math.Inf(1))), Shape: tensor.Shape{4},
		},
		"box": {
			Projector: must[project.Exact](t)(project.NewBox([]float64{-1, 0.1, math.Inf(-1)}, []float64{1.0 / 3, 0.1 + 1e-7, 7})),
			Shape:     tensor.Shape{3},
		},
		"ball":            {Projector: ball, Shape: tensor.Shape{6}},
		"ball per sample": {Projector: must[project.Exact](t)(project.NewBall(perSample, 0.01)), Shape: tensor.Shape{2}, First: 100},
		"point ball":      {Projector: must[project.Exact](t)(project.NewBall(points(1, 3, 1), 0)), Shape: tensor.Shape{3}},
		"singleton":       {Projector: must[project.Exact](t)(project.NewSingleton(perSample)), Shape: tensor.Shape{2}, First: 100},
		"half-space":      {Projector: plane, Shape: tensor.Shape{2, 3}},
		"affine": {
			Projector: must[project.Exact](t)(project.NewAffine([][]float64{half, {1, 1, 1, 1, 1, 1}, {2, -1, 1.5, 1, 4, 0}}, []float64{0.4, 1, 1.4})),
			Shape:     tensor.Shape{6},
		},
		"simplex":        {Projector: must[project.Exact](t)(project.NewSimplex(1, math.Inf(1))), Shape: tensor.Shape{7}},
		"capped simplex": {Projector: must[project.Exact](t)(project.NewSimplex(2.5, 0.3)), Shape: tensor.Shape{3, 4}},
		"full simplex":   {Projector: must[project.Exact](t)(project.NewSimplex(0.7, 0.1)), Shape: tensor.Shape{7}},
		"hull":           {Projector: must[*project.Hull](t)(project.NewHull(points(5, 20, 1))), Shape: tensor.Shape{20}, Tolerance: 1e-5},
		"flat hull":      {Projector: must[*project.Hull](t)(project.NewHull(points(6, 2, 1))), Shape: tensor.Shape{2}},
		"point hull":     {Projector: must[*project.Hull](t)(project.NewHull(points(1, 4, 1))), Shape: tensor.Shape{4}},

		"speed limit":       {Projector: line, Shape: tensor.Shape{20, 2}, Input: walks(2, 0.1)},
		"speed limit, line": {Projector: speed(project.NewSpeedLimit(0.05, project.Path{Start: tensor.New(1, 1)})), Shape: tensor.Shape{12, 1}, Input: walks(1, 0.05)},
		"speed limit, space": {
			Projector: speed(project.NewSpeedLimit(0.3, project.Path{Start: points(1, 3, 1)})),
			Shape:     tensor.Shape{9, 3}, Input: walks(3, 0.3), Tolerance: 2e-6,
		},
		"speed limit, state": {
			Projector: speed(project.NewSpeedLimit(0.1, project.Path{Start: perSample, Skip: 1})),
			Shape:     tensor.Shape{16, 4}, Input: walks(4, 0.1), First: 100,
		},
		"speed limit, goal": {
			Projector: speed(project.NewSpeedLimit(0.15, project.Path{Start: perSample, Goal: goals})),
			Shape:     tensor.Shape{14, 2}, Input: walks(2, 0.1), First: 100, Tolerance: 3e-6,
		},
		"speed limit, one step": {Projector: line, Shape: tensor.Shape{1, 2}, Input: walks(2, 0.1)},
		"speed limit, at rest":  {Projector: speed(project.NewSpeedLimit(0, project.Path{Start: perSample})), Shape: tensor.Shape{5, 2}, First: 100},
		"acceleration limit": {
			Projector: acceleration(project.NewAccelerationLimit(0.02, project.Path{Start: origin}, none)),
			Shape:     tensor.Shape{12, 2}, Input: walks(2, 0.05), Tolerance: 2e-5,
		},
		"acceleration limit, moving": {
			Projector: acceleration(project.NewAccelerationLimit(0.02, project.Path{Start: perSample, Dims: 2}, perSample)),
			Shape:     tensor.Shape{10, 3}, Input: walks(3, 0.05), First: 100, Tolerance: 2e-5,
		},
		"acceleration limit, space": {
			Projector: acceleration(project.NewAccelerationLimit(0.02, project.Path{Start: points(1, 3, 1)}, none)),
			Shape:     tensor.Shape{8, 3}, Input: walks(3, 0.1), Tolerance: 2e-5,
		},
		"intersection": {
			Projector: must[project.Exact](t)(project.NewIntersection(project.IntersectionOptions{}, interval, ball, plane)),
			Shape:     tensor.Shape{6}, Tolerance: 3e-6,
		},
		"speed limit in a box": {
			Projector: must[project.Exact](t)(project.NewIntersection(project.IntersectionOptions{MaxIterations: 20000}, line, interval)),
			Shape:     tensor.Shape{8, 2}, Input: walks(2, 0.2), Rows: 24, Tolerance: 3e-6,
		},
		"block": {
			Projector: must[project.Exact](t)(project.NewBlock(line, 1, 0, tensor.Shape{7, 2})),
			Shape:     tensor.Shape{9, 4}, Input: walks(4, 0.1),
		},
	} {
		if testing.Short() { // goroutines share these as they do more
			s.Rows = 8
		}
		t.Run(name, func(t *testing.T) { lawtest.Projector(t, s) })
	}
}
