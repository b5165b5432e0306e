package main

import (
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment/imitation"
	"github.com/go-pcd/pcd/internal/lerobot"
	"github.com/go-pcd/pcd/internal/thorough"
)

// TestData reads the data sets as a training does, and drives what has learned for a step.
func TestData(t *testing.T) {
	thorough.Test(t)
	for _, blank := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "data")
		if err := writeData(dir, 2, blank); err != nil {
			t.Fatal(err)
		}
		d, err := lerobot.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := imitation.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		r := imitation.DefaultRecipe(1)
		r.DownDims, r.Resize, r.Keypoints, r.Validation = []int{16, 16, 16}, 36, 4, 0
		r.Train.Batch = 2
		folder := filepath.Join(t.TempDir(), "policy")
		training, err := imitation.NewTraining(folder, r, shown)
		if err != nil {
			t.Fatal(err)
		}
		if err := training.Run(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := training.Finish(); err != nil {
			t.Fatal(err)
		}
		got, err := driveAll(t.Context(), folder, 1, blank)
		if err != nil || !(got.off > 0) {
			t.Errorf("%v, %v", got, err)
		}
	}
}
