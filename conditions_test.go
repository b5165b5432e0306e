package pcd_test

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/tensor"
)

func TestConditionsAndWindows(t *testing.T) {
	s := cosine(t, 32)
	start, goals := tensor.New(1, 2), tensor.New(7, 2)
	start.Data[0], start.Data[1] = 0.25, -0.5
	for i := range goals.Data {
		goals.Data[i] = float32(i)
	}
	p := pcd.Problem{
		Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{4, 2}, 0, 0.1, s), Conditions: []pcd.Condition{
			{Values: start},
			{Offset: 6, Values: goals, Window: pcd.Window{From: 1}},
		}}},
		Dynamics: pcd.DDPM{Schedule: s},
	}
	seen := 0
	r := mustSample(t, p, pcd.Options{Samples: 7, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		x := info.Samples(0)
		for k := range x.N {
			if !slices.Equal(x.Sample(k)[:2], start.Data) {
				t.Errorf("step %d, sample %d: start %v", info.Step, k, x.Sample(k)[:2])
			}
			if slices.Equal(x.Sample(k)[6:], goals.Sample(k)) {
				seen++
			}
		}
		return nil
	})})
	if seen != 31*7 {
		t.Errorf("the goal was in place %d times, want at 31 steps of 7 samples", seen)
	}
	if slices.Equal(r.Samples[0].Sample(3)[6:], goals.Sample(3)) {
		t.Error("the goal is still in place after the last step")
	}
	shard := mustSample(t, p, pcd.Options{Samples: 2, First: 4})
	if !slices.Equal(shard.Samples[0].Data, r.Samples[0].Rows(4, 6).Data) {
		t.Error("a shard does not find its rows of the conditions")
	}
}
