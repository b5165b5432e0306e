package published_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// TestHullsOfLatents compares both projections with every array of the vectors: points of
// a hull of 1, 2, 3 and 6 latents, and their weights, after numbers of iterations of the
// published mirror descent, and exactly.
func TestHullsOfLatents(t *testing.T) {
	folders := []string{"testdata/images"}
	if more := os.Getenv("PCD_GOLDEN_IMAGES"); more != "" {
		folders = append(folders, more)
	}
	for _, folder := range folders {
		for _, c := range golden.Cases(t, folder, func(name string) bool { return name == "hull_projection" }) {
			io := golden.Safetensors(t, c.Dir+"/io.safetensors")
			compared := 0
			for name, want := range io {
				group, what, ok := strings.Cut(strings.TrimPrefix(name, "out."), ".")
				if !ok || strings.HasPrefix(name, "in.") {
					continue
				}
				exemplars, x := latents(t, io["in."+group+".exemplars"]), latents(t, io["in."+group+".points"])
				c.Check(t, name, projected(t, exemplars, x, what), want)
				compared++
			}
			if compared != len(c.Tolerances) || compared == 0 {
				t.Errorf("%s: %d arrays compared of %d", c.Dir, compared, len(c.Tolerances))
			}
		}
	}
}

// ofDescent is the name of a result of mirror descent.
var ofDescent = regexp.MustCompile(`^(lambda|points)_it(\d+)_lr(.+)$`)

// hullProjection is a projection with weights.
type hullProjection interface {
	project.Projector
	Weights(dst []float64, x tensor.Batch) error
}

// projected returns the weights or the points of a projection by the name of the result.
func projected(t *testing.T, exemplars, x tensor.Batch, what string) []float32 {
	t.Helper()
	var p hullProjection
	var err error
	kind := strings.TrimSuffix(what, "_exact")
	if m := ofDescent.FindStringSubmatch(what); m != nil {
		var o published.MirrorDescentOptions
		kind = m[1]
		if o.Iterations, err = strconv.Atoi(m[2]); err != nil {
			t.Fatal(err)
		}
		if o.LearningRate, err = strconv.ParseFloat(m[3], 64); err != nil {
			t.Fatal(err)
		}
		p, err = published.NewMirrorDescent(exemplars, o)
	} else {
		p, err = project.NewHull(exemplars)
	}
	if err != nil {
		t.Fatal(err)
	}
	switch kind {
	case "points":
		dst := tensor.New(x.N, x.Shape...)
		if _, err := p.Project(t.Context(), dst, x); err != nil {
			t.Fatal(err)
		}
		return dst.Data
	case "lambda":
		weights := make([]float64, x.N*exemplars.N)
		if err := p.Weights(weights, x); err != nil {
			t.Fatal(err)
		}
		out := make([]float32, len(weights))
		for i, w := range weights {
			out[i] = float32(w)
		}
		return out
	}
	t.Fatalf("no result is called %q", what)
	return nil
}

// latents returns an array as a batch.
func latents(t *testing.T, a golden.Array) tensor.Batch {
	t.Helper()
	b, err := tensor.Of(a.Data, a.Shape[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
