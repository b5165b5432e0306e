package modelfile_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// predict returns what a denoising network makes of a fixed input.
func predict(t *testing.T, net *nn.UNet2DCondition) []float32 {
	t.Helper()
	context, x := tensor.New(1, 3, 12), tensor.New(2, 4, 8, 8)
	noise.New(1).Normal(context.Data, 36, noise.Address{})
	noise.New(2).Normal(x.Data, 256, noise.Address{})
	m, err := net.Bind(8, 8, context)
	if err != nil {
		t.Fatal(err)
	}
	out, back := tensor.New(2, 4, 8, 8), tensor.New(2, 4, 8, 8)
	if err := errors.Join(m.Predict(t.Context(), out, x, 7), m.VJP(t.Context(), back, x, out, 7)); err != nil {
		t.Fatal(err)
	}
	return append(out.Data, back.Data...)
}

// decode returns what an autoencoder makes of a fixed latent.
func decode(t *testing.T, a *nn.AutoencoderKL) []float32 {
	t.Helper()
	z, image := tensor.New(1, 4, 8, 8), tensor.New(1, 3, 16, 16)
	noise.New(3).Normal(z.Data, 256, noise.Address{})
	if err := a.Decoder.Apply(context.Background(), image, z); err != nil {
		t.Fatal(err)
	}
	return image.Data
}

// A network that keeps its weights as they are stored, in full or half precision, computes
// the same bits as one that was filled, and its large parameters have no other memory.
func TestKeep(t *testing.T) {
	dir := folder(t)
	for _, as := range []weights.DType{weights.F32, weights.F16, weights.BF16} {
		half, err := stored(t, unet(t)).As(as)
		if err != nil {
			t.Fatal(err)
		}
		save(t, half, dir, "unet", "diffusion_pytorch_model.safetensors") // preferred
		f, err := modelfile.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Part("unet")
		if err != nil {
			t.Fatal(err)
		}
		filled, kept := unet(t), unet(t)
		if err := errors.Join(p.Fill(filled), p.Keep(kept)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(predict(t, kept), predict(t, filled)) {
			t.Errorf("%v: a network that keeps its weights predicts something else", as)
		}
		memory, all := 0, 0
		for _, q := range kept.Params() {
			memory += len(q.Data)
			all += q.Shape.Size()
		}
		if memory*5 > all {
			t.Errorf("%v: %d of %d parameters are in memory", as, memory, all)
		}
	}
	f, err := modelfile.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Part("vae") // with names of before 2023
	if err != nil {
		t.Fatal(err)
	}
	filled, kept := vae(t), vae(t)
	if err := errors.Join(p.Fill(filled), p.Keep(kept)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(decode(t, kept), decode(t, filled)) {
		t.Error("an autoencoder that keeps its weights decodes something else")
	}
}

// What does not fit, and numbers that are none, are refused.
func TestKeepRefuses(t *testing.T) {
	dir := folder(t)
	sd := stored(t, vae(t))
	x := sd.Tensors()[0]
	values, err := x.Float32s(nil)
	if err != nil {
		t.Fatal(err)
	}
	values[1] = float32(math.NaN())
	broken := &weights.StateDict{}
	if err := broken.Add(append([]weights.Tensor{weights.New(x.Name, x.Shape, values)}, sd.Tensors()[1:]...)...); err != nil {
		t.Fatal(err)
	}
	save(t, broken, dir, "vae", "diffusion_pytorch_model.safetensors")
	f, err := modelfile.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Part("vae")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Keep(vae(t)); !as[*weights.LoadError](err) || !strings.Contains(err.Error(), x.Name+" has 1 values") {
		t.Errorf("NaN: %v, want a *weights.LoadError of %s", err, x.Name)
	}
	p.Weights = []string{filepath.Join(dir, "text_encoder", "model.safetensors")}
	if err := p.Keep(vae(t)); !as[*weights.LoadError](err) {
		t.Errorf("the weights of another part: %v", err)
	}
}
