package latent

import (
	"encoding/json"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// pipeline is a run of the reference: a text, a scheduler, pictures.
type pipeline struct {
	Name, Class string
	Steps       int
	Config      json.RawMessage
	Guidance    float64
	Calls       int
}

// given is the noise of the reference.
type given struct{ start, steps []float32 }

func (g given) Normal(dst []float32, _ int, at noise.Address) {
	if at.Draw == 0 {
		copy(dst, g.start)
		return
	}
	copy(dst, g.steps[(at.Draw-1)*len(dst):])
}

// TestTurboFolder runs the pipelines of the reference from a folder as a user has it: half
// precision variants, shards, no tokenizer; Euler in one to four steps, and the other samplers.
func TestTurboFolder(t *testing.T) {
	c := golden.Cases(t, "testdata", func(string) bool { return true })[0]
	io := golden.Safetensors(t, c.Dir+"/io.safetensors")
	m := must(Open(c.Dir))(t)
	if m.Text != nil {
		t.Error("a model without a tokenizer has a text")
	}
	folder := must(modelfile.OpenFolder(c.Dir))(t)
	encoder := must(openPart[*nn.CLIPText](&opener{Folder: folder}, "text_encoder"))(t)
	rows := func(name string) tensor.Batch {
		ids := io["in."+name].Ints()
		b := tensor.New(len(ids)/77, 77, 24)
		if err := encoder.Encode(t.Context(), b, ids); err != nil {
			t.Fatal(err)
		}
		return b
	}
	prompt, negative := rows("token_ids"), rows("negative_ids")
	c.Check(t, "out.text", prompt.Data, io["out.text"])
	var index struct {
		Cases []struct{ Pipelines []pipeline }
	}
	if err := json.Unmarshal(read(t, "testdata/index.json"), &index); err != nil {
		t.Fatal(err)
	}
	for _, p := range index.Cases[0].Pipelines {
		t.Run(p.Name, func(t *testing.T) { p.run(t, c, io, m, prompt, negative) })
	}
}

func (p pipeline) run(t *testing.T, c golden.Case, io map[string]golden.Array, m *Model, prompt, negative tensor.Batch) {
	shape := tensor.Shape{4, 8, 8}
	var model denoise.Denoiser = must(m.Net.Bind(8, 8, prompt))(t)
	if p.Guidance != 1 {
		model = must(denoise.ClassifierFree(model, must(m.Net.Bind(8, 8, negative))(t), p.Guidance))(t)
	}
	var config map[string]any
	if err := json.Unmarshal(p.Config, &config); err != nil {
		t.Fatal(err)
	}
	config["_class_name"] = p.Class
	scheduler := *m
	scheduler.Noise = must(ParseNoise(must(json.Marshal(config))(t)))(t)
	d := must(scheduler.Dynamics(Sampler{Steps: p.Steps, Method: Published}))(t)
	if d.Steps() != p.Calls {
		t.Fatalf("%d calls, want %d", d.Steps(), p.Calls)
	}
	want := io["out."+p.Name+".latents"]
	size := 2 * shape.Size()
	watch := pcd.ObserverFunc(func(info pcd.StepInfo) error {
		k := info.Done - 1
		x := info.Samples(0)
		if p.Class == "EulerDiscreteScheduler" || p.Class == "EulerAncestralDiscreteScheduler" { // whose states are over the signal
			scale := float32(1 / d.(pcd.Euler).Grid.To(k).Signal)
			for j := range x.Data {
				x.Data[j] *= scale
			}
		}
		tolerance := c.Tolerances["out."+p.Name+".latents"]
		if tolerance.PerCall != nil {
			tolerance.Abs = tolerance.PerCall[k]
		}
		golden.Close(t, p.Name, x.Data, want.Data[k*size:][:size], tolerance.Abs, tolerance.Rel)
		return nil
	})
	problem := pcd.Problem{Variables: []pcd.Variable{{Model: model}}, Dynamics: d}
	result, err := pcd.Sample(t.Context(), problem, pcd.Options{Samples: 2, ChunkSize: 2, Noise: given{io["in.start"].Data, io["in.noise"].Data}, Observer: watch})
	if err != nil {
		t.Fatal(err)
	}
	images, err := m.Codec.Decode(t.Context(), result.Samples[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range images.Data {
		images.Data[j] = min(max(v/2+0.5, 0), 1)
	}
	c.Check(t, "out."+p.Name+".pictures_01", images.Data, io["out."+p.Name+".pictures_01"])
	tiny := *m
	if err := tiny.UseTiny(""); err != nil {
		t.Fatal(err)
	}
	if images, err = tiny.Codec.Decode(t.Context(), result.Samples[0], nil); err != nil {
		t.Fatal(err)
	}
	for j, v := range images.Data {
		images.Data[j] = min(max(v/2+0.5, 0), 1)
	}
	c.Check(t, "out."+p.Name+".pictures_01_tiny", images.Data, io["out."+p.Name+".pictures_01_tiny"])
}
