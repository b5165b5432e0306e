package denoise_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// guided returns the guidance between two normals, of mean 1 and of mean 0.
func guided(t *testing.T, scale float64, kind schedule.Kind) (g, conditional, unconditional denoise.Denoiser) {
	t.Helper()
	s, err := schedule.SquaredCosine(20)
	if err != nil {
		t.Fatal(err)
	}
	of := func(mean, variance float64) denoise.Denoiser {
		m, err := analytic.NewGaussian(tensor.Shape{3}, []float64{mean}, []float64{variance}, s)
		if err != nil {
			t.Fatal(err)
		}
		c, err := denoise.Convert(m, kind, s)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	conditional, unconditional = of(1, 0.25), of(0, 1)
	if g, err = denoise.ClassifierFree(conditional, unconditional, scale); err != nil {
		t.Fatal(err)
	}
	return g, conditional, unconditional
}

func predict(t *testing.T, m denoise.Denoiser, x tensor.Batch) []float32 {
	t.Helper()
	dst := tensor.New(x.N, x.Shape...)
	if err := m.Predict(t.Context(), dst, x, 7); err != nil {
		t.Fatal(err)
	}
	return dst.Data
}

func TestClassifierFree(t *testing.T) {
	x := tensor.Batch{N: 2, Shape: tensor.Shape{3}, Data: []float32{-2, -1, 0, 0.5, 1, 3}}
	for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.X0, schedule.V, schedule.Score} {
		for _, scale := range []float64{-1, 0, 0.3, 1, 7.5} {
			g, c, u := guided(t, scale, kind)
			got, pc, pu := predict(t, g, x), predict(t, c, x), predict(t, u, x)
			for i, v := range got {
				want := float64(pu[i]) + scale*(float64(pc[i])-float64(pu[i]))
				if math.Abs(float64(v)-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%v, scale %v, element %d: %v, want %v", kind, scale, i, v, want)
				}
				if scale == 1 && v != pc[i] || scale == 0 && v != pu[i] {
					t.Errorf("%v, scale %v: not the model itself", kind, scale)
				}
			}
			lawtest.Denoiser(t, g, lawtest.DenoiserOptions{Timesteps: []int{3, 10}})
		}
	}
}

func TestClassifierFreeRefuses(t *testing.T) {
	_, noise, _ := guided(t, 2, schedule.Epsilon)
	_, score, _ := guided(t, 2, schedule.Score)
	for name, f := range map[string]func() (denoise.Denoiser, error){
		"two kinds": func() (denoise.Denoiser, error) { return denoise.ClassifierFree(noise, score, 2) },
		"no model":  func() (denoise.Denoiser, error) { return denoise.ClassifierFree(nil, score, 2) },
		"NaN":       func() (denoise.Denoiser, error) { return denoise.ClassifierFree(noise, noise, math.NaN()) },
	} {
		if m, err := f(); err == nil {
			t.Errorf("%s: %v, want an error", name, m)
		}
	}
}

// A score guided between two normals of one variance is that of a third.
func ExampleClassifierFree() {
	model := func(mean float64) denoise.Denoiser {
		m, err := analytic.NewGaussian(tensor.Shape{1}, []float64{mean}, []float64{1}, nil)
		if err != nil {
			panic(err)
		}
		return m
	}
	guided, err := denoise.ClassifierFree(model(2), model(0), 1.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	score, x := tensor.New(1, 1), tensor.New(1, 1)
	if err := guided.Predict(context.Background(), score, x, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(score.Data[0]) // the mean of that third normal, at 0
	// Output: 3
}
