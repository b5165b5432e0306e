package portraits

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/latent"
)

// An adapter steers the denoising network that it learned with, and no other.
func TestAdaptersOfAnotherNetwork(t *testing.T) {
	thorough.Test(t)
	dir := t.TempDir()
	trainParts(t, dir, Autoencoder, Denoiser, Classifier, Judge, Adapter)
	if card, err := Assemble(t.Context(), dir, "", t.TempDir(), fewSteps, nil); err != nil || card.Guide != nil {
		t.Fatalf("without a guide: %v", err)
	}
	if err := os.RemoveAll(Denoiser.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	r := tiny(Denoiser)
	r.Train.Seed++
	trainPart(t, dir, r, 0)
	if _, err := Assemble(t.Context(), dir, "", t.TempDir(), fewSteps, nil); err == nil || !strings.Contains(err.Error(), "another denoising network") {
		t.Errorf("an adapter of another denoising network: %v", err)
	}
}

// Hints are the edges of their portraits, in all three channels.
func TestHintsAreEdges(t *testing.T) {
	dir := t.TempDir()
	trainParts(t, dir, Autoencoder)
	l, _, err := tiny(Adapter).latents(t.Context(), folders{dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := edged(t.Context(), l, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, e.HintShape().Size())
	for i := range e.Len() {
		e.Hint(got, i)
		if want := latent.Edges(l.photos.picture(i)); !slices.Equal(got, want.Data) || slices.Max(got) != 1 {
			t.Errorf("the hint of portrait %d is not its edges", i)
		}
	}
}

// Every edge is found in the picture that it was taken from, and in one that is a pixel
// off; none in an even one.
func TestFoundEdges(t *testing.T) {
	p := tiny(Adapter).photos()
	picture := p.picture(0)
	edges := picture.Canny(published.EdgesLow, published.EdgesHigh)
	shifted := dataset.NewPicture(p.Size, p.Size)
	for y := range p.Size {
		copy(shifted.Pix[3*(y*p.Size+1):3*(y+1)*p.Size], picture.Pix[3*y*p.Size:])
	}
	if got := found(edges, picture); got != 1 {
		t.Errorf("%v of its own edges", got)
	}
	if got := found(edges, shifted); got < 0.9 {
		t.Errorf("%v of the edges in the picture a pixel off", got)
	}
	if got := found(edges, dataset.NewPicture(p.Size, p.Size)); got != 0 {
		t.Errorf("%v of the edges in an even picture", got)
	}
}
