package latent

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// TestSingleFiles reads the tiny checkpoints of the folder PCD_GOLDEN_SAMPLERS, 3 MB each,
// which have the names of the published ones, and compares every tensor and what the networks make of
// it. TestSingleFileOfAnyFolder needs no folder.
func TestSingleFiles(t *testing.T) {
	folder := os.Getenv("PCD_GOLDEN_SAMPLERS")
	if folder == "" {
		t.Skip("PCD_GOLDEN_SAMPLERS names no folder of vectors")
	}
	for name, file := range map[string]string{"single_file_sd1": "model.ckpt", "single_file_sd2": "model.safetensors"} {
		t.Run(name, func(t *testing.T) {
			c := golden.Cases(t, folder, func(n string) bool { return n == name })[0]
			f := must(modelfile.OpenFolder(filepath.Join(c.Dir, file)))(t)
			sameTensors(t, c.Dir, file, f)
			m := must(Open(filepath.Join(c.Dir, file)))(t)
			if want := map[bool]schedule.Kind{true: schedule.V, false: schedule.Epsilon}[strings.HasSuffix(name, "2")]; m.Noise.Prediction != want {
				t.Errorf("predicts %v, want %v", m.Noise.Prediction, want)
			}
			sameNetworks(t, c, f, m)
		})
	}
}

// sameTensors compares the parts with the tensors that names.json says they are made of.
func sameTensors(t *testing.T, dir, file string, f *modelfile.Folder) {
	t.Helper()
	var names map[string][2]string
	if err := json.Unmarshal(read(t, filepath.Join(dir, "names.json")), &names); err != nil {
		t.Fatal(err)
	}
	source := must(weights.Open(filepath.Join(dir, file), weights.Options{SkipObjects: true}))(t)
	defer source.Close()
	found := 0
	for _, part := range []string{"unet", "vae", "text_encoder"} {
		sd := must(must(f.Part(part))(t).Open())(t)
		defer sd.Close()
		for _, x := range sd.Tensors() {
			from, ok := names[part+"/"+x.Name]
			if !ok {
				t.Errorf("%s/%s is not among the names", part, x.Name)
				continue
			}
			found++
			y, ok := source.Tensor(from[0])
			if !ok {
				y, _ = source.Tensor("state_dict." + from[0])
			}
			a, b := must(x.Stored())(t), must(y.Stored())(t)
			rest, stacked := strings.CutPrefix(from[1], "rows ")
			if lo, _, _ := strings.Cut(rest, " "); stacked { // rows 0, C or 2C of 3C
				at := map[bool]int{true: 0, false: 1}[lo == "0"]
				if lo == "96" {
					at = 2
				}
				b = b[at*len(a):][:len(a)]
			}
			if !bytes.Equal(a, b) || x.DType != y.DType {
				t.Errorf("%s/%s is not %s, %s", part, x.Name, from[0], from[1])
			}
		}
	}
	if found != len(names) {
		t.Errorf("%d tensors, want %d", found, len(names))
	}
}

// sameNetworks compares what the networks compute.
func sameNetworks(t *testing.T, c golden.Case, f *modelfile.Folder, m *Model) {
	t.Helper()
	io := golden.Safetensors(t, c.Dir+"/io.safetensors")
	batch := func(name string) tensor.Batch {
		a := io[name]
		b := tensor.Batch{N: a.Shape[0], Shape: a.Shape[1:]}
		for _, v := range a.Data {
			b.Data = append(b.Data, float32(v))
		}
		return b
	}
	encoder := must(openPart[*nn.CLIPText](&opener{Folder: f}, "text_encoder"))(t)
	text := tensor.New(2, 77, encoder.Config().Width)
	if err := encoder.Encode(t.Context(), text, io["in.token_ids"].Ints()); err != nil {
		t.Fatal(err)
	}
	c.Check(t, "out.text", text.Data, io["out.text"])
	x := batch("in.sample")
	y := tensor.New(2, x.Shape...)
	for i, at := range io["in.timesteps"].Ints() {
		bound := must(m.Net.Bind(x.Shape[1], x.Shape[2], tensor.Batch{N: 1, Shape: text.Shape, Data: text.Sample(i)}))(t)
		one, row := y.Rows(i, i+1), x.Rows(i, i+1)
		if err := bound.Predict(t.Context(), one, row, at); err != nil {
			t.Fatal(err)
		}
	}
	c.Check(t, "out.unet", y.Data, io["out.unet"])
	image := batch("in.image")
	moments := tensor.New(1, must(m.Codec.Net.Encoder.Output(image.Shape))(t)...)
	if err := m.Codec.Net.Encoder.Apply(t.Context(), moments, image); err != nil {
		t.Fatal(err)
	}
	c.Check(t, "out.moments", moments.Data, io["out.moments"])
	z := batch("in.latent")
	decoded := tensor.New(1, must(m.Codec.Net.Decoder.Output(z.Shape))(t)...)
	if err := m.Codec.Net.Decoder.Apply(t.Context(), decoded, z); err != nil {
		t.Fatal(err)
	}
	c.Check(t, "out.decoded", decoded.Data, io["out.decoded"])
}

