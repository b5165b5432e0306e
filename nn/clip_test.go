package nn

import (
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

func TestCLIPTextAgainstPublished(t *testing.T) {
	imageCases(t, "clip_text", func(t *testing.T, c golden.Case) {
		config, err := parseCLIPText(readFile(t, c.Dir+"/config.json"))
		if err != nil {
			t.Fatal(err)
		}
		config.Workers = 2
		n, err := NewCLIPText(config)
		if err != nil {
			t.Fatal(err)
		}
		tensors, io := golden.Safetensors(t, c.Dir+"/weights.safetensors"), golden.Safetensors(t, c.Dir+"/io.safetensors")
		delete(tensors, "text_model.embeddings.position_ids")
		fillParams(t, n, tensors)
		ids, want := io["in.input_ids"], io["out.last_hidden_state"]
		out := tensor.New(want.Shape[0], want.Shape[1:]...)
		if err := n.Encode(t.Context(), out, ids.Ints()); err != nil {
			t.Fatal(err)
		}
		c.Check(t, "out.last_hidden_state", out.Data, want)
		checkHidden(t, c, n, ids, io)
		long := make([]int, config.Positions+1)
		if err := n.Encode(t.Context(), tensor.New(1, len(long), config.Width), long); err == nil {
			t.Errorf("encoded %d tokens at %d positions without an error", len(long), config.Positions)
		}
		if err := n.Encode(t.Context(), tensor.New(1, 1, config.Width), []int{config.Vocabulary}); err == nil {
			t.Errorf("encoded token %d of a vocabulary of %d without an error", config.Vocabulary, config.Vocabulary)
		}
	})
}

// checkHidden compares the hidden states of the first two texts.
func checkHidden(t *testing.T, c golden.Case, n *CLIPText, ids golden.Array, io map[string]golden.Array) {
	t.Helper()
	stages := map[string]golden.Array{}
	named := c
	named.Tolerances = map[string]golden.Tolerance{}
	for name, v := range io {
		if strings.HasPrefix(name, "out.hidden.") {
			stage := "out.act." + strings.TrimPrefix(name, "out.")
			stages[stage], named.Tolerances[stage] = v, c.Tolerances[name]
		}
	}
	rows := ids.Shape[1]
	b := bindings{samples: 2, size: extent{rows: rows}, ids: ids.Ints()[:2*rows], out: [ports][]float32{make([]float32, 2*rows*n.config.Width)}}
	checkActivations(t, named, &n.engine, b, stages)
}

func TestCLIPVisionAgainstPublished(t *testing.T) {
	imageCases(t, "clip_vision", func(t *testing.T, c golden.Case) {
		config, err := parseCLIPVision(readFile(t, c.Dir+"/config.json"))
		if err != nil {
			t.Fatal(err)
		}
		config.Workers = 2
		io := golden.Safetensors(t, c.Dir+"/io.safetensors")
		x, want := asBatch(t, io["in.pixel_values"]), io["out.image_embeds"]
		for _, file := range []string{"weights.safetensors", "weights_openai_names.safetensors"} {
			n, err := NewCLIPVision(config)
			if err != nil {
				t.Fatal(err)
			}
			fillVision(t, n, golden.Safetensors(t, c.Dir+"/"+file))
			out := tensor.New(x.N, config.Projection)
			if err := n.Apply(t.Context(), out, x); err != nil {
				t.Fatal(err)
			}
			c.Check(t, "out.image_embeds", out.Data, want)
		}
	})
}

// fillVision gives the parameters the values of a file with either names.
func fillVision(t *testing.T, n *CLIPVision, tensors map[string]golden.Array) {
	t.Helper()
	delete(tensors, "vision_model.embeddings.position_ids")
	if _, ok := tensors["visual.proj"]; !ok {
		fillParams(t, n, tensors)
		return
	}
	used := map[string]bool{}
	for _, p := range n.Params() {
		s := n.OpenAIVision(p)
		v, ok := tensors[s.Name]
		if !ok {
			t.Fatalf("no tensor %s for %s", s.Name, p.Name)
		}
		s.Read(p, v.Data)
		used[s.Name] = true
	}
	if len(used) != len(tensors) {
		t.Fatalf("%d of %d tensors are used", len(used), len(tensors))
	}
	n.Refresh()
}
