package plan

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan/internal/mmd"
	"github.com/go-pcd/pcd/tensor"
)

// referenceConstraints returns the two hard objects and the soft one of the
// low-level vectors.
func referenceConstraints(g *golden.Archive) []mmd.Constraint {
	const r = 0.12
	soft := mmd.Constraint{Soft: true}
	for k, q := range geom.Points(nil, g.Float32("soft_centers"), 2) {
		soft.Disks = append(soft.Disks, mmd.Disk{Center: q, Radius: r, From: k + 1, To: k + 2})
	}
	return []mmd.Constraint{
		{Disks: []mmd.Disk{{Center: geom.Vec2{X: 0.5, Y: -0.44999998807907104}, Radius: r, From: 20, To: 40}}},
		{Disks: []mmd.Disk{{Center: geom.Vec2{X: -0.5, Y: 0.5}, Radius: r, From: 10, To: 30}, {Center: geom.Vec2{Y: 0.6000000238418579}, Radius: r, From: 30, To: 50}}},
		soft,
	}
}

// closeMost fails unless 99.5 % of the elements agree within 0.005.
func closeMost(t *testing.T, what string, got, want []float32) {
	t.Helper()
	bad := 0
	for i := range got {
		if d := float64(got[i] - want[i]); !(math.Abs(d) <= 5e-3) {
			bad++
		}
	}
	if len(got) != len(want) || bad > len(want)/200 {
		t.Errorf("%s: %d of %d elements differ by more than 0.005, want %d elements", what, bad, len(got), len(want))
	}
}

func TestReferenceLowLevel(t *testing.T) {
	g := golden.Open(t, "testdata/low_level.npz")
	team := TeamOfTrial(nav2d.Empty(), nav2d.Trial{
		Starts: geom.Points(nil, g.Float32("start"), 2), Goals: geom.Points(nil, g.Float32("goal"), 2),
	}, referenceModel(t, "empty"), 1)
	const samples = 4
	m := newMPD(team, Options{
		Samples: samples, Settings: settings(t, "mmd"),
		Noise: draws{rows: g.Float32("noise"), perDraw: samples, samples: samples},
	})
	b, err := m.Plan(context.Background(), mmd.Request{Constraints: referenceConstraints(g)})
	if err != nil {
		t.Fatal(err)
	}
	closeMost(t, "smoothed", b.States.Data, g.Float32("final_smoothed"))
	if want := g.Ints("free_indices"); !slices.Equal(b.Free, want) {
		t.Errorf("free samples %v, want %v", b.Free, want)
	}
	if want := g.Ints("best_index")[0]; b.Best != want {
		t.Errorf("best sample %d, want %d", b.Best, want)
	}

	// The costs, of the reference's own paths.
	before := g.Float32("final_before_smoothing")
	var lengths, changes []float64
	for k := range samples {
		s := before[k*64*channels : (k+1)*64*channels]
		lengths = append(lengths, geom.Length(geom.Points(nil, s, channels)))
		changes = append(changes, velocityChange(s))
	}
	golden.Close(t, "lengths", lengths, g.Float32("path_length"), 1e-3, 1e-5)
	golden.Close(t, "changes of velocity", changes, g.Float32("smoothness"), 1e-4, 1e-5)
}

// pairOnEmpty is two robots that cross on the empty map, with the random network.
func pairOnEmpty(t *testing.T) Team {
	t.Helper()
	return TeamOfTrial(nav2d.Empty(), nav2d.Trial{
		Starts: []geom.Vec2{{X: -0.5, Y: -0.5}, {X: 0.5, Y: -0.5}}, Goals: []geom.Vec2{{X: 0.5, Y: 0.5}, {X: -0.5, Y: 0.5}},
	}, referenceModel(t, "empty"), math.Inf(1))
}

