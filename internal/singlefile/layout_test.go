package singlefile_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// layout returns the tensors of a published file, without elements.
func layout(t *testing.T, name string) *weights.StateDict {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var shapes map[string][]int
	if err := json.Unmarshal(raw, &shapes); err != nil {
		t.Fatal(err)
	}
	sd := &weights.StateDict{}
	for tensor, shape := range shapes {
		if err := sd.Add(weights.Tensor{Name: tensor, Shape: shape, DType: weights.F16}); err != nil {
			t.Fatal(err)
		}
	}
	return sd
}

// specs returns what the network of a part wants, from the settings that its tensors give.
func specs(t *testing.T, m *singlefile.Model, part string) (want []weights.Spec) {
	t.Helper()
	raw, err := m.Settings(part)
	if err != nil {
		t.Fatal(err)
	}
	var params []*nn.Param
	switch part {
	case singlefile.UNet:
		params = made(t, raw, nn.ParseConfig[nn.UNet2DConfig], nn.NewUNet2DCondition).Params()
	case singlefile.VAE:
		params = made(t, raw, nn.ParseConfig[nn.AutoencoderConfig], nn.NewAutoencoderKL).Params()
	default:
		params = made(t, raw, nn.ParseConfig[nn.CLIPTextConfig], nn.NewCLIPText).Params()
	}
	for _, p := range params {
		want = append(want, weights.Spec{Name: p.Name, Shape: p.Shape})
	}
	return want
}

func made[C, N any](t *testing.T, raw []byte, parse func([]byte) (C, error), build func(C) (N, error)) N {
	t.Helper()
	c, err := parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	n, err := build(c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPublishedLayouts reads the names and shapes of the published files, makes the networks that
// they describe, at full size and without memory, and writes the names back.
func TestPublishedLayouts(t *testing.T) {
	for name, want := range map[string]struct {
		family  singlefile.Family
		tensors map[string]int
	}{
		"sd1": {singlefile.SD1, map[string]int{singlefile.UNet: 686, singlefile.VAE: 248, singlefile.Text: 196}},
		"sd2": {singlefile.SD2, map[string]int{singlefile.UNet: 686, singlefile.VAE: 248, singlefile.Text: 372}},
	} {
		sd := layout(t, name)
		m, err := singlefile.Parse(sd)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.Family != want.family {
			t.Errorf("%s: is %v, want %v", name, m.Family, want.family)
		}
		for part, n := range want.tensors {
			if m.Parts[part].Len() != n {
				t.Errorf("%s %s: %d tensors, want %d", name, part, m.Parts[part].Len(), n)
			}
			if err := weights.Check(specs(t, m, part), m.Parts[part], weights.LoadOptions{}); err != nil {
				t.Errorf("%s %s: %v", name, part, err)
			}
		}
		back, err := m.Join()
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range back.Tensors() {
			from, ok := sd.Tensor(x.Name)
			if !ok || !slices.Equal(from.Shape, x.Shape) {
				t.Errorf("%s: %s %v is written, the file has %v", name, x.Name, x.Shape, from.Shape)
			}
		}
		for _, x := range sd.Tensors() {
			_, written := back.Tensor(x.Name)
			ofModel := strings.HasPrefix(x.Name, "model.diffusion_model.") || strings.HasPrefix(x.Name, "first_stage_model.") || strings.HasPrefix(x.Name, "cond_stage_model.")
			unused := slices.ContainsFunc([]string{"position_ids", "logit_scale", "text_projection"}, func(s string) bool { return strings.HasSuffix(x.Name, s) })
			if written == (unused || !ofModel) {
				t.Errorf("%s: %s: written %v", name, x.Name, written)
			}
		}
	}
}

// TestRecognition changes what the published files hold: other tasks and surprises are
// refused by name, what trainings leave is passed over.
func TestRecognition(t *testing.T) {
	changed := func(name string, replace map[string][]int, add ...string) error {
		sd := &weights.StateDict{}
		for _, x := range layout(t, name).Tensors() {
			if shape, ok := replace[x.Name]; ok {
				x.Shape = shape
			}
			if err := sd.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range add {
			if err := sd.Add(weights.Tensor{Name: a, Shape: []int{4}, DType: weights.F32}); err != nil {
				t.Fatal(err)
			}
		}
		_, err := singlefile.Parse(sd)
		return err
	}
	const first = "model.diffusion_model.input_blocks.0.0.weight"
	for _, name := range []string{"sd1", "sd2"} {
		for channels, word := range map[int]string{9: "inpainting", 8: "InstructPix2Pix"} {
			var refused *singlefile.Error
			if err := changed(name, map[string][]int{first: {320, channels, 3, 3}}); !errors.As(err, &refused) || !strings.Contains(err.Error(), word) {
				t.Errorf("%s with %d channels: %v, want one that says %s", name, channels, err, word)
			}
		}
		for _, strange := range []string{"model.diffusion_model.input_blocks.1.0.in_layers.3.weight", "model.diffusion_model.label_emb.0.0.weight", "first_stage_model.quantize.embedding.weight",
			"something.weight", "model.other", "conditioner.embedders.0.weight", "control_model.zero.weight"} {
			if err := changed(name, nil, strange); err == nil || !strings.Contains(err.Error(), strange) {
				t.Errorf("%s with %s: %v, want an error that names it", name, strange, err)
			}
		}
		if err := changed(name, nil, "betas2", "x"); err == nil {
			t.Errorf("%s with unknown tensors: no error", name)
		}
		if err := changed(name, nil, "logvar", "model_ema.diffusion_modelout2bias", "model_ema.decay", "embedding_manager.string_to_param.x",
			"first_stage_model.loss.logvar", "denoiser.sigmas", "optimizer_states.0.state.1.exp_avg", "callbacks.x"); err != nil {
			t.Errorf("%s with what a training leaves: %v", name, err)
		}
	}
	if _, err := singlefile.Parse(&weights.StateDict{}); err == nil {
		t.Error("nothing: no error")
	}
}
