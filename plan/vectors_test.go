package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// together is the noise of a chain of two samples of one variable.
type together []float32

func (d together) Normal(dst []float32, size int, at noise.Address) {
	copy(dst, d[(2*at.Draw+at.Sample)*size:])
}

// Whole chains of one robot with both noise factors and both ends of the goal: every
// state of 25 steps.
func TestReferenceChains(t *testing.T) {
	inputs := golden.Open(t, "testdata/chain_inputs.npz")
	row := func(name string) tensor.Batch {
		b, err := tensor.Of(inputs.Float32(name), channels)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	model := referenceModel(t, "highways")
	for file, c := range map[string]struct {
		factor float64
		until  int // the last step after which the goal is written
	}{"ddpm_std1": {1, 0}, "ddpm_std05": {0.5, 0}, "pcd_vanilla": {0.5, 1}} {
		g := golden.Open(t, "testdata/chain_"+file+".npz")
		want := g.Float32("chain")
		p := pcd.Problem{
			Variables: []pcd.Variable{{Model: model.Net, Conditions: []pcd.Condition{
				{Values: row("start")},
				{Values: row("goal"), Offset: 63 * channels, Window: pcd.Window{From: c.until}},
			}}},
			Dynamics: pcd.DDPM{Schedule: model.schedule, Clip: 1, NoiseScale: c.factor},
		}
		size := 2 * 64 * channels
		follow := pcd.ObserverFunc(func(i pcd.StepInfo) error {
			golden.Close(t, fmt.Sprintf("%s after step %d", file, i.Step), i.Samples(0).Data, want[i.Done*size:(i.Done+1)*size], 1e-4, 0)
			return nil
		})
		r, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 2, Noise: together(inputs.Float32("noise")), Observer: follow})
		if err != nil {
			t.Fatal(err)
		}
		golden.Close(t, file+" in float64", r.Samples[0].Data, g.Float32("final_float64"), 1e-4, 0)
	}
}

// Every term of the guidance by itself: clipped per waypoint, zero at both ends, not
// yet weighted.
func TestReferenceGuideTerms(t *testing.T) {
	inputs := golden.Open(t, "testdata/guide_inputs.npz")
	for name := range referenceLimits {
		g := golden.Open(t, "testdata/guide_"+name+".npz")
		m, err := nav2d.MapByName(name)
		if err != nil {
			t.Fatal(err)
		}
		team := TeamOfTrial(m, nav2d.Trial{Starts: make([]geom.Vec2, 4), Goals: make([]geom.Vec2, 4)}, referenceModel(t, name), 1)
		mean := inputs.Float32("m_in_" + name)
		for cost, method := range map[string]Method{"lb": PCDLB, "shd": PCDSHD} {
			for array, coupling := range map[string]string{"coupling": "robots", "obstacle": "obstacles", "boundary": "boundary"} {
				array = fmt.Sprintf("clipped_%s_%s_N4_in", array, cost)
				if !slices.Contains(g.Names(), array) {
					continue // maps without such a term, or without the vectors
				}
				p, err := team.Problem(method, 1, settings(t, "mmd"))
				if err != nil {
					t.Fatal(err)
				}
				p.Couplings = slices.DeleteFunc(p.Couplings, func(c pcd.Coupling) bool { return c.Name != coupling })
				p.Couplings[0].Strength = -1 // what a step adds is the term
				got := guidanceOf(t, p, mean)
				golden.Close(t, name+" "+array, got, g.Float32(array), 1e-5, 1e-3)
			}
		}
	}
}

// Start and goal as states in normalised units, at rest.
func TestReferenceEnds(t *testing.T) {
	for _, file := range []string{"highways_N2_pcd_shd", "highways_N2_coupling_lb", "conveyor_N2_projected", "conveyor_N2_vanilla"} {
		g := golden.Open(t, "testdata/"+file+".npz")
		name, _, _ := strings.Cut(file, "_")
		team := referenceTeam(t, g, name, "", 1)
		var starts, goals []float32
		for _, r := range team.Robots {
			starts = append(starts, r.Model.state(r.Start).Data...)
			goals = append(goals, r.Model.state(r.Goal).Data...)
		}
		golden.Close(t, file+" starts", starts, g.Float32("hard_start"), 2e-6, 2e-6)
		golden.Close(t, file+" goals", goals, g.Float32("hard_goal"), 2e-6, 2e-6)
	}
}

