package portraits

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-pcd/pcd/internal/encoded"
	"github.com/go-pcd/pcd/internal/fault"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/latent"
)

func TestMain(m *testing.M) {
	fault.Volatile = true
	os.Exit(m.Run())
}

// fewSteps are those of samples that a test draws.
const fewSteps = 5

// tiny is the recipe of a part at a size for tests.
func tiny(p Part) Recipe {
	r := DefaultRecipe(p)
	r.Size, r.Photos, r.HeldOut = 32, 24, 8
	r.Train.Steps, r.Train.Batch, r.Train.LogEvery, r.Train.ValidationEvery = 4, 4, 2, 2
	switch p {
	case Autoencoder:
		r.Widths, r.Latent = []int{8, 8, 8}, 5
	case Denoiser:
		r.Widths, r.Prediction, r.MinSNR = []int{16, 16}, velocity, 5
	case Adapter:
		r.Widths = []int{8, 8}
	case Classifier:
		r.Widths, r.Noisy = []int{4}, 1
	default:
		r.Widths = []int{4}
	}
	return r
}

// trainPart trains a part; with stop > 0 it stops after so many steps, and continues
// from the files.
func trainPart(t *testing.T, dir string, r Recipe, stop int) {
	t.Helper()
	trainOn(t, dir, "", r, stop)
}

// finished holds the files of parts that were trained at a stretch, as tiny says, and of the model of
// the first four, which several tests begin with.
var finished = map[string]fstest.MapFS{}

// once fills a folder as make does, which it calls for one test only.
func once(t *testing.T, name, dir string, make func()) {
	t.Helper()
	if files := finished[name]; files != nil {
		if err := os.CopyFS(dir, files); err != nil {
			t.Fatal(err)
		}
		return
	}
	make()
	files := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = &fstest.MapFile{Data: b, Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	finished[name] = files
}

// trainParts puts parts into a folder, trained one after the other at a stretch.
func trainParts(t *testing.T, dir string, parts ...Part) {
	t.Helper()
	for _, p := range parts {
		once(t, string(p), p.Dir(dir), func() { trainPart(t, dir, tiny(p), 0) })
	}
}

// plain puts the parts that every model has into a folder, and the model of them into another.
func plain(t *testing.T, dir, model string) {
	t.Helper()
	trainParts(t, dir, Autoencoder, Denoiser, Classifier, Judge)
	once(t, "model", model, func() {
		if _, err := Assemble(t.Context(), dir, "", model, fewSteps, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// trainOn is trainPart with a model whose parts stand in.
func trainOn(t *testing.T, dir, base string, r Recipe, stop int) {
	t.Helper()
	for _, until := range []int{stop, 0} {
		tr, err := NewTraining(t.Context(), dir, base, r, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = tr.Run(ctx, nil, func(done, _ int) {
			if done == until {
				cancel()
			}
		})
		cancel()
		if err != nil && !(until > 0 && errors.Is(err, context.Canceled)) {
			t.Fatal(err)
		}
		if _, err := tr.Finish(); err != nil {
			t.Fatal(err)
		}
		if stop == 0 {
			return
		}
	}
}

// An adapter that learns beside a finished model sees the latents that the model makes of
// portraits, and joins its base, whose other parts keep their bits.
func TestTrainingOnABase(t *testing.T) {
	thorough.Test(t)
	dir, again, base, model := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	plain(t, dir, base)
	m, err := latent.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	l, scale, err := tiny(Adapter).latents(t.Context(), folders{again, base}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := encoded.Draw(t.Context(), l.photos, 0, l.Len())
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Codec.Encode(t.Context(), x, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.X.Data, want.Data) || scale != m.Codec.Net.Config().ScalingFactor || scale == 1 {
		t.Errorf("with the scale %v a training sees other latents than those of its base", scale)
	}
	trainOn(t, again, base, tiny(Adapter), 2)
	card, err := Assemble(t.Context(), again, base, model, fewSteps, nil)
	if err != nil {
		t.Fatal(err)
	}
	if card.Edges == nil || card.Parts[Adapter].Scale != scale {
		t.Errorf("the card says of the adapter %+v and of its part %+v", card.Edges, card.Parts[Adapter])
	}
	for _, name := range Files {
		if changed := name == "model_index.json" || strings.HasPrefix(name, "card."); !changed && !slices.Equal(read(t, base, name), read(t, model, name)) {
			t.Errorf("%s is another than in the base", name)
		}
	}
	same := t.TempDir()
	if card, err = Assemble(t.Context(), t.TempDir(), model, same, fewSteps, nil); err != nil {
		t.Fatalf("a model of a base alone: %v", err)
	}
	for _, name := range card.Files() {
		if !slices.Equal(read(t, model, name), read(t, same, name)) {
			t.Errorf("%s is another than in the base alone", name)
		}
	}
}
