package images

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/thorough"
)

// Both images have the exemplars of one: both are in its hull, are asked about its gender,
// and have rows and orderings of their own beside those of the published exemplars.
func TestSameExemplars(t *testing.T) {
	thorough.Test(t)
	dir, m, spec := t.TempDir(), tinyModel(t), tinySpec()
	for _, spec.Same = range []Same{OwnExemplars, SameB} {
		if err := evaluate(t.Context(), m, spec, experiment.Options{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	results := read(t, dir)
	own, same := results["images-pcd-m2"], results["images-pcd-m2-same-b"]
	if own == nil || same == nil || !same.Certified() {
		t.Fatalf("results %v", results)
	}
	s := withExemplars(Source{Model: m})
	r, err := s.request(same.Cell, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Members[0].Exemplars[0].Picture.Pix, s.Exemplars[1][0].Picture.Pix) || !slices.Equal(r.Members[1].Exemplars[0].Picture.Pix, s.Exemplars[1][0].Picture.Pix) {
		t.Error("the exemplars are not those of the second image")
	}
	// The model that tells nothing apart draws the second image as ever, and the judge says as
	// much about it.
	a, b := results["images-sd-m2"], results["images-sd-m2-same-b"]
	woman := func(r *CellResult, k int) (p []float64) {
		return metric.Values(r.Batches[0].Pairs, func(p Pair) float64 { return p.Gender[k] })
	}
	for i, p := range woman(a, 0) {
		if q := woman(b, 0)[i]; q+p < 1-1e-5 || q+p > 1+1e-5 {
			t.Errorf("the first image is a man by %v, and by %v a woman", p, q)
		}
	}
	if !slices.Equal(woman(a, 1), woman(b, 1)) {
		t.Error("the second image is another one")
	}
	rows, labels := Tables(results)[0].Rows, []string(nil)
	for _, r := range rows {
		if r.Ours != nil && r.Method == pair.PCD {
			labels = append(labels, r.labels()[0])
			if published := r.Published != nil; published != (r.Same == OwnExemplars) {
				t.Errorf("%s: beside a published row: %v", r.labels()[0], published)
			}
		}
	}
	if !slices.Equal(labels, []string{"pcd", "pcd, both of b"}) {
		t.Errorf("rows %q", labels)
	}
	for _, c := range Claims(results) {
		if c.Same == SameB && c.More == "pcd, both of b" && c.Less == "sd, both of b" {
			return
		}
	}
	t.Error("no ordering among rows of the same exemplars")
}