// tinySettings are of a model of each family whose weights follow from a formula.
var tinySettings = map[string]map[string]string{
	"family 1": {
		"unet": `{"_class_name": "UNet2DConditionModel", "attention_head_dim": 2, "block_out_channels": [8, 8, 16], "cross_attention_dim": 12, "norm_num_groups": 4, "sample_size": 8,
			"down_block_types": ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"], "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"], "layers_per_block": 2}`,
		"vae": `{"_class_name": "AutoencoderKL", "block_out_channels": [8, 16], "layers_per_block": 1, "norm_num_groups": 4, "sample_size": 16,
			"down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D"], "up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D"]}`,
		"text_encoder": `{"architectures": ["CLIPTextModel"], "hidden_size": 12, "intermediate_size": 24, "num_attention_heads": 2, "num_hidden_layers": 2, "hidden_act": "quick_gelu", "vocab_size": 20, "max_position_embeddings": 6}`,
		"scheduler":    publishedSchedulers["SD 1.5"],
	},
	"family 2": {
		"unet": `{"_class_name": "UNet2DConditionModel", "attention_head_dim": [1, 2], "block_out_channels": [8, 16], "cross_attention_dim": 16, "norm_num_groups": 4, "sample_size": 8, "use_linear_projection": true,
			"down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"], "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"], "layers_per_block": 1}`,
		"vae": `{"_class_name": "AutoencoderKL", "block_out_channels": [8, 8, 16], "layers_per_block": 2, "norm_num_groups": 4, "sample_size": 16,
			"down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D"], "up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D"]}`,
		"text_encoder": `{"architectures": ["CLIPTextModel"], "hidden_size": 16, "intermediate_size": 24, "num_attention_heads": 2, "num_hidden_layers": 3, "hidden_act": "gelu", "vocab_size": 20, "max_position_embeddings": 6}`,
		"scheduler":    publishedSchedulers["SD 2.1-v"],
	},
	"without a middle": {
		"unet": `{"_class_name": "UNet2DConditionModel", "attention_head_dim": 2, "block_out_channels": [8, 8, 16], "cross_attention_dim": 12, "norm_num_groups": 4, "sample_size": 8, "mid_block_type": null,
			"down_block_types": ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"], "up_block_types": ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"], "layers_per_block": 1}`,
		"scheduler": publishedSchedulers["SD 1.5"],
	},
}

