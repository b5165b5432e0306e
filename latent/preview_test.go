package latent

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/dataset"
)

// TestPreviewChangesNothing wants the same images with a preview, which ends in what they are.
func TestPreviewChangesNothing(t *testing.T) {
	m, told := open(t)
	r := Request{Images: 3, Seed: 4, Conditions: told, Sampler: Sampler{Steps: 6, Method: "euler"}, Workers: 2}
	want := must(m.Generate(t.Context(), r))(t)
	var at []int
	var last []*dataset.Picture
	r.Preview = &Preview{Every: 2, Images: 2, Show: func(done, total int, p []*dataset.Picture) error {
		at, last = append(at, done), p
		if total != 6 || len(p) != 2 {
			t.Errorf("%d pictures after %d of %d steps", len(p), done, total)
		}
		return nil
	}}
	got := must(m.Generate(t.Context(), r))(t)
	if !slices.Equal(got.Images.Data, want.Images.Data) {
		t.Error("a preview changes the images")
	}
	if !slices.Equal(at, []int{2, 4}) {
		t.Errorf("shown after %v steps, want 2 and 4", at)
	}
	if d := difference(last[1], want.Pictures[1]); d > difference(last[0], want.Pictures[1])/2 {
		t.Errorf("the picture of the second image differs from it by %v, from the first one's by %v", d, difference(last[0], want.Pictures[1]))
	}
}

// difference returns the mean difference of two pictures.
func difference(a, b *dataset.Picture) (sum float64) {
	for i, v := range a.Pix {
		d := float64(v) - float64(b.Pix[i])
		sum += d * d / float64(len(a.Pix))
	}
	return sum
}
