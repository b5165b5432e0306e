package modelfile_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/weights"
)

const (
	unetSettings = `{"_class_name": "UNet2DConditionModel", "act_fn": "silu", "attention_head_dim": [1, 2], "block_out_channels": [8, 16],
		"cross_attention_dim": 12, "down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"], "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"],
		"in_channels": 4, "out_channels": 4, "layers_per_block": 1, "norm_num_groups": 4, "sample_size": 8, "use_linear_projection": true}`
	vaeSettings = `{"_class_name": "AutoencoderKL", "act_fn": "silu", "block_out_channels": [8, 16], "down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D"],
		"up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D"], "in_channels": 3, "out_channels": 3, "latent_channels": 4, "layers_per_block": 1,
		"norm_num_groups": 4, "sample_size": 16}`
	textSettings = `{"architectures": ["CLIPTextModel"], "hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 1,
		"hidden_act": "gelu", "vocab_size": 20, "max_position_embeddings": 6, "layer_norm_eps": 1e-05, "model_type": "clip_text_model"}`
	index = `{"_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.10.0", "requires_safety_checker": false, "safety_checker": [null, null],
		"scheduler": ["diffusers", "PNDMScheduler"], "text_encoder": ["transformers", "CLIPTextModel"],
		"unet": ["diffusers", "UNet2DConditionModel"], "vae": ["diffusers", "AutoencoderKL"]}`
)

// write writes a file of a test, with its folders.
func write(t *testing.T, data []byte, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// initialiser is a network that can draw parameters.
type initialiser interface {
	modelfile.Parameters
	Init(noise.Field)
}

// stored are the parameters of a network as tensors.
func stored(t *testing.T, net initialiser) *weights.StateDict {
	t.Helper()
	net.Init(noise.New(4))
	sd := &weights.StateDict{}
	for _, p := range net.Params() {
		if err := sd.Add(weights.New(p.Name, p.Shape, p.Data)); err != nil {
			t.Fatal(err)
		}
	}
	return sd
}

func save(t *testing.T, sd *weights.StateDict, path ...string) {
	t.Helper()
	var b strings.Builder
	if err := weights.WriteSafetensors(&b, sd, nil); err != nil {
		t.Fatal(err)
	}
	write(t, []byte(b.String()), path...)
}

// folder writes a small model of the published layout: the denoising network in two
// files, the autoencoder in half precision with names of before 2023, the text encoder
// with the buffer that some files hold.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, []byte(index), dir, "model_index.json")
	write(t, []byte(`{"_class_name": "PNDMScheduler", "num_train_timesteps": 1000}`), dir, "scheduler", "scheduler_config.json")
	write(t, []byte(unetSettings), dir, "unet", "config.json")
	write(t, []byte(vaeSettings), dir, "vae", "config.json")
	write(t, []byte(textSettings), dir, "text_encoder", "config.json")
	saveUNet(t, dir)
	saveVAE(t, dir)
	c, err := nn.ParseConfig[nn.CLIPTextConfig]([]byte(textSettings))
	if err != nil {
		t.Fatal(err)
	}
	text, err := nn.NewCLIPText(c)
	if err != nil {
		t.Fatal(err)
	}
	sd := stored(t, text)
	if err := sd.Add(weights.New("text_model.embeddings.position_ids", []int{1, 6}, make([]float32, 6))); err != nil {
		t.Fatal(err)
	}
	save(t, sd, dir, "text_encoder", "model.safetensors")
	return dir
}

func saveUNet(t *testing.T, dir string) {
	t.Helper()
	sd := stored(t, unet(t))
	places := map[string]string{}
	down, err := sd.Rename(weights.KeyMap{weights.Rule{From: "down_blocks.", To: "down_blocks."}, weights.DropOthers()})
	if err != nil {
		t.Fatal(err)
	}
	others, err := sd.Rename(weights.KeyMap{weights.Drop("down_blocks.")})
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]*weights.StateDict{"a.safetensors": down, "b.safetensors": others} {
		save(t, part, dir, "unet", name)
		for _, x := range part.Tensors() {
			places[x.Name] = name
		}
	}
	text, err := json.Marshal(map[string]any{"weight_map": places})
	if err != nil {
		t.Fatal(err)
	}
	write(t, text, dir, "unet", "diffusion_pytorch_model.safetensors.index.json")
}

