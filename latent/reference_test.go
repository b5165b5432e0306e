package latent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// standIn is the network of the reference's chains,
// p_j = tanh(0.9 u_j + 0.3 u_(j+1)) + 0.2 cos(t/160 + 0.37 j).
type standIn struct {
	shape tensor.Shape
	kind  schedule.Kind
	at    *float64 // a real timestep instead of what it is called with
}

func (m standIn) Shape() tensor.Shape { return m.shape }
func (m standIn) Kind() schedule.Kind { return m.kind }

func (m standIn) At(t float64) denoise.Denoiser {
	m.at = &t
	return m
}

func (m standIn) Predict(_ context.Context, dst, x tensor.Batch, timestep int) error {
	t := float64(timestep)
	if m.at != nil {
		t = *m.at
	}
	for r := range x.N {
		u, p := x.Sample(r), dst.Sample(r)
		for j := range u {
			p[j] = float32(math.Tanh(0.9*float64(u[j])+0.3*float64(u[(j+1)%len(u)])) + 0.2*math.Cos(t/160+0.37*float64(j)))
		}
	}
	return nil
}

// chain is a sampler of the reference as its scheduler was configured.
type chain struct {
	Name, Class string
	Steps       int
	Config      map[string]any
	Step        struct {
		Eta   float64
		Churn float64 `json:"s_churn"`
	}
}

// followsItsGrid reports whether the reference steps to the timestep that it visits next, as we do, and has
// no option that files do not have.
func (c chain) followsItsGrid() bool {
	slips := c.Name == "ddim_trailing_uneven" || c.Name == "ddim_linspace"
	return !slips && c.Step.Churn == 0 && c.Class != "FlowMatchEulerDiscreteScheduler"
}

// TestFilesAreSampledAsByTheReference writes the configurations of the reference's chains as files of
// their classes, reads them, and compares where the chains end.
func TestFilesAreSampledAsByTheReference(t *testing.T) {
	c := golden.Cases(t, "../testdata/samplers", func(n string) bool { return n == "samplers" })[0]
	io := golden.Safetensors(t, c.Dir+"/io.safetensors")
	var file struct {
		Shape []int
		Cases []chain
	}
	if err := json.Unmarshal(read(t, c.Dir+"/cases.json"), &file); err != nil {
		t.Fatal(err)
	}
	for _, of := range file.Cases {
		if of.followsItsGrid() {
			t.Run(of.Name, func(t *testing.T) { of.run(t, c, io, file.Shape) })
		}
	}
}

func (c chain) run(t *testing.T, of golden.Case, io map[string]golden.Array, shape []int) {
	c.Config["_class_name"] = c.Class
	n := must(ParseNoise(must(json.Marshal(c.Config))(t)))(t)
	d := must((&Model{Noise: n}).Dynamics(Sampler{Steps: c.Steps, Method: Published, Eta: c.Step.Eta}))(t)
	p := pcd.Problem{Variables: []pcd.Variable{{Model: standIn{shape: shape[1:], kind: n.Prediction}}}, Dynamics: d}
	result, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: shape[0], ChunkSize: shape[0],
		Noise: given{io["in."+c.Name+".start"].Data, io["in."+c.Name+".noise"].Data}})
	if err != nil {
		t.Fatal(err)
	}
	name := "out." + c.Name + ".x"
	x, want, tolerance := result.Samples[0].Data, io[name], of.Tolerances[name]
	if e, ok := d.(pcd.Euler); ok && c.Class == "EulerDiscreteScheduler" { // whose states are over the signal
		for j := range x {
			x[j] /= float32(e.Grid.To(e.Grid.Len() - 1).Signal)
		}
	}
	if tolerance.PerCall != nil {
		tolerance.Abs = tolerance.PerCall[len(tolerance.PerCall)-1]
	}
	golden.Close(t, name, x, want.Data[len(want.Data)-len(x):], tolerance.Abs, tolerance.Rel)
}

// TestDDIMIsEulerOfItsGrid compares both ways to sample by DDIM, of which the reference's chains know
// the one over grids: over timesteps with and without an offset, to the clean sample and to the level of
// timestep 0, which may be that of the last step itself.
func TestDDIMIsEulerOfItsGrid(t *testing.T) {
	for _, spacing := range []string{"leading", "linspace", "trailing"} {
		for _, offset := range []int{0, 1, 7} {
			for _, one := range []bool{false, true} {
				for _, steps := range []int{2, 5, 20, 100} {
					text := fmt.Sprintf(`{"_class_name": "DDIMScheduler", "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "clip_sample": false,
						"timestep_spacing": %q, "steps_offset": %d, "set_alpha_to_one": %v}`, spacing, offset, one)
					m := &Model{Noise: must(ParseNoise([]byte(text)))(t)}
					d := must(m.Dynamics(Sampler{Steps: steps, Method: "ddim", Eta: 0.5}))(t).(pcd.DDIM)
					c := must(m.Noise.file.as("DDIMScheduler"))(t)
					e := pcd.Euler{Grid: must(m.Noise.Schedule.Grid(c.grid(steps, "ddim")))(t), Eta: 0.5}
					for i := range steps {
						for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.V} {
							a, b := d.Transition(i, kind), e.Transition(i, kind)
							got := []float64{float64(a.Timestep), a.Mean.Estimate, a.Mean.State, a.Mean.Prediction, a.Std, a.PredictionRate}
							want := []float64{float64(b.Timestep), b.Mean.Estimate, b.Mean.State, b.Mean.Prediction, b.Std, b.PredictionRate}
							golden.Close(t, fmt.Sprintf("step %d of %d, %s, offset %d, set_alpha_to_one %v", i, steps, spacing, offset, one), got, want, 1e-7, 1e-6)
						}
					}
				}
			}
		}
	}
}
