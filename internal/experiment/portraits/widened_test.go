package portraits

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// An autoencoder that starts from one with fewer channels of latents returns the same
// pictures; one of other widths does not start it.
func TestStartFrom(t *testing.T) {
	small, dir := tiny(Autoencoder), t.TempDir()
	trainPart(t, dir, small, 0)
	given, _, err := openPart[*nn.AutoencoderKL](folders{dir: dir}, Autoencoder)
	check(t, err)
	wide := small
	wide.Latent = 9
	net, err := nn.NewAutoencoderKL(wide.autoencoderConfig())
	check(t, err)
	net.Init(wide.seed())
	if _, err := startFrom(net, Autoencoder.Dir(dir)); err != nil {
		t.Fatal(err)
	}
	photo := tensor.New(1, 3, small.Size, small.Size)
	check(t, small.photos().Picture(photo.Data, 3))
	returned := func(a *nn.AutoencoderKL) ([]float32, nn.Posterior) {
		shape, err := a.Encoder.Output(photo.Shape)
		check(t, err)
		moments, picture := tensor.New(1, shape...), tensor.New(1, photo.Shape...)
		check(t, a.Encoder.Apply(t.Context(), moments, photo))
		p := a.Posterior(moments)
		check(t, a.Decoder.Apply(t.Context(), picture, p.Mean))
		return picture.Data, p
	}
	want, before := returned(given)
	got, after := returned(net)
	if !close(want, got) || !close(before.Mean.Data, after.Mean.Data[:len(before.Mean.Data)]) || !close(before.LogVar.Data, after.LogVar.Data[:len(before.LogVar.Data)]) {
		t.Error("more channels of latents change what comes back")
	}
	if v := after.LogVar.Data[len(before.LogVar.Data):]; slices.Min(v) != newVariance || slices.Max(v) != newVariance {
		t.Errorf("the variances of the new channels begin at %v to %v", slices.Min(v), slices.Max(v))
	}
	for _, change := range []func(*Recipe){func(r *Recipe) { r.Widths = []int{8, 8, 16} }, func(r *Recipe) { r.Latent = 3 }} {
		r := small
		change(&r)
		r.From = Autoencoder.Dir(dir)
		_, err := NewTraining(t.Context(), t.TempDir(), "", r, nil)
		wantMistake(t, fmt.Sprintf("%v channels, widths %v", r.Latent, r.Widths), err, "does not start")
	}
}

// A denoising network goes on with the weights of another one, which predicts the same.
func TestGoOnFrom(t *testing.T) {
	r, dir := tiny(Denoiser), t.TempDir()
	trainParts(t, dir, Autoencoder, Denoiser)
	l, d, err := openDenoiser(folders{dir: dir})
	check(t, err)
	net, err := nn.NewUNet2DCondition(r.denoiserConfig(5, l.Config().SampleSize))
	check(t, err)
	net.Init(r.seed())
	digest, err := goOnFrom(net, Denoiser.Dir(dir))
	check(t, err)
	for i, p := range net.Params() {
		if !slices.Equal(p.Data, l.Params()[i].Data) {
			t.Errorf("%s is another one", p.Name)
		}
	}
	r.From, r.MinSNR, r.Train.Steps = Denoiser.Dir(dir), 0, 2
	again := t.TempDir()
	check(t, os.CopyFS(Autoencoder.Dir(again), os.DirFS(Autoencoder.Dir(dir))))
	trainPart(t, again, r, 0)
	if _, d, err = openDenoiser(folders{dir: again}); err != nil || d.Recipe.Start != digest || d.Steps != 2 {
		t.Errorf("the network that went on says %+v, %v; it started from %s", d, err, digest)
	}
	r.Start = strings.Repeat("ab", 32)
	_, err = NewTraining(t.Context(), again, "", r, nil)
	wantMistake(t, "a recipe of other weights", err, digest)
	r.Start = digest
	if _, err := NewTraining(t.Context(), again, "", r, nil); err != nil {
		t.Errorf("a recipe of these weights: %v", err)
	}
	for _, change := range []func(*Recipe){func(r *Recipe) { r.Prediction = "" }, func(r *Recipe) { r.Widths = []int{16, 32} }} {
		other := r
		change(&other)
		_, err := NewTraining(t.Context(), again, "", other, nil)
		wantMistake(t, fmt.Sprintf("a network that predicts %q of widths %v", other.Prediction, other.Widths), err, "does not start")
	}
}