func unet(t *testing.T) *nn.UNet2DCondition {
	t.Helper()
	c, err := nn.ParseConfig[nn.UNet2DConfig]([]byte(unetSettings))
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.NewUNet2DCondition(c)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func vae(t *testing.T) *nn.AutoencoderKL {
	t.Helper()
	c, err := nn.ParseConfig[nn.AutoencoderConfig]([]byte(vaeSettings))
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.NewAutoencoderKL(c)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

func saveVAE(t *testing.T, dir string) {
	t.Helper()
	var keys weights.KeyMap
	sd := stored(t, vae(t))
	for _, x := range sd.Tensors() {
		for now, old := range map[string]string{".to_q.": ".query.", ".to_k.": ".key.", ".to_v.": ".value.", ".to_out.0.": ".proj_attn."} {
			if strings.Contains(x.Name, now) {
				keys = append(keys, weights.Rename(x.Name, strings.Replace(x.Name, now, old, 1)))
			}
		}
	}
	if len(keys) != 16 {
		t.Fatalf("%d tensors of attention, want 16", len(keys))
	}
	old, err := sd.Rename(keys)
	if err != nil {
		t.Fatal(err)
	}
	half, err := old.As(weights.F16)
	if err != nil {
		t.Fatal(err)
	}
	save(t, half, dir, "vae", "diffusion_pytorch_model.fp16.safetensors")
}

// Every part of a folder is found, described and compared with its settings, whatever
// names, types and files its weights have.
func TestFolder(t *testing.T) {
	s, err := modelfile.InspectFolder(folder(t))
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	if s.Pipeline != "StableDiffusionPipeline" || len(s.Parts) != 4 {
		t.Fatalf("summary %+v", s)
	}
	for i, want := range []struct {
		name, weights, types string
		tensors              int
	}{
		{"scheduler", "", "", 0},
		{"text_encoder", "model.safetensors", "float32", len(mustText(t).Params()) + 1},
		{"unet", "diffusion_pytorch_model.safetensors.index.json", "float32", len(unet(t).Params())},
		{"vae", "diffusion_pytorch_model.fp16.safetensors", "float16", len(vae(t).Params())},
	} {
		p := s.Parts[i]
		if p.Name != want.name || p.Weights != "" && filepath.Base(p.Weights) != want.weights || p.Tensors != want.tensors || p.Types[want.types] != want.tensors {
			t.Errorf("part %+v, want %+v", p, want)
		}
	}
}

func mustText(t *testing.T) *nn.CLIPText {
	t.Helper()
	c, err := nn.ParseConfig[nn.CLIPTextConfig]([]byte(textSettings))
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.NewCLIPText(c)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// A network is filled from its part: in full precision bit for bit.
func TestFill(t *testing.T) {
	f, err := modelfile.OpenFolder(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]initialiser{"unet": {unet(t), unet(t)}, "vae": {vae(t), vae(t)}, "text_encoder": {mustText(t), mustText(t)}} {
		p, err := f.Part(name)
		if err != nil {
			t.Fatal(err)
		}
		got, want := pair[0], pair[1]
		if err := p.Fill(got); err != nil {
			t.Fatal(err)
		}
		want.Init(noise.New(4))
		for i, q := range want.Params() {
			for j, v := range q.Data {
				if d := got.Params()[i].Data[j] - v; d != 0 && (name != "vae" || d*d > v*v*0x1p-20+1e-14) {
					t.Fatalf("%s: %s[%d] = %v, want %v", name, q.Name, j, got.Params()[i].Data[j], v)
				}
			}
		}
	}
	if part, err := modelfile.OpenFolder(filepath.Join(f.Path, "unet")); err != nil {
		t.Error(err)
	} else if _, err := part.Part("unet"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "such as "+f.Path) {
		t.Errorf("a part in the place of its model: %v", err)
	}
	if _, err := f.Part("decoder"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "unet, vae") {
		t.Errorf("an unknown part: %v", err)
	}
}

// What is no file is not read as settings or as a tokenizer: a device may have no end.
func TestOnlyFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	write(t, []byte(`{"unet": ["diffusers", "UNet2DConditionModel"], "tokenizer": ["transformers", "CLIPTokenizer"]}`), dir, "model_index.json")
	for _, path := range []string{"unet/config.json", "tokenizer/vocab.json"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(os.DevNull, filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := modelfile.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var refused *modelfile.Error
	if part, err := f.Part("tokenizer"); err != nil {
		t.Error(err)
	} else if _, err := part.Tokenizer(); !errors.As(err, &refused) || !errors.Is(err, regular.ErrKind) {
		t.Errorf("Tokenizer() = %v, want %v", err, regular.ErrKind)
	}
	if part, err := f.Part("unet"); err != nil {
		t.Error(err)
	} else if _, err := modelfile.Network[*nn.UNet2DCondition](part); !errors.As(err, &refused) || !errors.Is(err, regular.ErrKind) {
		t.Errorf("Network() = %v, want %v", err, regular.ErrKind)
	}
}

// The tensors of an adapter are compared with what its base makes of its settings. All that
// is wrong with a folder is said at once.
func TestInspectAdapter(t *testing.T) {
	dir, bundled := t.TempDir(), filepath.Join("..", "internal", "pair", "bundled", "models", "portraits")
	for _, part := range []string{"unet", "controlnet"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(bundled, part))); err != nil {
			t.Fatal(err)
		}
	}
	write(t, []byte(`{"unet": ["diffusers", "UNet2DConditionModel"], "controlnet": ["diffusers", "ControlNetXSAdapter"]}`), dir, "model_index.json")
	inspected := func() *modelfile.FolderSummary {
		t.Helper()
		s, err := modelfile.InspectFolder(dir)
		if err != nil || len(s.Parts) != 2 {
			t.Fatalf("%+v, %v", s, err)
		}
		return s
	}
	s := inspected()
	if adapter := s.Parts[0]; s.Err() != nil || adapter.Name != "controlnet" || !strings.HasPrefix(adapter.Expected, "170 tensors") {
		t.Errorf("%+v, %v", adapter, s.Err())
	}
	config := filepath.Join(dir, "controlnet", "config.json")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	changed := regexp.MustCompile(`"block_out_channels":\s*\[\s*16`).ReplaceAll(text, []byte(`"block_out_channels": [32`))
	write(t, changed, config)
	var misfit *weights.LoadError
	if err := inspected().Err(); !errors.As(err, &misfit) || len(misfit.Mismatched) == 0 || strings.Contains(err.Error(), dir+"/unet") {
		t.Errorf("an adapter of another width: %v", err)
	}
	write(t, []byte(`{"in_channels": -1}`), dir, "unet", "config.json")
	write(t, []byte(`[`), config)
	if err := inspected().Err(); err == nil || !strings.Contains(err.Error(), filepath.Join("unet", "config.json")) || !strings.Contains(err.Error(), filepath.Join("controlnet", "config.json")) {
		t.Errorf("two broken parts: %v", err)
	}
}
