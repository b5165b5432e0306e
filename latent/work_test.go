package latent

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// unfilled is the model of a layout without weights.
func (p layout) unfilled(t *testing.T) (*Model, *Classifier) {
	t.Helper()
	small := miniature // the text side is not counted
	dir, classifier := small.write(t, t.TempDir(), dtype.F16)
	m := must(Open(dir))(t)
	for part, settings := range map[string]string{"unet": p.unet, "vae": p.vae} {
		write(t, []byte(settings), dir, part, "config.json")
	}
	write(t, []byte(p.classifier), classifier, "classifier.yaml")
	f, c := must(modelfile.OpenFolder(dir))(t), must(modelfile.OpenFolder(classifier))(t)
	m.Net = must(modelfile.Network[*nn.UNet2DCondition](must(f.Part("unet"))(t)))(t)
	m.Codec.Net = must(modelfile.Network[*nn.AutoencoderKL](must(f.Part("vae"))(t)))(t)
	m.Text = nil
	return m, &Classifier{Net: must(modelfile.Network[*nn.Classifier](&c.Parts[0]))(t)}
}

// The published run of 25 pairs in 100 steps, against the counts of its operations.
// Source: spec of the image experiment, cost table: 402.13 G multiplications of a
// prediction with 77 tokens, of which the cross-attention products are 1.78 and the maps
// of the tokens 1.63; 1257.26 of a decoded and 558.33 of an encoded image, 0.151 of the
// classifier.
func TestWorkOfThePublishedRun(t *testing.T) {
	m, c := stableDiffusion.unfilled(t)
	w := must(m.Work(Run{Latent: tensor.Shape{4, 64, 64}, Latents: 50, Exemplars: 4, Coupled: c}))(t)
	for _, part := range []struct {
		name      string
		got, want float64
	}{
		{"predictions", w.Denoise, 5000 * 2 * (402.13e9 - (1.78e9+1.63e9)*76/77)},
		{"decoded images", w.Decode, 50 * 2 * 1257.26e9},
		{"exemplars", w.Encode, 4 * 2 * 558.33e9},
		{"answers", w.Couple, 2 * 5000 * 2 * 0.151e9},
	} {
		if math.Abs(part.got/part.want-1) > 0.005 {
			t.Errorf("%s are %.4g operations, want %.4g", part.name, part.got, part.want)
		}
	}
	if got := w.Seconds(w.total() / 7); math.Abs(got-7) > 1e-9 {
		t.Errorf("%v seconds, want 7", got)
	}
	if _, err := m.Work(Run{Latent: tensor.Shape{5, 64, 64}}); err == nil {
		t.Error("latents of 5 channels: no error")
	}
	c.Net = must(nn.NewClassifier(nn.ClassifierConfig{InChannels: 3, Heads: c.Net.Config().Heads}))(t)
	if _, err := m.Work(Run{Latent: tensor.Shape{4, 64, 64}, Coupled: c}); err == nil {
		t.Error("a classifier of pictures: no error")
	}
}