// The first and the last point of paths as states of a model, at rest.
func TestReferenceEndsOfPaths(t *testing.T) {
	g := golden.Open(t, "../dataset/testdata/golden/limits.npz")
	for name := range referenceLimits {
		var m Model
		m.Limits = dataset.Limits{Min: g.Float32("mins_" + name), Max: g.Float32("maxs_" + name)}
		x := g.Float32("x_" + name)
		var starts, goals []float32
		for ; len(x) > 0; x = x[8*channels:] {
			path := geom.Points(nil, x[:8*channels], channels)
			starts = append(starts, m.state(path[0]).Data...)
			goals = append(goals, m.state(path[7]).Data...)
		}
		golden.Close(t, name+" starts", starts, g.Float32("hard_start_"+name), 2e-6, 2e-6)
		golden.Close(t, name+" goals", goals, g.Float32("hard_goal_"+name), 2e-6, 2e-6)
	}
}

// Five steps in their parts: posterior mean, guidance, noise and projection.
func TestReferenceBreakdown(t *testing.T) {
	g := golden.Open(t, "testdata/highways_N2_pcd_shd.npz")
	team := referenceTeam(t, g, "highways", "", 0.781)
	chain, robust := g.Float32("chain"), g.Ints("robust_step")
	means, guides := g.Float32("breakdown_posterior_mean"), g.Float32("breakdown_guide_xy")
	noisy, projected := g.Float32("breakdown_after_noise_xy"), g.Float32("breakdown_projected_xy")
	const rows, size = 8, 64 * channels
	for b, step := range g.Ints("breakdown_i") {
		k := 24 - step
		atol := 1e-4
		if step == 24 {
			atol = 5e-3 // the estimate multiplies by 4603 before it is clamped
		}
		part := func(change func(p *pcd.Problem)) []tensor.Batch {
			p, err := team.Problem(PCDSHD, 0.2, settings(t, "mmd"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range p.Variables {
				start, err := tensor.Of(chain[(k*rows+i*4)*size:(k*rows+i*4+4)*size], 64, channels)
				if err != nil {
					t.Fatal(err)
				}
				p.Variables[i].Init = pcd.Values(start)
			}
			change(&p)
			return oneStep(t, p, step, k)
		}
		mean := part(func(p *pcd.Problem) {
			p.Dynamics, p.Couplings, p.Constraints, p.BeforeNoise = silent{p.Dynamics}, nil, nil, nil
			for i := range p.Variables {
				p.Variables[i].Conditions = nil
			}
		})
		for i, x := range mean {
			golden.Close(t, fmt.Sprintf("step %d, mean of robot %d", step, i), x.Data, means[(b*rows+4*i)*size:(b*rows+4*i+4)*size], atol, 0)
		}
		guided := part(func(p *pcd.Problem) {
			p.Dynamics, p.Constraints, p.BeforeNoise = silent{p.Dynamics}, nil, nil
			for i := range p.Variables {
				p.Variables[i].Conditions = nil
			}
		})
		free := part(func(p *pcd.Problem) { p.Constraints = nil })
		held := part(func(*pcd.Problem) {})
		bad := 0
		for w := range rows * 64 {
			if robust[k*rows*64+w] == 0 {
				continue
			}
			i, h := w/64/4, w%64
			for c := range 2 {
				at := w%(4*64)*channels + c
				off := math.Abs(float64(guided[i].Data[at]-mean[i].Data[at]) - float64(guides[(b*rows*64+w)*2+c]))
				if h > 0 {
					row := ((b*rows+w/64)*63 + h - 1) * 2
					off = max(off, math.Abs(float64(held[i].Data[at]-projected[row+c])))
					if h < 63 { // the noise moves the goal before it is written again
						off = max(off, math.Abs(float64(free[i].Data[at]-noisy[row+c])))
					}
				}
				if off > atol && h < 63 {
					bad++
				}
			}
		}
		if bad > 0 {
			t.Errorf("step %d: %d positions differ by more than %g", step, bad, atol)
		}
	}
}

// silent is dynamics without noise.
type silent struct{ pcd.Dynamics }

func (s silent) Transition(i int, kind schedule.Kind) pcd.Transition {
	t := s.Dynamics.Transition(i, kind)
	t.Std = 0
	return t
}
