package latent

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// TestTinyFiles decodes with a network in the names of its author, from the file of each kind,
// and encodes with the one that has its encoder beside it.
func TestTinyFiles(t *testing.T) {
	const vectors = "../nn/testdata/samplers"
	c := golden.Cases(t, vectors, func(n string) bool { return n == "tiny_autoencoder" })[0]
	io := golden.Safetensors(t, c.Dir+"/io.safetensors")
	z, x := io["in.latent"], io["in.image"]
	for _, name := range []string{"taesd_decoder.pth", "taesd_decoder.safetensors"} {
		net := must(openTiny("testdata/taesd/" + name))(t)
		codec := Codec{Tiny: net}
		images := must(codec.Decode(t.Context(), tensor.Batch{N: z.Shape[0], Shape: z.Shape[1:], Data: z.Data}, nil))(t)
		for j, v := range images.Data {
			images.Data[j] = (v + 1) / 2
		}
		c.Check(t, "out.decoded_01", images.Data, io["out.decoded_01"])
		latents, err := codec.Encode(t.Context(), tensor.Batch{N: x.Shape[0], Shape: x.Shape[1:], Data: x.Data}, nil, nil)
		if alone := filepath.Ext(name) == ".safetensors"; alone {
			if err == nil {
				t.Errorf("%s: encodes without an encoder", name)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Check(t, "out.encoded", latents.Data, io["out.encoded"])
	}
	for _, folder := range []string{"testdata/taesd", "testdata/turbo_folder"} { // of the files, and of a model that has one
		if _, err := openTiny(folder); err != nil {
			t.Errorf("%s: %v", folder, err)
		}
	}
	for _, bad := range []string{"testdata/taesd/taesd_encoder.pth", "testdata/nothing", "testdata/index.json", "testdata/turbo_folder/vae"} {
		if _, err := openTiny(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// TestTinyCodec opens a folder whose autoencoder is a tiny one, draws with it, and refuses one
// of other latents.
func TestTinyCodec(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/turbo_folder")); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.RemoveAll(dir + "/vae"), os.Rename(dir+"/vae_tiny", dir+"/vae"),
		os.WriteFile(dir+"/model_index.json", []byte(`{"unet": ["diffusers", "UNet2DConditionModel"], "vae": ["diffusers", "AutoencoderTiny"], "scheduler": ["diffusers", "EulerDiscreteScheduler"]}`), 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	m := must(Open(dir))(t)
	if h, w := m.Size(); h != 16 || w != 16 {
		t.Errorf("images of %d x %d, want 16 x 16", w, h)
	}
	r := must(m.Generate(t.Context(), Request{Sampler: Sampler{Steps: 1, Method: Published}, Conditions: Conditions{Guidance: 1}}))(t)
	if !r.Images.Shape.Equal(tensor.Shape{3, 16, 16}) {
		t.Errorf("images of shape %v", r.Images.Shape)
	}
	again := must(m.Codec.Encode(t.Context(), r.Images, nil, nil))(t)
	if !again.Shape.Equal(r.Latents.Shape) {
		t.Errorf("latents of shape %v, want %v", again.Shape, r.Latents.Shape)
	}
	var refused *SettingError
	if err := m.UseTiny("testdata/taesd/taesd_decoder.pth"); !errors.As(err, &refused) {
		t.Errorf("a decoder of smaller latents: %v, want a *SettingError", err)
	}
	if err := m.UseTiny(""); err != nil {
		t.Errorf("the model's own tiny autoencoder: %v", err)
	}
	full, _ := open(t)
	if err := full.UseTiny(""); err == nil {
		t.Error("a model without a tiny autoencoder: no error")
	}
	if err := full.Shares(m); !errors.As(err, &refused) {
		t.Errorf("models of other latents share them: %v", err)
	}
	if err := full.Shares(must(Open(folder(t)))(t)); err != nil {
		t.Errorf("the same model twice: %v", err)
	}
}
