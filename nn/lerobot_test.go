package nn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

const lerobot = "../policy/testdata/lerobot"

// lerobotConfig are the keys of a published configuration that decide about networks.
type lerobotConfig struct {
	InputShapes   map[string][]int                 `json:"input_shapes"`
	InputFeatures map[string]struct{ Shape []int } `json:"input_features"`
	Crop          []int                            `json:"crop_shape"`
	Resize        []int                            `json:"resize_shape"`
	CropRatio     float64                          `json:"crop_ratio"`
	Backbone      string                           `json:"vision_backbone"`
	GroupNorm     bool                             `json:"use_group_norm"`
	Keypoints     int                              `json:"spatial_softmax_num_keypoints"`
	Horizon       int                              `json:"horizon"`
	DownDims      []int                            `json:"down_dims"`
	Kernel        int                              `json:"kernel_size"`
	Groups        int                              `json:"n_groups"`
	TimeDim       int                              `json:"diffusion_step_embed_dim"`
	Film          bool                             `json:"use_film_scale_modulation"`
	Prediction    string                           `json:"prediction_type"`
}

func readLerobot(t *testing.T, p *golden.Policy) (c lerobotConfig) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, p.Dir+"/config.json"), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// under returns the tensors whose names begin with a prefix, without it and without what
// compiling a network puts into names.
func under(all map[string]golden.Array, prefix string) map[string]golden.Array {
	out := map[string]golden.Array{}
	for name, a := range all {
		name = strings.Replace(name, "._orig_mod", "", 1)
		if rest, ok := strings.CutPrefix(name, prefix); ok && !strings.HasSuffix(name, "num_batches_tracked") {
			out[rest] = a
		}
	}
	return out
}

// encoderOf makes the encoder of a policy for images of a feature.
func encoderOf(t *testing.T, p *golden.Policy, key, prefix string) *VisionEncoder {
	t.Helper()
	c := readLerobot(t, p)
	shape := c.InputFeatures[key].Shape
	config := VisionEncoderConfig{Backbone: c.Backbone, Channels: shape[0], Height: shape[1], Width: shape[2],
		GroupNorm: c.GroupNorm, Keypoints: c.Keypoints, Workers: 2}
	if c.Resize != nil {
		config.Resize = [2]int(c.Resize)
	}
	if c.Crop != nil {
		config.Crop = [2]int(c.Crop)
	}
	n, err := NewVisionEncoder(config)
	if err != nil {
		t.Fatal(err)
	}
	fillClassifier(t, n, under(p.Weights(), prefix))
	return n
}

// camerasOf returns the image features of a policy and the prefixes of their encoders.
func camerasOf(p *golden.Policy) (keys, prefixes []string) {
	for _, name := range p.Archive.Names() {
		if key, ok := strings.CutPrefix(strings.TrimSuffix(name, ".encoder_input"), "out."); ok && strings.HasSuffix(name, ".encoder_input") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	if len(keys) == 1 {
		return keys, []string{"diffusion.rgb_encoder."}
	}
	slices.SortFunc(keys, func(a, b string) int { return strings.Compare(b, a) }) // wrist before front
	for i := range keys {
		prefixes = append(prefixes, fmt.Sprintf("diffusion.rgb_encoder.%d.", i))
	}
	return keys, prefixes
}

// normalised returns the images of a feature as the policy normalises them.
func normalised(t *testing.T, p *golden.Policy, key string) tensor.Batch {
	t.Helper()
	shape := p.Archive.Shape("in." + key)
	mean, std := cameraStatistics(t, p, key)
	raw := p.Archive.Float64("in." + key)
	h, w, c := shape[1], shape[2], shape[3]
	x := tensor.New(shape[0], c, h, w)
	for i, v := range raw {
		k, pixel, at := i%c, i/c%(h*w), i/(c*h*w)
		x.Sample(at)[k*h*w+pixel] = (float32(v)/255 - mean[k]) / (std[k] + 1e-8)
	}
	return x
}

func cameraStatistics(t *testing.T, p *golden.Policy, key string) (mean, std []float32) {
	t.Helper()
	if p.Name[0] == 'c' {
		all := golden.Safetensors(t, p.Dir+"/policy_preprocessor_step_3_normalizer_processor.safetensors")
		return all[key+".mean"].Data, all[key+".std"].Data
	}
	all, prefix := p.Weights(), "normalize_inputs.buffer_"+strings.ReplaceAll(key, ".", "_")
	return all[prefix+".mean"].Data, all[prefix+".std"].Data
}

func TestPolicyNetworksRefuseSizes(t *testing.T) {
	for _, c := range []VisionEncoderConfig{
		{Backbone: "resnet1000", Height: 96, Width: 96}, {Backbone: "resnet18"}, {Backbone: "resnet18", Height: 1e9, Width: 1e9},
		{Backbone: "resnet18", Height: 96, Width: 96, Crop: [2]int{97, 96}}, {Backbone: "resnet18", Height: 96, Width: 96, Resize: [2]int{50, 50}, Crop: [2]int{51, 50}},
		{Backbone: "resnet18", Height: 96, Width: 96, Keypoints: 1e9}, {Backbone: "resnet18", Height: 96, Width: 96, Resize: [2]int{1e9, 1}},
	} {
		if _, err := c.Layout(); err == nil {
			t.Errorf("%+v is taken for an encoder", c)
		}
	}
	for _, c := range []ActionUNetConfig{
		{Horizon: 6}, {Horizon: 1e9}, {Kernel: 4}, {Groups: 7}, {TimeDim: 5}, {TimeDim: 1e9}, {DownDims: []int{1e9}}, {DownDims: []int{12, 24}, Groups: 4},
		{DownDims: []int{}}, {ConditionDim: -1}, {ActionDim: 1e9}, {Prediction: schedule.V},
	} {
		if _, err := c.Layout(); err == nil {
			t.Errorf("%+v is taken for a network", c)
		}
	}
}
