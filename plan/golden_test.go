package plan

import (
	"context"
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
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// The limits of the published data, as the reference vectors use them.
var referenceLimits = map[string]dataset.Limits{
	"empty": {
		Min: []float32{-0.9606975317, -0.9320806265, -0.0527713895, -0.0538499355},
		Max: []float32{0.9319950342, 0.9156301022, 0.052193284, 0.0530412197},
	},
	"dropregion": { // never published; a stand-in
		Min: []float32{-0.946875, -0.94375, -2.125, -2.0625},
		Max: []float32{0.9484375, 0.9421875, 2.09375, 2.109375},
	},
	"highways": {
		Min: []float32{-0.9752081037, -0.9752177, -1.2719300985, -1.284109354},
		Max: []float32{0.9752498269, 0.9752358794, 1.3063583374, 1.4049001932},
	},
	"conveyor": {
		Min: []float32{-0.9474023581, -0.9471709132, -3.2822318077, -2.0037760735},
		Max: []float32{0.9472891092, 0.9472224712, 3.4330654144, 2.0089559555},
	},
}

// referenceModel is the randomly initialised network of the reference vectors.
func referenceModel(t testing.TB, name string) *Model {
	t.Helper()
	sd, err := weights.Open("../nn/testdata/temporal_option0.safetensors", weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sd.Close()
	m, err := load("reference", Spec{Network: SmallNetwork, Schedule: PublishedSchedule, Limits: referenceLimits[name]}, sd,
		weights.KeyMap{weights.StripPrefix("model."), weights.DropOthers()})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// draws plays the recorded noise of the reference: row i·b+k of draw d is sample
// k of robot i.
type draws struct {
	rows    []float32 // [draw][row][64*4]
	perDraw int       // rows of a draw
	samples int
}

func (d draws) Normal(dst []float32, size int, at noise.Address) {
	first := at.Draw*d.perDraw + at.Variable*d.samples + at.Sample
	copy(dst, d.rows[first*size:])
}

func recordedDraws(t *testing.T) draws {
	t.Helper()
	return draws{rows: golden.Open(t, "testdata/noise.npz").Float32("noise"), perDraw: 16, samples: 4}
}

// referenceTeam reads starts and goals from a vector.
func referenceTeam(t *testing.T, g *golden.Archive, mapName, suffix string, limit float64) Team {
	t.Helper()
	m, err := nav2d.MapByName(mapName)
	if err != nil {
		t.Fatal(err)
	}
	return TeamOfTrial(m, nav2d.Trial{
		Starts: geom.Points(nil, g.Float32("start"+suffix), 2), Goals: geom.Points(nil, g.Float32("goal"+suffix), 2),
	}, referenceModel(t, mapName), limit)
}

func settings(t *testing.T, name string) Settings {
	t.Helper()
	s, err := SettingsByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// compareRobust compares positions and velocities at the waypoints where the
// reference itself is stable; 99.5 % of them have to agree.
func compareRobust(t *testing.T, what string, got []tensor.Batch, want []float32, robust []int) {
	t.Helper()
	var flat []float32
	for _, b := range got {
		flat = append(flat, b.Data...)
	}
	bad, n := 0, 0
	for w, ok := range robust {
		if ok == 0 {
			continue
		}
		n++
		for c := range channels {
			if math.Abs(float64(flat[w*channels+c]-want[w*channels+c])) > 5e-3 {
				bad++
				break
			}
		}
	}
	if bad > n/200 {
		t.Errorf("%s: %d of %d stable waypoints differ by more than 0.005", what, bad, n)
	}
}

// The randomly initialised network wanders through obstacles, so the teams of the
// vectors would be refused; this samples without the checks of Run.
func sampleReference(t *testing.T, team Team, m Method, gamma float64, s Settings) []tensor.Batch {
	t.Helper()
	p, err := team.Problem(m, gamma, s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 4, ChunkSize: 4, Noise: recordedDraws(t)})
	if err != nil {
		t.Fatal(err)
	}
	return r.Samples
}

func TestReferenceLoops(t *testing.T) {
	t.Parallel()
	g := golden.Open(t, "testdata/final.npz")
	for _, name := range []string{"highways", "conveyor"} {
		limit := map[string]float64{"highways": 0.781, "conveyor": 1.46}[name]
		for _, n := range thorough.Part([]int{2, 4}, 1) {
			for _, c := range []struct {
				cost   string
				method Method
				gamma  float64
			}{{"lb", PCDLB, 0.02}, {"shd", PCDSHD, 0.2}} {
				id := fmt.Sprintf("_%s_N%d_%s", name, n, c.cost)
				team := referenceTeam(t, g, name, id, limit)
				x := sampleReference(t, team, c.method, c.gamma, settings(t, "mmd"))
				robust := g.Ints("robust" + id)
				compareRobust(t, "normalised"+id, x, g.Float32("final_normalised"+id), robust)
				rule := batchRule(x)
				for i, r := range team.Robots {
					r.Model.Limits.Unnormalize(x[i], x[i], rule)
				}
				compareRobust(t, "map units"+id, x, g.Float32("final_unnormalised"+id), robust)
			}
		}
	}
}

func TestReferenceVariants(t *testing.T) {
	for file, c := range map[string]struct {
		method Method
		gamma  float64
		limit  float64
	}{
		"highways_N2_coupling_lb": {CDLB, 0.02, 0.781},
		"conveyor_N2_projected":   {DiffuserProj, 0, 1.46},
		"conveyor_N2_vanilla":     {Diffuser, 0, 1.46},
	} {
		g := golden.Open(t, "testdata/"+file+".npz")
		name, _, _ := strings.Cut(file, "_")
		team := referenceTeam(t, g, name, "", c.limit)
		x := sampleReference(t, team, c.method, c.gamma, settings(t, "mmd"))
		compareRobust(t, file, x, g.Float32("final_normalised"), g.Ints("robust_final"))
		rule := batchRule(x)
		for i, r := range team.Robots {
			r.Model.Limits.Unnormalize(x[i], x[i], rule)
		}
		compareRobust(t, file+" in map units", x, g.Float32("final_unnormalised"), g.Ints("robust_final"))
	}
}

// The whole chain whose steps are compared below, to its end. Unlike those of the variants
// all of its stable waypoints have to agree.
func TestReferenceChain(t *testing.T) {
	g := golden.Open(t, "testdata/highways_N2_pcd_shd.npz")
	team := referenceTeam(t, g, "highways", "", 0.781)
	x := sampleReference(t, team, PCDSHD, 0.2, settings(t, "mmd"))
	rule := batchRule(x)
	for i, r := range team.Robots {
		r.Model.Limits.Unnormalize(x[i], x[i], rule)
	}
	got, want := slices.Concat(x[0].Data, x[1].Data), g.Float32("final_unnormalised")
	for w, ok := range g.Ints("robust_final") {
		if ok == 1 {
			golden.Close(t, fmt.Sprintf("waypoint %d", w), got[w*channels:(w+1)*channels], want[w*channels:(w+1)*channels], 5e-3, 0)
		}
	}
}

// Every single step of one run, from the reference's own state before it.
func TestReferenceSteps(t *testing.T) {
	g := golden.Open(t, "testdata/highways_N2_pcd_shd.npz")
	team := referenceTeam(t, g, "highways", "", 0.781)
	chain, robust, iterations := g.Float32("chain"), g.Ints("robust_step"), g.Ints("admm_iterations")
	const rows, size = 8, 64 * channels
	for k := range 25 {
		step := 24 - k
		p, err := team.Problem(PCDSHD, 0.2, settings(t, "mmd"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Variables {
			at := (k*rows + i*4) * size
			start, err := tensor.Of(chain[at:at+4*size], 64, channels)
			if err != nil {
				t.Fatal(err)
			}
			p.Variables[i].Init = pcd.Values(start)
		}
		r := stepResult(t, p, step, k)
		got := r.Samples
		if n := r.JointProjections[0].MaxIterations; n != iterations[k] {
			t.Errorf("step %d: %d iterations of the projection, want %d", step, n, iterations[k])
		}
		atol := 1e-4
		if step == 24 {
			atol = 5e-3 // the estimate multiplies by 4603 before it is clamped
		}
		bad := 0
		want := chain[(k+1)*rows*size:]
		for w := range rows * 64 {
			if robust[k*rows*64+w] == 0 {
				continue
			}
			for c := range channels {
				b := got[w/64/4]
				if math.Abs(float64(b.Data[w%(4*64)*channels+c]-want[w*channels+c])) > atol {
					bad++
				}
			}
		}
		if bad > 0 {
			t.Errorf("step %d: %d numbers differ by more than %g", step, bad, atol)
		}
	}
}

// oneStep runs step i alone with the noise of draw 1+k.
func oneStep(t *testing.T, p pcd.Problem, i, k int) []tensor.Batch {
	t.Helper()
	return stepResult(t, p, i, k).Samples
}

func stepResult(t *testing.T, p pcd.Problem, i, k int) *pcd.Result {
	t.Helper()
	p.Dynamics = single{p.Dynamics, i}
	for v := range p.Variables {
		held := &p.Variables[v].Conditions
		*held = slices.DeleteFunc(slices.Clone(*held), func(c pcd.Condition) bool { return i < c.Window.From }) // the goal, at the last step
		for c := range *held {
			(*held)[c].Window.From = 0
		}
	}
	d := recordedDraws(t)
	d.rows = d.rows[k*d.perDraw*64*channels:]
	r, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 4, ChunkSize: 4, Noise: d})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// single is one step of other dynamics.
type single struct {
	pcd.Dynamics
	i int
}

func (s single) Steps() int { return 1 }

func (s single) Transition(_ int, kind schedule.Kind) pcd.Transition {
	return s.Dynamics.Transition(s.i, kind)
}

// The complete guidance, coupling and obstacles and boundary, for given means.
func TestReferenceGuidance(t *testing.T) {
	inputs := golden.Open(t, "testdata/guide_inputs.npz")
	for name := range referenceLimits {
		g := golden.Open(t, "testdata/guide_"+name+".npz")
		m, err := nav2d.MapByName(name)
		if err != nil {
			t.Fatal(err)
		}
		model := referenceModel(t, name)
		for _, n := range []int{2, 3, 4} {
			for _, c := range []struct {
				cost   string
				method Method
				gamma  float64
			}{{"lb", PCDLB, 0.02}, {"shd", PCDSHD, 0.2}} {
				for _, input := range []string{"in", "out"} {
					if n == 3 && input == "out" {
						continue // not among the vectors
					}
					what := fmt.Sprintf("guide_%s_N%d_%s", c.cost, n, input)
					team := TeamOfTrial(m, nav2d.Trial{Starts: make([]geom.Vec2, n), Goals: make([]geom.Vec2, n)}, model, 1)
					got := guidance(t, team, c.method, c.gamma, inputs.Float32("m_" + input + "_" + name)[:n*2*64*channels])
					golden.Close(t, name+" "+what, got, g.Float32(what), 1e-5, 1e-3)
				}
			}
		}
	}
}

// guidance returns what the couplings of a problem add to the positions of given
// means of 2 samples per robot: the difference that they make to a step whose
// mean is the state.
func guidance(t *testing.T, team Team, m Method, gamma float64, mean []float32) []float32 {
	t.Helper()
	p, err := team.Problem(m, gamma, settings(t, "mmd"))
	if err != nil {
		t.Fatal(err)
	}
	return guidanceOf(t, p, mean)
}

// guidanceOf is guidance for the couplings of a problem.
func guidanceOf(t *testing.T, p pcd.Problem, mean []float32) []float32 {
	t.Helper()
	p.Dynamics, p.Constraints, p.BeforeNoise = still{p.Dynamics}, nil, nil
	for i := range p.Variables {
		b, err := tensor.Of(mean[i*2*64*channels:(i+1)*2*64*channels], 64, channels)
		if err != nil {
			t.Fatal(err)
		}
		p.Variables[i].Init, p.Variables[i].Conditions = pcd.Values(b), nil
	}
	r, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 2, ChunkSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	var out []float32
	for i, b := range r.Samples {
		for j, v := range b.Data {
			if j%channels < 2 {
				out = append(out, v-mean[i*2*64*channels+j])
			}
		}
	}
	return out
}

// still is one step that leaves the state where it is.
type still struct{ pcd.Dynamics }

func (still) Steps() int { return 1 }

func (s still) Transition(i int, kind schedule.Kind) (t pcd.Transition) {
	t.Timestep = pcd.Timestep(s.Dynamics, i)
	t.Mean.State = 1
	return t
}
