package pair

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/dataset"
)

// Pairs that are drawn in pieces, and kept in files, are those that are drawn at once.
func TestJoin(t *testing.T) {
	r := request(t, PCD)
	r.Frames = 2
	whole := do(t, r)
	s, err := Prepare(t.Context(), r)
	check(t, err)
	var parts []*Result
	for _, piece := range [][2]int{{0, 1}, {1, 2}} {
		p, err := s.Draw(t.Context(), piece[0], piece[1])
		check(t, err)
		path := filepath.Join(t.TempDir(), "piece")
		check(t, s.Keep(path, p))
		kept, err := s.Kept(path)
		check(t, err)
		parts = append(parts, kept)
	}
	out := Join(parts...)
	check(t, s.Finish(t.Context(), out))
	for i, d := range out.Members {
		w := whole.Members[i]
		if !slices.Equal(d.Latents.Data, w.Latents.Data) || !slices.Equal(d.Weights, w.Weights) || !slices.Equal(d.Images.Data, w.Images.Data) {
			t.Errorf("%s differs", d.Name)
		}
		if !reflect.DeepEqual(d.Opinions, w.Opinions) {
			t.Errorf("opinions about %s: %v, want %v", d.Name, d.Opinions, w.Opinions)
		}
	}
	for k, f := range out.Frames {
		if !slices.Equal(f.Latents[1].Data, whole.Frames[k].Latents[1].Data) {
			t.Errorf("frame %d differs", k)
		}
	}
	if out.Request.Pairs != 3 || out.Certificate.Latents != whole.Certificate.Latents || out.Certificate.MaxResidual != whole.Certificate.MaxResidual || !out.Certificate.Certified {
		t.Errorf("%d pairs, certificate %+v, want %+v", out.Request.Pairs, out.Certificate, whole.Certificate)
	}
}

func TestKeptOfAnotherRequest(t *testing.T) {
	r := request(t, PCD)
	s, err := Prepare(t.Context(), r)
	check(t, err)
	p, err := s.Draw(t.Context(), 0, 1)
	check(t, err)
	path := filepath.Join(t.TempDir(), "piece")
	check(t, s.Keep(path, p))
	r.Members[0].Exemplars = painted(9, 4, 16)
	other, err := Prepare(t.Context(), r)
	check(t, err)
	var shape *dataset.FormatError
	if _, err := other.Kept(path); !errors.As(err, &shape) {
		t.Errorf("weights of 2 exemplars for 4: %v", err)
	}
	if _, err := s.Kept(path + "-of-nobody"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is there: %v", err)
	}
}