// Networks that cannot be are refused before portraits are encoded for them.
func TestRefusedBeforeEncoding(t *testing.T) {
	base := t.TempDir()
	plain(t, t.TempDir(), base)
	for p, widths := range map[Part][]int{Denoiser: {10, 20}, Adapter: {8, 8, 8}, Classifier: {4, 8}} {
		r := tiny(p)
		r.Widths = widths
		if _, err := NewTraining(t.Context(), t.TempDir(), base, r, notEncoded(t)); err == nil {
			t.Errorf("a %s of widths %v: no error", p, widths)
		}
	}
	r := tiny(Adapter)
	r.Terminal = 0.01
	_, err := NewTraining(t.Context(), t.TempDir(), base, r, notEncoded(t))
	wantMistake(t, "an adapter of other noise", err, "terminal")
}

// notEncoded follows portraits that are not to be encoded.
func notEncoded(t *testing.T) Progress {
	return func(int, int) { t.Error("portraits were encoded") }
}

// The recipes in the card of a model are files for the same parts.
func TestRecipesOfACard(t *testing.T) {
	raw, err := os.ReadFile("../../pair/bundled/models/portraits/card.json")
	check(t, err)
	var card struct {
		Parts map[Part]struct{ Recipe json.RawMessage }
	}
	check(t, json.Unmarshal(raw, &card))
	path := filepath.Join(t.TempDir(), "recipe.json")
	for _, p := range Parts {
		check(t, os.WriteFile(path, card.Parts[p].Recipe, 0o600))
		r, err := ReadRecipe(path, p)
		check(t, err)
		if r.Start != "" {
			r.From = "before"
		}
		check(t, r.Check())
	}
}

// Noise that ends with next to no signal is that of the folder, too, and begins as published.
func TestTerminal(t *testing.T) {
	r := DefaultRecipe(Denoiser)
	r.Terminal = 0.005
	published, err := noiseSchedule(0)
	check(t, err)
	s, err := noiseSchedule(r.Terminal)
	check(t, err)
	last := s.Len() - 1
	if a, b := s.At(last).SqrtAlphaBar, s.At(0).SqrtAlphaBar/published.At(0).SqrtAlphaBar; math.Abs(a-0.005) > 1e-9 || math.Abs(b-1) > 1e-12 {
		t.Errorf("the share of the signal ends at %v and begins at %v times the published one", a, b)
	}
	settings, err := scheduleSettings(r)
	check(t, err)
	raw, err := json.Marshal(settings)
	check(t, err)
	read, err := latent.ParseNoise(raw)
	check(t, err)
	for i := range s.Len() {
		if a, b := read.Schedule.At(i).AlphaBar, s.At(i).AlphaBar; a != b {
			t.Fatalf("level %d of the folder is %v, want %v", i, a, b)
		}
	}
}

// An autoencoder may hear what the guide says, once there is one.
func TestGuideAsWitness(t *testing.T) {
	r, dir := tiny(Autoencoder), t.TempDir()
	r.Witnessed, r.Train.Steps = 0.1, 2
	var missing *MissingError
	if _, err := NewTraining(t.Context(), dir, "", r, nil); !errors.As(err, &missing) || missing.Part != Guide {
		t.Errorf("without a guide: %v", err)
	}
	guide := tiny(Guide)
	guide.Train.Steps = 1
	trainPart(t, dir, guide, 0)
	trainPart(t, dir, r, 0)
	metrics := string(read(t, Autoencoder.Dir(dir), train.MetricsFile))
	if !strings.Contains(metrics, `"witness":`) {
		t.Errorf("the log has no term of the guide: %s", metrics)
	}
}

