package nn

import (
	"os"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// ofShape returns a reference array as a batch.
func ofShape(a golden.Array) tensor.Batch {
	return tensor.Batch{N: a.Shape[0], Shape: a.Shape[1:], Data: a.Data}
}

// TestAutoencoderTiny compares both halves and both gradients with the reference.
func TestAutoencoderTiny(t *testing.T) {
	c, io := samplerCase(t, "tiny_autoencoder")
	raw, err := os.ReadFile(c.Dir + "/config.json")
	if err != nil {
		t.Fatal(err)
	}
	config, err := parseAutoencoderTiny(raw)
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewAutoencoderTiny(config)
	if err != nil {
		t.Fatal(err)
	}
	stored := golden.Safetensors(t, c.Dir+"/diffusion_pytorch_model.safetensors")
	for _, p := range n.Params() {
		w, ok := stored[p.Name]
		if !ok || !tensor.Shape(w.Shape).Equal(p.Shape) {
			t.Fatalf("%s %v: the file has %v", p.Name, p.Shape, w.Shape)
		}
		p.Data = w.Data
		delete(stored, p.Name)
	}
	if len(stored) > 0 {
		t.Errorf("%d tensors of the file belong to no parameter", len(stored))
	}
	n.Refresh()
	for _, half := range []struct {
		m                                *Map
		in, out, cotangent, product, say string
	}{
		{n.Encoder, "in.image", "out.encoded", "in.vjp.encode_cotangent", "out.vjp.image", "encoder"},
		{n.Decoder, "in.latent", "out.decoded", "in.vjp.decode_cotangent", "out.vjp.latent", "decoder"},
	} {
		x := ofShape(io[half.in])
		shape, err := half.m.Output(x.Shape)
		if err != nil {
			t.Fatal(err)
		}
		dst, product, again := tensor.New(x.N, shape...), tensor.New(x.N, x.Shape...), tensor.New(x.N, x.Shape...)
		if err := half.m.Apply(t.Context(), dst, x); err != nil {
			t.Fatal(err)
		}
		c.Check(t, half.out, dst.Data, io[half.out])
		cotangent := ofShape(io[half.cotangent])
		if err := half.m.VJP(t.Context(), product, x, cotangent); err != nil {
			t.Fatal(err)
		}
		c.Check(t, half.product, product.Data, io[half.product])
		back, err := half.m.Linearize(t.Context(), dst, x)
		if err != nil {
			t.Fatal(err)
		}
		if err := back.VJP(t.Context(), again, cotangent); err != nil {
			t.Fatal(err)
		}
		golden.Close(t, half.say+": the product of the linearization", again.Data, product.Data, 0, 0)
	}
}

// TestAutoencoderTinyOfPublishedSize compares the network of the default configuration.
func TestAutoencoderTinyOfPublishedSize(t *testing.T) {
	const seed = 777
	c, io := samplerCase(t, "tiny_autoencoder_published_size")
	config, err := parseAutoencoderTiny([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewAutoencoderTiny(config)
	if err != nil {
		t.Fatal(err)
	}
	fillSeeded(n, seed)
	for half, want := range map[*Map]int{n.Encoder: 1222532, n.Decoder: 1222531} {
		count := 0
		for _, p := range half.Params() {
			count += p.Shape.Size()
		}
		if count != want {
			t.Errorf("%s: %d parameters, want %d", half.name, count, want)
		}
	}
	z, x := tensor.New(1, 4, 8, 8), tensor.New(1, 3, 64, 64)
	if err := n.Encoder.Apply(t.Context(), z, seededInput("image", seed, -1, 1, 1, 3, 64, 64)); err != nil {
		t.Fatal(err)
	}
	if err := n.Decoder.Apply(t.Context(), x, seededInput("latent", seed, -3, 3, 1, 4, 8, 8)); err != nil {
		t.Fatal(err)
	}
	c.Check(t, "out.encoded", z.Data, io["out.encoded"])
	c.Check(t, "out.decoded_every_third", everyNth(x, 3), io["out.decoded_every_third"])
}

// TestAutoencoderTinyRefuses wants errors that name what makes no network.
func TestAutoencoderTinyRefuses(t *testing.T) {
	for _, raw := range []string{
		`{"act_fn": "silu"}`, `{"upsampling_scaling_factor": 3}`, `{"shift_factor": 0.1}`, `{"encoder_block_out_channels": [64, 64, 64, 32]}`,
		`{"num_decoder_blocks": [3, 3, 1]}`, `{"num_encoder_blocks": [0, 1, 1, 1]}`, `{"latent_channels": 0}`, `{"scaling_factor": 0}`, `{"some_key": 3}`,
		`{"_class_name": "AutoencoderKL"}`, `[`, `{"decoder_block_out_channels": []}`,
	} {
		if _, err := parseAutoencoderTiny([]byte(raw)); err == nil {
			t.Errorf("%s: no error", raw)
		}
	}
}
