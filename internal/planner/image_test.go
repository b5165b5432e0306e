package planner

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Files that are there and hold no latents are a mistake of the caller.
func TestLatentsRefused(t *testing.T) {
	good := tensor.New(2, 4, 3, 2)
	broken := tensor.New(1, 4, 3, 2)
	broken.Data[5] = float32(math.NaN())
	flat := tensor.New(1, 4)
	for name, c := range map[string]struct {
		latents tensor.Batch
		refused bool
	}{"good": {good, false}, "broken": {broken, true}, "flat": {flat, true}} {
		path := filepath.Join(t.TempDir(), "latents.npz")
		if err := writeLatents(path, c.latents); err != nil {
			t.Fatal(err)
		}
		b, err := readLatents(path)
		if (ClassOf(err) == Usage) != c.refused || err == nil && (b.N != c.latents.N || len(b.Data) != len(c.latents.Data)) {
			t.Errorf("%s: %v %v, %v; refused: %v", name, b.N, b.Shape, err, c.refused)
		}
	}
}

// A prompt that has no effect is named.
func TestUnheardPrompts(t *testing.T) {
	net := func(guidance int) *nn.UNet2DCondition {
		n, err := nn.NewUNet2DCondition(nn.UNet2DConfig{SampleSize: 8, InChannels: 4, OutChannels: 4, BlockOutChannels: []int{8}, DownAttention: []bool{true}, UpAttention: []bool{true},
			LayersPerBlock: 1, Heads: []int{2}, TransformerLayers: []int{1}, CrossAttentionDim: 8, NormNumGroups: 4, NormEps: 1e-5, GuidanceDim: guidance})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, c := range []struct {
		guidance         float64
		prompt, negative string
		input            int
		want             string
	}{
		{0, "a cat", "", 0, "prompt"}, {0, "", "a dog", 0, ""}, {1, "a cat", "a dog", 0, "negative prompt"}, {1, "a cat", "", 0, ""},
		{7.5, "a cat", "a dog", 0, ""}, {0, "a cat", "", 8, ""},
	} {
		task := GenerateTask{model: &pair.Model{Model: &latent.Model{Net: net(c.input), Text: &latent.Text{}}}}
		task.draw.Conditions = latent.Conditions{Guidance: c.guidance, Prompt: c.prompt, Negative: c.negative}
		if got := task.unheard(); got != c.want {
			t.Errorf("guidance %v of %q and %q: %q is unheard, want %q", c.guidance, c.prompt, c.negative, got, c.want)
		}
	}
}
