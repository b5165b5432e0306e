package planner

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// Files that are there and hold no latents are a mistake of the caller.
func TestLatentsRefused(t *testing.T) {
	good := tensor.New(2, 4, 3, 2)
	broken := tensor.New(1, 4, 3, 2)
	broken.Data[5] = float32(math.NaN())
	flat := tensor.New(1, 4)
	for name, c := range map[string]struct {
		latents tensor.Batch
		refused bool
	}{"good": {good, false}, "broken": {broken, true}, "flat": {flat, true}} {
		path := filepath.Join(t.TempDir(), "latents.npz")
		if err := writeLatents(path, c.latents); err != nil {
			t.Fatal(err)
		}
		b, err := readLatents(path)
		if (ClassOf(err) == Usage) != c.refused || err == nil && (b.N != c.latents.N || len(b.Data) != len(c.latents.Data)) {
			t.Errorf("%s: %v %v, %v; refused: %v", name, b.N, b.Shape, err, c.refused)
		}
	}
}
