package latent

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

const caseDir = "testdata/images/pcd_loop"

// folder lays the networks of the published loop out as a model folder.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	index := map[string]any{"_class_name": "StableDiffusionPipeline", "text_encoder": []any{nil, nil},
		"unet": []string{"diffusers", "UNet2DConditionModel"}, "vae": []string{"diffusers", "AutoencoderKL"}, "scheduler": []string{"diffusers", "PNDMScheduler"}}
	raw, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	write(t, raw, dir, "model_index.json")
	for from, to := range map[string][2]string{
		"unet_config.json": {"unet", "config.json"}, "unet0.safetensors": {"unet", "diffusion_pytorch_model.safetensors"},
		"vae_config.json": {"vae", "config.json"}, "vae.safetensors": {"vae", "diffusion_pytorch_model.safetensors"},
		"scheduler_config.json": {"scheduler", "scheduler_config.json"},
	} {
		raw, err := os.ReadFile(filepath.Join(caseDir, from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, raw, dir, to[0], to[1])
	}
	return dir
}

func write(t testing.TB, raw []byte, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, raw, 0o644)); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) (*Model, Conditions) {
	t.Helper()
	m, err := Open(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	rows := golden.Safetensors(t, caseDir+"/rows.safetensors")["empty"]
	return m, Conditions{Rows: tensor.Batch{N: 1, Shape: rows.Shape, Data: rows.Data}}
}

// TestImagesDoNotDependOnTheirNeighbours draws images together and alone.
func TestImagesDoNotDependOnTheirNeighbours(t *testing.T) {
	m, told := open(t)
	request := Request{Images: 3, Seed: 4, Conditions: told, Sampler: Sampler{Steps: 4}}
	all, err := m.Generate(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if all.Images.N != 3 || !all.Images.Shape.Equal(tensor.Shape{3, 64, 64}) || len(all.Pictures) != 3 {
		t.Fatalf("%d images of shape %v", all.Images.N, all.Images.Shape)
	}
	request.First, request.Images, request.Workers = 1, 1, 2
	one, err := m.Generate(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.Images.Data, all.Images.Sample(1)) {
		t.Error("image 1 alone differs from image 1 of three")
	}
	if slices.Equal(all.Images.Sample(0), all.Images.Sample(1)) {
		t.Error("images 0 and 1 are equal")
	}
}

// TestSamplersOfOneModel draws with DDIM: without noise two runs of the same start are
// the same, and eta 1 is DDPM but for the end of the schedule.
func TestSamplersOfOneModel(t *testing.T) {
	m, told := open(t)
	draw := func(s Sampler) []float32 {
		r, err := m.Generate(t.Context(), Request{Seed: 1, Conditions: told, Sampler: s})
		if err != nil {
			t.Fatal(err)
		}
		return r.Latents.Data
	}
	ddpm := draw(Sampler{Steps: 5})
	ddim := draw(Sampler{Steps: 5, Deterministic: true})
	noisy := draw(Sampler{Steps: 5, Deterministic: true, Eta: 1})
	distance := func(a, b []float32) (d float64) {
		for i := range a {
			d = max(d, math.Abs(float64(a[i])-float64(b[i])))
		}
		return d
	}
	if d := distance(ddpm, noisy); d > 0.2 || distance(ddpm, ddim) < 2*d {
		t.Errorf("DDPM is %v from DDIM with eta 1 and %v from that with eta 0", d, distance(ddpm, ddim))
	}
}

func TestProgressAndInterrupt(t *testing.T) {
	m, told := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	var stages []string
	request := Request{Images: 2, Conditions: told, Sampler: Sampler{Steps: 3}, Progress: func(stage string, done, total int) {
		if done == total {
			stages = append(stages, stage)
		}
	}}
	if _, err := m.Generate(ctx, request); err != nil || !slices.Equal(stages, []string{"denoise", "decode"}) {
		t.Errorf("stages %v, %v", stages, err)
	}
	request.Progress = func(string, int, int) { cancel() }
	if r, err := m.Generate(ctx, request); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("interrupted: %v, %v, want no result", r, err)
	}
}

func TestRequestsThatMakeNoImages(t *testing.T) {
	m, told := open(t)
	for name, change := range map[string]func(*Request){
		"no images":       func(r *Request) { r.Images = -1 },
		"too many":        func(r *Request) { r.Images = 1 << 40 },
		"steps":           func(r *Request) { r.Steps = 1001 },
		"negative steps":  func(r *Request) { r.Steps = -1 },
		"a prompt":        func(r *Request) { r.Prompt, r.Rows = "a cat", tensor.Batch{} },
		"guidance":        func(r *Request) { r.Guidance = math.NaN() },
		"noise":           func(r *Request) { r.NoiseScale = math.Inf(1) },
		"eta":             func(r *Request) { r.Deterministic, r.Eta = true, 2 },
		"an odd size":     func(r *Request) { r.Height = 63 },
		"a giant":         func(r *Request) { r.Width = 1 << 30 },
		"a negative side": func(r *Request) { r.Width = -8 },
	} {
		r := Request{Conditions: told, Sampler: Sampler{Steps: 2}}
		change(&r)
		if _, err := m.Generate(t.Context(), r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFoldersThatAreNoModel(t *testing.T) {
	for name, change := range map[string]func(dir string){
		"no scheduler": func(dir string) { os.RemoveAll(filepath.Join(dir, "scheduler")) },
		"no weights":   func(dir string) { os.Remove(filepath.Join(dir, "vae", "diffusion_pytorch_model.safetensors")) },
		"truncated":    func(dir string) { os.Truncate(filepath.Join(dir, "unet", "diffusion_pytorch_model.safetensors"), 1000) },
		"a sigmoid": func(dir string) {
			write(t, []byte(`{"beta_schedule": "sigmoid"}`), dir, "scheduler", "scheduler_config.json")
		},
		"endless": func(dir string) {
			write(t, []byte(`{"num_train_timesteps": 1e15}`), dir, "scheduler", "scheduler_config.json")
		},
		"eight channels": func(dir string) { write(t, []byte(`{"latent_channels": 8}`), dir, "vae", "config.json") },
		"no index":       func(dir string) { os.Remove(filepath.Join(dir, "model_index.json")) },
	} {
		dir := folder(t)
		change(dir)
		if _, err := Open(dir); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A model whose weights stay as they are stored draws the same bits as one with wide ones,
// in full and in half precision, whatever becomes of its files once it is open.
func TestWeightsStayAsTheyAreStored(t *testing.T) {
	_, told := open(t)
	for _, as := range []weights.DType{weights.F32, weights.F16} {
		dir := folder(t)
		for _, part := range []string{"unet", "vae"} {
			file := filepath.Join(dir, part, "diffusion_pytorch_model.safetensors")
			if _, err := weights.Convert(file, file, weights.ConvertOptions{DType: as}); err != nil {
				t.Fatal(err)
			}
		}
		draw := func(m *Model, err error) []float32 {
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.Generate(t.Context(), Request{Seed: 3, Conditions: told, Sampler: Sampler{Steps: 2}})
			if err != nil {
				t.Fatal(err)
			}
			return r.Images.Data
		}
		want := draw(Open(dir))
		in := must(modelfile.OpenFolder(dir))(t)
		kept, err := (&opener{Folder: in}).model()
		if err != nil || kept.Net.Params()[0].Data != nil {
			t.Fatalf("%v: %v", as, err)
		}
		for _, part := range []string{"unet", "vae"} {
			if err := os.Truncate(filepath.Join(dir, part, "diffusion_pytorch_model.safetensors"), 0); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(draw(kept, nil), want) {
			t.Errorf("%v: a model that keeps its weights as they are stored draws something else", as)
		}
	}
}

// The classifier of a whole model is its part of that name, and what it does not answer
// or see is named.
func TestOpenClassifier(t *testing.T) {
	dir := folder(t)
	if _, err := OpenClassifier(dir); err == nil {
		t.Error("a model without a classifier: no error")
	}
	write(t, []byte(`{"unet": ["diffusers", "UNet2DConditionModel"], "classifier": ["pcd", "LatentClassifier"]}`), dir, "model_index.json")
	write(t, []byte("training: {batch: 16}\n"), dir, "classifier", "training.yaml")
	write(t, read(t, caseDir+"/latent_classifier.safetensors"), dir, "classifier", "model.safetensors")
	c := must(OpenClassifier(dir))(t)
	if heads := c.Net.Config().Heads; len(heads) != 2 || heads[0].Name != "age_group" || heads[1].Name != "gender" {
		t.Errorf("heads %v", heads)
	}
	if _, err := c.Net.Output(tensor.Shape{8, 64, 64}); err == nil {
		t.Error("latents of 8 channels: no error")
	}
	if _, err := c.Net.Output(tensor.Shape{4, 8, 8}); err != nil {
		t.Error(err)
	}
}

// question returns a head of a classifier as a distribution over its classes, and their names.
func question(t *testing.T, c *Classifier, name string) (*nn.Question, []string) {
	t.Helper()
	for i, h := range c.Net.Config().Heads {
		if h.Name == name {
			return c.Net.Question(i), h.Classes
		}
	}
	t.Fatalf("no head %q", name)
	return nil, nil
}

// TestVelocities draws with a model that predicts velocities, at zero terminal SNR: the
// schedule alone says so.
func TestVelocities(t *testing.T) {
	dir := folder(t)
	write(t, []byte(`{"_class_name": "DDIMScheduler", "beta_schedule": "scaled_linear", "beta_start": 0.00085, "beta_end": 0.012, "clip_sample": false,
		"prediction_type": "v_prediction", "rescale_betas_zero_snr": true, "timestep_spacing": "trailing"}`), dir, "scheduler", "scheduler_config.json")
	m := must(Open(dir))(t)
	_, told := open(t)
	for _, method := range Methods() {
		if _, err := m.Generate(t.Context(), Request{Conditions: told, Sampler: Sampler{Steps: 3, Method: method}}); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func FuzzParseNoise(f *testing.F) {
	raw, err := os.ReadFile(caseDir + "/scheduler_config.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"num_train_timesteps": 2, "beta_start": -1, "steps_offset": 1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		n, err := ParseNoise(raw)
		if err != nil {
			return
		}
		s, err := n.Visit(1)
		if err == nil && s.Len() != 1 {
			t.Fatalf("%d steps, want 1", s.Len())
		}
	})
}

// TestGuidanceAsInput draws with a network that takes the strength of guidance as an input.
func TestGuidanceAsInput(t *testing.T) {
	settings := maps.Clone(tinySettings["without a middle"])
	settings["unet"] = strings.Replace(settings["unet"], `"mid_block_type": null`, `"time_cond_proj_dim": 8`, 1)
	settings["vae"] = tinySettings["family 1"]["vae"]
	settings["scheduler"] = publishedSchedulers["LCM"]
	m := must(Open(tinyFolder(t, settings, weights.F32)))(t)
	draw := func(guidance float64) []float32 {
		r := Request{Images: 1, Seed: 3, Height: 16, Width: 16, Conditions: Conditions{Guidance: guidance}, Sampler: Sampler{Steps: 2, Method: Published}}
		return must(m.Generate(t.Context(), r))(t).Latents.Data
	}
	if slices.Equal(draw(1), draw(8)) {
		t.Error("the strength of guidance changes nothing")
	}
	if !slices.Equal(draw(8), draw(8)) {
		t.Error("the same request draws two images")
	}
	if !slices.Equal(draw(0), draw(1)) {
		t.Error("a network that is told nothing is exaggerated")
	}
	var refused *SettingError
	if _, _, err := m.Denoiser(t.Context(), tensor.Shape{4, 8, 8}, Conditions{Negative: "x", Guidance: 2}); !errors.As(err, &refused) {
		t.Errorf("a negative prompt: %v, want a *SettingError", err)
	}
	if _, _, err := m.Denoiser(t.Context(), tensor.Shape{4, 8, 8}, Conditions{Guidance: 0.5}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "1, which is none") {
		t.Errorf("less than no guidance: %v, want a *SettingError that says what none is", err)
	}
}
