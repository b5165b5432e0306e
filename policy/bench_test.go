package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
)

// publishedFolder writes a policy of the published size with weights by formula.
func publishedFolder(b *testing.B) string {
	b.Helper()
	var list struct {
		Tensors []struct {
			Name  string
			Shape []int
		}
	}
	raw, err := os.ReadFile(goldenFolder + "/full_config_tensors.json")
	if err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		b.Fatal(err)
	}
	all := map[string]golden.Array{}
	for _, e := range list.Tensors {
		a := golden.Array{Shape: e.Shape, Data: golden.Weights(e.Name, 1, e.Shape...)}
		for i := range a.Data { // statistics: bounds apart, deviations above 0
			switch filepath.Ext(e.Name) {
			case ".max", ".std":
				a.Data[i] = 500
			case ".min", ".mean":
				a.Data[i] = 0
			}
		}
		all[e.Name] = a
	}
	h := copyOf(b, "b_cam")
	h.replace(configFile, `"shape":[3,64,72]`, `"shape":[3,96,96]`)
	h.replace(configFile, `"crop_shape":[60,57]`, `"crop_shape":[84,84]`)
	h.replace(configFile, `"down_dims":[16,32]`, `"down_dims":[512,1024,2048]`)
	h.replace(configFile, `"diffusion_step_embed_dim":16`, `"diffusion_step_embed_dim":128`)
	golden.WriteSafetensors(b, filepath.Join(h.dir, weightsFile), all)
	return h.dir
}

// BenchmarkPublishedSize loads the published policy and plans with DDIM in ten steps, in both
// precisions.
func BenchmarkPublishedSize(b *testing.B) {
	dir := publishedFolder(b)
	o := Observation{map[string][]float32{stateKey: {200, 300}}, map[string]Image{"observation.image": {96, 96, 3, make([]uint8, 3*96*96)}}}
	for i := range o.Images["observation.image"].Pix {
		o.Images["observation.image"].Pix[i] = uint8(i * 37 % 251)
	}
	for name, half := range map[string]bool{"float32": false, "half": true} {
		b.Run(name+"/load", func(b *testing.B) {
			for b.Loop() {
				open(b, dir, Options{Half: half})
			}
		})
		p := open(b, dir, Options{Half: half})
		b.Run(name+"/condition", func(b *testing.B) {
			for b.Loop() {
				if _, err := p.Condition(b.Context(), []Observation{o, o}); err != nil {
					b.Fatal(err)
				}
			}
		})
		condition, err := p.Condition(b.Context(), []Observation{o, o})
		if err != nil {
			b.Fatal(err)
		}
		for _, steps := range []int{1, 10} {
			b.Run(name+map[int]string{1: "/pass", 10: "/plan"}[steps], func(b *testing.B) {
				for b.Loop() {
					if _, err := p.Plan(b.Context(), condition, Sampling{Scheduler: "DDIM", Steps: steps}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