// tinyFolder writes a model folder whose weights follow from a formula, of an element type.
func tinyFolder(t *testing.T, settings map[string]string, as weights.DType) string {
	t.Helper()
	dir := t.TempDir()
	index := map[string]any{"scheduler": []string{"diffusers", "PNDMScheduler"}}
	write(t, []byte(settings["scheduler"]), dir, "scheduler", "scheduler_config.json")
	for part, class := range map[string]string{"unet": "UNet2DConditionModel", "vae": "AutoencoderKL", "text_encoder": "CLIPTextModel"} {
		if settings[part] == "" {
			continue
		}
		index[part] = []string{"diffusers", class}
		write(t, []byte(settings[part]), dir, part, "config.json")
	}
	write(t, must(json.Marshal(index))(t), dir, "model_index.json")
	f := must(modelfile.OpenFolder(dir))(t)
	for part, file := range map[string]string{"unet": "diffusion_pytorch_model", "vae": "diffusion_pytorch_model", "text_encoder": "model"} {
		if settings[part] == "" {
			continue
		}
		net := must(modelfile.Network[modelfile.Parameters](must(f.Part(part))(t)))(t)
		sd := &weights.StateDict{}
		for _, p := range net.Params() {
			if err := sd.Add(weights.New(p.Name, p.Shape, golden.SeededWeights(p.Name, 5, p.Shape...))); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := weights.WriteSafetensors(&b, must(sd.As(as))(t), nil); err != nil {
			t.Fatal(err)
		}
		write(t, b.Bytes(), dir, part, file+".safetensors")
	}
	return dir
}

// TestSingleFileOfAnyFolder writes folders as files and files as folders: tensors are those of the
// first folder bit for bit, and so is what is drawn.
func TestSingleFileOfAnyFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("what files hold, in one goroutine")
	}
	for name, settings := range tinySettings {
		for _, as := range []weights.DType{dtype.F16, dtype.BF16} {
			dir := tinyFolder(t, settings, as)
			first := must(modelfile.OpenFolder(dir))(t)
			file := filepath.Join(t.TempDir(), "model.safetensors")
			writeSingle(t, first, file)
			second := must(modelfile.OpenSingle(file, dir))(t)
			back := t.TempDir()
			files, left, err := second.WriteParts(back)
			if err != nil || len(left) > 0 {
				t.Fatal(left, err)
			}
			if !slices.Contains(files, "model_index.json") || !slices.Contains(files, "unet/config.json") {
				t.Errorf("%s: files %v", name, files)
			}
			third := must(modelfile.OpenFolder(back))(t)
			for _, part := range []string{"unet", "vae", "text_encoder"} {
				if settings[part] != "" {
					sameBits(t, name+" "+part, first, second, third, part)
				}
			}
			again := filepath.Join(t.TempDir(), "again.safetensors")
			writeSingle(t, third, again)
			if !bytes.Equal(read(t, file), read(t, again)) {
				t.Errorf("%s, %v: the file of the folder of the file is another one", name, as)
			}
		}
	}
	dir := tinyFolder(t, tinySettings["family 2"], dtype.F16)
	file := filepath.Join(dir, "model.safetensors") // beside the settings
	writeSingle(t, must(modelfile.OpenFolder(dir))(t), file)
	r := Request{Images: 1, Seed: 3, Conditions: Conditions{Guidance: 1}, Sampler: Sampler{Steps: 2, Method: Published}}
	a := must(must(Open(dir))(t).Generate(t.Context(), r))(t)
	b := must(must(Open(file))(t).Generate(t.Context(), r))(t)
	if !slices.Equal(a.Images.Data, b.Images.Data) {
		t.Error("file and folder draw different images")
	}
}

func writeSingle(t *testing.T, f *modelfile.Folder, path string) {
	t.Helper()
	var b bytes.Buffer
	if err := f.WriteSingle(&b); err != nil {
		t.Fatal(err)
	}
	write(t, b.Bytes(), path)
}

func sameBits(t *testing.T, what string, first, second, third *modelfile.Folder, part string) {
	t.Helper()
	a := must(must(first.Part(part))(t).Open())(t)
	defer a.Close()
	for _, f := range []*modelfile.Folder{second, third} {
		b := must(must(f.Part(part))(t).Open())(t)
		defer b.Close()
		if a.Len() != b.Len() {
			t.Errorf("%s: %d tensors, want %d", what, b.Len(), a.Len())
		}
		for _, x := range a.Tensors() {
			y, ok := b.Tensor(x.Name)
			if !ok || x.DType != y.DType || !slices.Equal(x.Shape, y.Shape) || !bytes.Equal(must(x.Stored())(t), must(y.Stored())(t)) {
				t.Errorf("%s: %s is not the same", what, x.Name)
			}
		}
	}
}

