package main

import (
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/policy"
)

// TestFolder acts on the recording with the folder, within limits.
func TestFolder(t *testing.T) {
	folder, recording := filepath.Join(t.TempDir(), "policy"), filepath.Join(t.TempDir(), "recording")
	if err := run(folder, recording, true); err != nil {
		t.Fatal(err)
	}
	p, err := policy.Open(folder, policy.Options{Half: true})
	if err != nil {
		t.Fatal(err)
	}
	limits := policy.Limits{Min: []float64{0, 0}, Max: []float64{512, 512}, Groups: [][]int{{0, 1}}, Speed: []float64{20}}
	a, err := policy.NewActor(p, policy.Sampling{Scheduler: "DDIM", Steps: 2}, &limits)
	if err != nil {
		t.Fatal(err)
	}
	r, err := policy.OpenRecording(recording, p)
	if err != nil {
		t.Fatal(err)
	}
	var commands, start []float32
	for range moments {
		o, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if start == nil {
			start = o.Vectors[state]
			if err := a.Start(start); err != nil {
				t.Fatal(err)
			}
		}
		c, err := a.Act(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		commands = append(commands, c...)
	}
	if c, err := limits.Certify(start, commands); err != nil || !c.Certified {
		t.Errorf("%+v, %v", c, err)
	}
}