// fourOnEmpty is four robots that cross. With the random network they wander over
// the map and are bound to meet.
func fourOnEmpty(t testing.TB) Team {
	t.Helper()
	return TeamOfTrial(nav2d.Empty(), nav2d.Trial{
		Starts: []geom.Vec2{{X: -0.5, Y: -0.5}, {X: 0.5, Y: -0.5}, {X: 0.5, Y: 0.5}, {X: -0.5, Y: 0.5}},
		Goals:  []geom.Vec2{{X: 0.5, Y: 0.5}, {X: -0.5, Y: 0.5}, {X: -0.5, Y: -0.5}, {X: 0.5, Y: -0.5}},
	}, referenceModel(t, "empty"), math.Inf(1))
}

func planOnce(t *testing.T, o Options, r mmd.Request) *mmd.Batch {
	t.Helper()
	b, err := newMPD(pairOnEmpty(t), o).Plan(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A path depends on the request alone: not on goroutines, not on what was planned
// before, and sample by sample not on the size of the batch.
func TestPlansDependOnTheRequestAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	o := Options{Samples: 5, Settings: settings(t, "paper"), Seed: 3, Workers: 1}
	want := planOnce(t, o, mmd.Request{Robot: 1, Replan: 2})
	o.Workers = 3
	if got := planOnce(t, o, mmd.Request{Robot: 1, Replan: 2}); !slices.Equal(got.States.Data, want.States.Data) {
		t.Error("plans differ between 1 and 3 goroutines")
	}
	o.Samples = 2
	if got := planOnce(t, o, mmd.Request{Robot: 1, Replan: 2}); !slices.Equal(got.States.Data, want.States.Data[:len(got.States.Data)]) {
		t.Error("plans differ between batches of 5 and of 2")
	}
	for _, other := range []mmd.Request{{Robot: 1, Replan: 3}, {Robot: 0, Replan: 2}} {
		if got := planOnce(t, o, other); slices.Equal(got.States.Data, want.States.Data[:len(got.States.Data)]) {
			t.Errorf("request %+v gives the plans of robot 1, replan 2", other)
		}
	}
}

// shiftLog records the addresses that a source is asked for.
type shiftLog struct {
	noise.Field
	asked map[noise.Address]bool
}

func (l shiftLog) Normal(dst []float32, size int, at noise.Address) {
	for k := range len(dst) / size {
		l.asked[noise.Address{Variable: at.Variable, Sample: at.Sample + k, Draw: at.Draw}] = true
	}
	l.Field.Normal(dst, size, at)
}

// Every replan has 26 draws of its own, the initial state and the steps.
func TestReplansShareNoNoise(t *testing.T) {
	log := shiftLog{noise.New(1), map[noise.Address]bool{}}
	m := newMPD(pairOnEmpty(t), Options{Samples: 2, Settings: settings(t, "paper"), Noise: log, Workers: 1})
	seen := 0
	for replan := range 3 {
		for robot := range 2 {
			if _, err := m.Plan(context.Background(), mmd.Request{Robot: robot, Replan: replan}); err != nil {
				t.Fatal(err)
			}
			const draws = 25 // the last step adds no noise
			if got := len(log.asked) - seen; got != 2*draws {
				t.Errorf("robot %d, replan %d: %d new draws, want %d", robot, replan, got, 2*draws)
			}
			seen = len(log.asked)
		}
	}
}

// lines is a batch of straight paths of a robot, at rest at both ends.
func lines(r Robot, samples int) *mmd.Batch {
	b := &mmd.Batch{States: tensor.New(samples, r.Model.Waypoints(), channels)}
	for k := range samples {
		for h := range r.Model.Waypoints() {
			p := r.Start.Lerp(r.Goal, float64(h)/float64(r.Model.Waypoints()-1))
			b.States.Sample(k)[h*channels], b.States.Sample(k)[h*channels+1] = float32(p.X), float32(p.Y)
		}
	}
	return b
}

// silence is a source of zeros.
type silence struct{}

func (silence) Normal(dst []float32, _ int, _ noise.Address) { clear(dst) }

// A warm start noises its seed to step 3 and undoes three steps. The noise level
// there is 0.03: in so few steps no network leaves the seed.
func TestWarmStartBeginsAtItsSeed(t *testing.T) {
	team := pairOnEmpty(t)
	r := mmd.Request{Robot: 1, Replan: 1, Seed: lines(team.Robots[1], 3)}
	m := newMPD(team, Options{Samples: 3, Settings: settings(t, "default"), Noise: silence{}})
	p, err := m.problem(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Dynamics.Steps(); got != 3 {
		t.Errorf("a warm start takes %d steps, want 3", got)
	}
	want := tensor.New(3, 64, channels)
	team.Robots[1].Model.Limits.Normalize(want, r.Seed.States)
	for i := range want.Data {
		want.Data[i] *= float32(math.Sqrt((1 - 1e-4) * (1 - 1.468e-4) * (1 - 2.154e-4) * (1 - 3.162e-4)))
	}
	golden.Close(t, "initial state without noise", p.Variables[0].Init.(pcd.Values).Data, want.Data, 1e-5, 0)

	m.noise = noise.New(7)
	b, err := m.Plan(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	for k := range b.States.N {
		path, line := b.Path(k), r.Seed.Path(k)
		if path[0] != line[0] || path[63] != line[63] {
			t.Errorf("sample %d goes from %v to %v, want from %v to %v", k, path[0], path[63], line[0], line[63])
		}
		for h := range path {
			if d := path[h].Dist(line[h]); d > 0.15 {
				t.Errorf("sample %d is %v from its seed at waypoint %d, want at most 0.15", k, d, h)
			}
		}
	}
}

func TestWarmSamplesStartFromTheirOwnSeed(t *testing.T) {
	team := pairOnEmpty(t)
	seed := lines(team.Robots[0], 2)
	for i := range seed.States.Sample(1) {
		seed.States.Sample(1)[i] /= 2
	}
	m := newMPD(team, Options{Samples: 2, Settings: settings(t, "default"), Noise: silence{}})
	b, err := m.Plan(context.Background(), mmd.Request{Replan: 1, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		if d := b.Path(k)[16].Dist(seed.Path(k)[16]); d > 0.15 {
			t.Errorf("sample %d is %v from its own seed, want at most 0.15", k, d)
		}
	}
}

// BenchmarkReplan is what an expansion does twice: a batch of the published size
// under two hard constraints and a soft one that holds three other paths.
func BenchmarkReplan(b *testing.B) {
	team := fourOnEmpty(b)
	var paths [][]geom.Vec2
	for _, r := range team.Robots {
		paths = append(paths, lines(r, 1).Path(0))
	}
	soft := mmd.Constraint{Soft: true}
	for _, path := range paths[1:] {
		for h := 1; h < len(path); h++ {
			soft.Disks = append(soft.Disks, mmd.Disk{Center: path[h], Radius: 0.12, From: h, To: h + 1})
		}
	}
	hard := mmd.Constraint{Disks: []mmd.Disk{{Radius: 0.12, From: 29, To: 33}}}
	seed := lines(team.Robots[0], DefaultSamples)
	m := newMPD(team, Options{Samples: DefaultSamples, Settings: presets()[0]})
	for _, c := range []struct {
		name string
		r    mmd.Request
	}{
		{"free", mmd.Request{}},
		{"constrained", mmd.Request{Constraints: []mmd.Constraint{hard, hard, soft}}},
		{"warm", mmd.Request{Constraints: []mmd.Constraint{hard, hard, soft}, Seed: seed}},
	} {
		b.Run(c.name, func(b *testing.B) {
			m.seconds = pcd.Seconds{}
			for range b.N {
				if _, err := m.Plan(context.Background(), c.r); err != nil {
					b.Fatal(err)
				}
			}
			s := m.seconds
			b.ReportMetric(100*s.Coupling/(s.Model+s.Coupling+s.Other), "%coupling")
		})
	}
}