// TestUndecidedFiles measures what a network predicts where nothing says so, and follows what
// the file says.
func TestUndecidedFiles(t *testing.T) {
	settings := tinySettings["family 2"]
	dir := tinyFolder(t, settings, dtype.F32)
	f := must(modelfile.OpenFolder(dir))(t)
	said := filepath.Join(t.TempDir(), "said.safetensors")
	writeSingle(t, f, said)
	sd := must(weights.Open(said, weights.Options{}))(t)
	defer sd.Close()
	for bias, want := range map[float32]schedule.Kind{0: schedule.Epsilon, -9: schedule.V} {
		beside := t.TempDir() // without the scheduler
		for _, part := range []string{"unet", "vae", "text_encoder"} {
			write(t, []byte(settings[part]), beside, part+".config.json")
		}
		other := &weights.StateDict{}
		for _, x := range sd.Tensors() {
			if x.Name == "model.diffusion_model.out.2.bias" {
				x = weights.New(x.Name, x.Shape, []float32{bias, bias, bias, bias})
			}
			if err := other.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := weights.WriteSafetensors(&b, other, nil); err != nil {
			t.Fatal(err)
		}
		write(t, b.Bytes(), beside, "model.safetensors")
		m := must(Open(filepath.Join(beside, "model.safetensors")))(t)
		if m.Noise.Prediction != want {
			t.Errorf("bias %v: predicts %v, want %v", bias, m.Noise.Prediction, want)
		}
	}
	if f := must(modelfile.OpenSingle(said, t.TempDir()))(t); f.Undecided {
		t.Error("a file that says what it predicts is undecided")
	}
	sizesOfFamilyTwo(t)
	var broken *modelfile.Error
	write(t, []byte("nothing"), dir, "bad.ckpt")
	if _, err := Open(filepath.Join(dir, "bad.ckpt")); !errors.As(err, &broken) {
		t.Errorf("a file of nothing: %v, want a *modelfile.Error", err)
	}
}

// sizesOfFamilyTwo opens files without any settings: those that predict velocities, said or measured,
// draw images of 768 pixels, others of 512.
func sizesOfFamilyTwo(t *testing.T) {
	t.Helper()
	settings := maps.Clone(tinySettings["family 2"])
	for part, change := range map[string]*strings.Replacer{
		"unet":         strings.NewReplacer("[8, 16]", "[32, 64]", `"attention_head_dim": [1, 2]`, `"attention_head_dim": [1, 1]`, `"norm_num_groups": 4`, `"norm_num_groups": 32`),
		"vae":          strings.NewReplacer("[8, 8, 16]", "[32, 32, 32, 32]", `"norm_num_groups": 4`, `"norm_num_groups": 32`, `["DownEncoderBlock2D", `, `["DownEncoderBlock2D", "DownEncoderBlock2D", `, `["UpDecoderBlock2D", `, `["UpDecoderBlock2D", "UpDecoderBlock2D", `),
		"text_encoder": strings.NewReplacer(`"num_attention_heads": 2`, `"num_attention_heads": 1`),
	} {
		settings[part] = change.Replace(settings[part])
	}
	said := filepath.Join(t.TempDir(), "said.safetensors")
	writeSingle(t, must(modelfile.OpenFolder(tinyFolder(t, settings, dtype.F32)))(t), said)
	sd := must(weights.Open(said, weights.Options{}))(t)
	defer sd.Close()
	size := func(file string, want int) {
		t.Helper()
		if h, w := must(Open(file))(t).Size(); h != want || w != want {
			t.Errorf("%s: images of %d x %d, want %d", filepath.Base(file), w, h, want)
		}
	}
	size(said, 768)
	for bias, want := range map[float32]int{0: 512, -9: 768} {
		other := &weights.StateDict{}
		for _, x := range sd.Tensors() {
			if x.Name == "model.diffusion_model.out.2.bias" {
				x = weights.New(x.Name, x.Shape, []float32{bias, bias, bias, bias})
			}
			if err := other.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := weights.WriteSafetensors(&b, other, nil); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "measured.safetensors")
		write(t, b.Bytes(), file)
		size(file, want)
	}
}

// TestTextOfGGUF reads a text encoder from a file of stable-diffusion.cpp, some of its maps in
// eight bits, and compares its rows with those of the reference.
func TestTextOfGGUF(t *testing.T) {
	config := must(nn.ParseConfig[nn.CLIPTextConfig]([]byte(`{"model_type": "clip_text_model", "vocab_size": 160, "hidden_size": 32, "intermediate_size": 128, "num_hidden_layers": 2,
		"num_attention_heads": 4, "max_position_embeddings": 77, "hidden_act": "quick_gelu", "layer_norm_eps": 1e-05}`)))(t)
	encoder := must(nn.NewCLIPText(config))(t)
	sd := must(weights.Open("../weights/testdata/gguf/model.gguf", weights.Options{}))(t)
	defer sd.Close()
	if _, err := singlefile.Parse(sd); err == nil || !strings.Contains(err.Error(), "test.hard_blocks") {
		t.Errorf("a tensor of no network: %v, want an error that names it", err)
	}
	m := must(singlefile.Parse(must(sd.Rename(weights.KeyMap{weights.Drop("test.")}))(t)))(t)
	for _, p := range encoder.Params() {
		p.Data = make([]float32, p.Shape.Size())
	}
	if err := weights.Load(modelfile.Targets(encoder), m.Parts[singlefile.Text], weights.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	encoder.Refresh()
	io := golden.Safetensors(t, "../weights/testdata/gguf/io.safetensors")
	want := io["out.text"]
	rows := tensor.New(want.Shape[0], want.Shape[1:]...)
	if err := encoder.Encode(t.Context(), rows, io["in.token_ids"].Ints()); err != nil {
		t.Fatal(err)
	}
	golden.Close(t, "out.text", rows.Data, want.Data, 4.1e-5, 1e-5)
}
