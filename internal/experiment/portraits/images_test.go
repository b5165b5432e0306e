package portraits

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// TestModelFolder trains all parts, once at a stretch and once with a stop in each, and
// wants the same weights; the folder opens, and draws what a prompt asks for.
func TestModelFolder(t *testing.T) {
	thorough.Test(t)
	whole, stopped, model := t.TempDir(), t.TempDir(), t.TempDir()
	for _, p := range Parts {
		trainParts(t, whole, p)
		trainPart(t, stopped, tiny(p), 2)
		a, b := read(t, p.Dir(whole), weightsFile), read(t, p.Dir(stopped), weightsFile)
		if !slices.Equal(a, b) {
			t.Errorf("%s: a stopped training ends with another file", p)
		}
	}
	card, err := Assemble(t.Context(), whole, "", model, fewSteps, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range card.Files() {
		read(t, model, name)
	}
	if card.PSNR.Images != 8 || !(card.PSNR.Min <= card.PSNR.Mean) || card.PSNR.Mean < 1 || card.Judge.Images != 8 || card.Parts[Denoiser].Steps != 4 || card.Parts[Denoiser].Loss == 0 {
		t.Errorf("the card says %+v", card)
	}
	checkMeasures(t, card)
	if len(card.Files()) != len(Files)+5 || card.Edges == nil || card.Edges.Images != 8 || card.Guide == nil || card.Guide.Images != 8 || card.Parts[Adapter].Parameters == 0 {
		t.Errorf("the card says of what need not be there: %v, guide %+v, adapter %+v", card.Files(), card.Guide, card.Parts[Adapter])
	}
	m, err := latent.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	if m.Noise.Prediction != schedule.V {
		t.Errorf("the model predicts %v, want velocities as its recipe", m.Noise.Prediction)
	}
	if m.Text == nil || m.Codec.Net.Config().ScalingFactor != card.Scale || card.Scale == 1 {
		t.Errorf("the model has the text side %v and the scale %v", m.Text, m.Codec.Net.Config().ScalingFactor)
	}
	draw := func(prompt string) []float32 {
		r, err := m.Generate(t.Context(), latent.Request{Seed: 3, Conditions: latent.Conditions{Prompt: prompt, Guidance: 2}, Sampler: latent.Sampler{Steps: 3}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Images.Data
	}
	if slices.Equal(draw("portrait of an old woman"), draw("portrait of a young man")) {
		t.Error("the model does not listen to prompts")
	}
	control, err := m.OpenControl()
	if err != nil {
		t.Fatal(err)
	}
	along := func(hint tensor.Batch) []float32 {
		r, err := m.Generate(t.Context(), latent.Request{Seed: 3, Conditions: latent.Conditions{Guidance: 2, Steer: &latent.Steering{Net: control, Hint: hint, Scale: 1}}, Sampler: latent.Sampler{Steps: 3}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Images.Data
	}
	p := tiny(Adapter).photos()
	if slices.Equal(along(latent.Edges(p.picture(0))), along(latent.Edges(p.picture(1)))) {
		t.Error("the adapter does not see edges")
	}
	if same, err := rowsAgree(t.Context(), m.Text); err != nil || !same {
		t.Errorf("the shipped text encoder says something else than the one of the training (%v)", err)
	}
}

// checkShares checks that shares are of all pictures, but for age groups that no portrait has.
func checkShares(t *testing.T, shares []Share) {
	t.Helper()
	var labels, portraits, samples float64
	for _, s := range shares[2:] {
		labels, portraits, samples = labels+s.Labels, portraits+s.Portraits, samples+s.Samples
	}
	if math.Abs(labels-1) > 1e-9 || portraits > 1+1e-6 || samples > 1+1e-6 || samples == 0 || portraits == 0 || shares[1].Samples <= 0 || shares[1].Samples >= 1 {
		t.Errorf("shares %+v", shares)
	}
}

// checkMeasures checks what a card says of colours, skins, ages and shares.
func checkMeasures(t *testing.T, card *Card) {
	t.Helper()
	if card.PSNR.Chroma == 0 || card.PSNR.Chroma >= 1 {
		t.Errorf("R² of colours %v", card.PSNR.Chroma)
	}
	images, right := 0, 0.0
	for _, k := range card.Kept {
		images += k.Images
		right += float64(k.Images) * k.Before.Old
	}
	if images != keptPerHeld*8 || right == 0 || len(card.Kept) < 9 {
		t.Errorf("%d portraits of %d kinds: %+v", images, len(card.Kept), card.Kept)
	}
	for _, d := range []Drawn{card.Frechet.Drawn, *card.Frechet.Faster} {
		checkShares(t, d.Shares)
		checkShares(t, d.SharesTold)
		if d.Told == 0 || d.Samples == 0 || card.Frechet.Returned == 0 {
			t.Errorf("distances %+v", card.Frechet)
		}
	}
	text := card.text()
	for _, want := range []string{"| dark | 20-29 |", "| women |", "| DPM++ 2M", "come back (R²", "percentage points at most"} {
		if !strings.Contains(text, want) {
			t.Errorf("the card does not say %q", want)
		}
	}
}

// Colours that come back whole have an R² of 1, and brightness alone has none of it.
func TestColours(t *testing.T) {
	x := make([]float32, 3*64)
	for i := range 64 {
		x[i], x[64+i], x[128+i] = float32(i%8)/8, 0.5, float32(i/8)/8
	}
	grey := make([]float32, len(x))
	for i := range 64 {
		for c := range 3 {
			grey[c*64+i] = (x[i] + x[64+i] + x[128+i]) / 3
		}
	}
	var whole, none colours
	whole.add(x, x)
	none.add(x, grey)
	if a, b := whole.returned(), none.returned(); a != 1 || b > 0.05 {
		t.Errorf("R² %v of the same picture and %v without colours", a, b)
	}
}

// A model whose judge alone is trained again has the other parts of its base, bit for bit.
func TestBaseStandsIn(t *testing.T) {
	thorough.Test(t)
	dir, again, base, model := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	plain(t, dir, base)
	r := tiny(Judge)
	r.Train.Steps++
	trainPart(t, again, r, 0)
	card, err := Assemble(t.Context(), again, base, model, fewSteps, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Files {
		same := slices.Equal(read(t, base, name), read(t, model, name))
		if changed := name == "judge/"+transformersFile || strings.HasPrefix(name, "card."); same == changed {
			t.Errorf("%s: same as in the base: %v", name, same)
		}
	}
	if card.Parts[Judge].Steps != r.Train.Steps {
		t.Errorf("the card says that the judge has %d steps, want %d", card.Parts[Judge].Steps, r.Train.Steps)
	}
}

// A decoder that learned alone joins the parts that know the latents of its base. Another
// encoder does not.
func TestDecoderOnABase(t *testing.T) {
	dir, again, base, model := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	plain(t, dir, base)
	r := tiny(Autoencoder)
	r.DecoderOnly = true
	if _, err := NewTraining(t.Context(), again, base, r, nil); err == nil || !strings.Contains(err.Error(), "--from") {
		t.Errorf("a decoder alone that goes on from nothing: %v", err)
	}
	r.From = filepath.Join(base, Autoencoder.folder())
	trainOn(t, again, base, r, 2)
	if _, err := Assemble(t.Context(), again, base, model, fewSteps, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range Files {
		same := slices.Equal(read(t, base, name), read(t, model, name))
		if changed := name == "vae/"+diffusersFile || name == samplesFile || strings.HasPrefix(name, "card."); same == changed {
			t.Errorf("%s: same as in the base: %v", name, same)
		}
	}
	r.DecoderOnly = false
	another := t.TempDir()
	trainOn(t, another, base, r, 2)
	if _, err := Assemble(t.Context(), another, base, t.TempDir(), fewSteps, nil); err == nil || !strings.Contains(err.Error(), "another autoencoder") {
		t.Errorf("parts of the base with another encoder: %v", err)
	}
}

// rowsAgree compares rows of context of a shipped model with those of trainings.
func rowsAgree(ctx context.Context, shipped *latent.Text) (bool, error) {
	own, err := ownText()
	if err != nil {
		return false, err
	}
	a, err := contexts(ctx, own)
	if err != nil {
		return false, err
	}
	b, err := contexts(ctx, shipped)
	for p := range a {
		if !slices.Equal(a[p], b[p]) {
			return false, err
		}
	}
	return true, err
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Parts that learned from the latents of another autoencoder are refused, as are parts
// that are missing.
func TestPartsBelongTogether(t *testing.T) {
	dir := t.TempDir()
	var missing *MissingError
	if _, err := NewTraining(t.Context(), dir, "", tiny(Denoiser), nil); !errors.As(err, &missing) || missing.Part != Autoencoder || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without an autoencoder: %v", err)
	}
	trainParts(t, dir, Autoencoder, Denoiser, Classifier)
	if _, err := Assemble(t.Context(), dir, "", t.TempDir(), fewSteps, nil); !errors.As(err, &missing) || missing.Part != Judge {
		t.Errorf("without a judge: %v", err)
	}
	trainParts(t, dir, Judge)
	other := t.TempDir()
	r := tiny(Autoencoder)
	r.Train.Steps = 5
	trainPart(t, other, r, 0)
	if err := os.Rename(Autoencoder.Dir(dir), filepath.Join(dir, "old")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(Autoencoder.Dir(other), Autoencoder.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := Assemble(t.Context(), dir, "", t.TempDir(), fewSteps, nil); err == nil {
		t.Error("a denoising network of another autoencoder's latents was accepted")
	}
}

// Latents are those of their portraits whether they were just encoded or read again,
// and have a standard deviation of about one.
func TestLatentsAreKept(t *testing.T) {
	dir := t.TempDir()
	trainParts(t, dir, Autoencoder)
	first, scale, err := tiny(Denoiser).latents(t.Context(), folders{dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "latents", "*", "*.npz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("latents are in %v (%v)", files, err)
	}
	before, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := tiny(Denoiser).latents(t.Context(), folders{dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(files[0])
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("latents were encoded twice (%v)", err)
	}
	if !slices.Equal(first.X.Data, again.X.Data) || scale <= 0 || first.Len() != 24 || first.HeldOut() != 8 {
		t.Errorf("%d latents, %d held out, of scale %v are read as others", first.Len(), first.HeldOut(), scale)
	}
	if err := os.WriteFile(files[0], []byte("no latents"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tiny(Denoiser).latents(t.Context(), folders{dir: dir}, nil); err == nil {
		t.Error("a broken file was taken for latents")
	}
}

// Every part sees people of its own, and labels are the classes of the photo.
func TestPhotos(t *testing.T) {
	seen := map[portrait.Person]Part{}
	for _, part := range Parts {
		p := DefaultRecipe(part).photos()
		for i := range 50 {
			photo := p.Album.At(uint64(i))
			if other, ok := seen[photo.Person]; ok {
				t.Errorf("%s and %s see the same person", part, other)
			}
			seen[photo.Person] = part
		}
	}
	p := tiny(Judge).photos()
	x, labels, again := make([]float32, p.Shape().Size()), make([]float32, 2), make([]float32, 2)
	for i := range p.Len() {
		p.Example(x, labels, i)
		p.Condition(again, i)
		photo := p.Album.At(uint64(i))
		if labels[0] != float32(portrait.GroupOf(photo.Age)) || labels[1] != float32(photo.Gender) || !slices.Equal(labels, again) {
			t.Errorf("photo %d of a %v of %v years has the labels %v and %v", i, photo.Gender, photo.Age, labels, again)
		}
		if slices.Min(x) < -1 || slices.Max(x) > 1 || slices.Max(x)-slices.Min(x) < 0.5 {
			t.Errorf("photo %d is from %v to %v", i, slices.Min(x), slices.Max(x))
		}
	}
}

func TestRecipeRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Recipe){
		"size":     func(r *Recipe) { r.Size = 48 },
		"huge":     func(r *Recipe) { r.Size = 1024 },
		"photos":   func(r *Recipe) { r.Photos = 1 },
		"held out": func(r *Recipe) { r.HeldOut = r.Photos },
		"none":     func(r *Recipe) { r.HeldOut = 0 },
		"noisy":    func(r *Recipe) { r.Noisy = -1 },
		"steps":    func(r *Recipe) { r.Train.Steps = 0 },
	} {
		r := tiny(Judge)
		spoil(&r)
		var config *train.ConfigError
		if _, err := NewTraining(t.Context(), t.TempDir(), "", r, nil); !errors.As(err, &config) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewTraining(t.Context(), t.TempDir(), "", Recipe{Part: "poet", Size: 32, Photos: 4, HeldOut: 2}, nil); err == nil {
		t.Error("an unknown part was accepted")
	}
}