// close reports whether numbers agree up to rounding: sums over more channels are added up
// in another order.
func close(a, b []float32) bool {
	for i, v := range a {
		if d := float64(v - b[i]); d*d > 1e-10 {
			return false
		}
	}
	return len(a) == len(b)
}

// A recipe in a file changes what it names, and nothing that it does not know.
func TestReadRecipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recipe.json")
	read := func(text string) (Recipe, error) {
		check(t, os.WriteFile(path, []byte(text), 0o600))
		return ReadRecipe(path, Denoiser)
	}
	r, err := read(`{"prediction_type": "v_prediction", "min_snr": 5, "train": {"batch": 7}}`)
	want := DefaultRecipe(Denoiser)
	want.Prediction, want.MinSNR, want.Train.Batch = velocity, 5, 7
	if err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("%+v, %v; want %+v", r, err, want)
	}
	if r.Terminal = 0.07; r.Check() == nil {
		t.Error("more signal at the last level than the published noise has: no error")
	}
	if r.Prediction, r.Terminal = "score", 0; r.Check() == nil {
		t.Error("a network that predicts a score: no error")
	}
}

// What is wrong with a recipe is a mistake of whoever asks, and named. A file that is not there
// is none.
func TestMistakesInRecipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recipe.json")
	for text, named := range map[string]string{
		`{"part": "judge"}`: "judge", `{"latents": 8}`: "latents", `{"train": {"rte": 1}}`: "rte", `[`: path, ``: path, `{} {}`: "more than one", `{} ]`: "more than one",
		`{"photos": 1.5}`: "1.5", `{"photos": 1}`: "photos is 1", `{"size": 48}`: "48", `{"terminal": 1}`: "terminal is 1", `{"prediction_type": "score"}`: `"score"`,
		`{"widths": []}`: "levels is 0", `{"widths": [64, 0]}`: "channels is 0", `{"widths": [1000000]}`: "channels is 1e+06", `null`: "null",
		`{"noisy": 2}`: `"noisy", which only the classifier reads`, `{"smooth": 0.1}`: "the classifier or the judge or the guide", `{"start": "abc"}`: `"abc"`,
		`{"edges": 1}`: `"edges"`, strings.Repeat(" ", longestRecipe) + `{}`: path,
	} {
		check(t, os.WriteFile(path, []byte(text), 0o600))
		r, err := ReadRecipe(path, Denoiser)
		if err == nil {
			err = r.Check()
		}
		wantMistake(t, fmt.Sprintf("%.40s", text), err, named)
	}
	for text, named := range map[string]string{`{"decoder_only": true}`: "--from", `{"latent": 0}`: "latents is 0", `{"latent": 100000000}`: "latents is 1e+08"} {
		check(t, os.WriteFile(path, []byte(text), 0o600))
		r, err := ReadRecipe(path, Autoencoder)
		check(t, err)
		_, err = NewTraining(t.Context(), t.TempDir(), "", r, nil)
		wantMistake(t, text, err, named)
	}
	var mistake *experiment.SpecError
	if _, err := ReadRecipe(path+"x", Denoiser); !errors.Is(err, fs.ErrNotExist) || errors.As(err, &mistake) {
		t.Errorf("a recipe that is not there: %v", err)
	}
}

// wantMistake wants a mistake of whoever asks that names something.
func wantMistake(t *testing.T, what string, err error, named string) {
	t.Helper()
	var mistake *experiment.SpecError
	if !errors.As(err, &mistake) || !strings.Contains(err.Error(), named) {
		t.Errorf("%s: %v, want a *SpecError with %s", what, err, named)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
