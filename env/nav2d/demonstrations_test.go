package nav2d_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
)

func generate(t *testing.T, m *nav2d.Map, opts nav2d.DemonstrationOptions) nav2d.Demonstrations {
	t.Helper()
	d, err := nav2d.Generate(context.Background(), m, opts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDemonstrationsAreFreeAndAdherent(t *testing.T) {
	if testing.Short() {
		t.Skip("only the drawing of demonstrations has goroutines, which another test watches")
	}
	for _, m := range nav2d.Maps() {
		t.Run(m.Name, func(t *testing.T) {
			d := generate(t, m, nav2d.DemonstrationOptions{Seed: 3, Contexts: 100, PerContext: 2})
			if d.Report.Trajectories < 195 || d.Report.Free != 1 || d.Report.Adherence != 1 {
				t.Errorf("report = %+v, want nearly all of 200 trajectories, free and adherent", d.Report)
			}
			for k, number := range d.Contexts {
				sample := d.Trajectories.Sample(k)
				path := geom.Points(nil, sample, nav2d.Channels)
				checkMotion(t, m, path, sample)
				if k > 0 && number == d.Contexts[k-1] {
					before := geom.Points(nil, d.Trajectories.Sample(k-1), nav2d.Channels)
					if path[0] != before[0] || path[len(path)-1] != before[len(before)-1] {
						t.Errorf("trajectories %d and %d of context %d have different ends", k-1, k, number)
					}
				}
			}
		})
	}
}

// checkMotion checks what a trained model relies on: the area, the clearance,
// rest at the end, and velocities that fit the positions.
func checkMotion(t *testing.T, m *nav2d.Map, path []geom.Vec2, sample []float32) {
	t.Helper()
	_, line := m.Pattern.(nav2d.Straight)
	last := len(path) - 1
	for h, p := range path {
		clearance, _ := m.Clearance(p)
		if clearance < m.PlanningMargin-0.015 || math.Abs(p.X) > 0.985 || math.Abs(p.Y) > 0.985 {
			t.Errorf("waypoint %d at %v has clearance %v", h, p, clearance)
		}
		v := geom.Vec2{X: float64(sample[4*h+2]), Y: float64(sample[4*h+3])}
		switch {
		case line && h < last:
			if v.Dist(path[h+1].Sub(p)) > 1e-6 {
				t.Errorf("velocity %d = %v, want the difference %v", h, v, path[h+1].Sub(p))
			}
		case h == last || h == 0:
			if v != (geom.Vec2{}) {
				t.Errorf("velocity at the end = %v, want rest", v)
			}
		default:
			if mean := path[h+1].Sub(path[h-1]).Scale(1 / (2 * nav2d.Step)); v.Dist(mean) > 0.6 {
				t.Errorf("velocity %d = %v, but positions change by %v per second", h, v, mean)
			}
		}
	}
}

func TestDemonstrationsDoNotDependOnWorkersOrRange(t *testing.T) {
	maps := nav2d.Maps()
	if testing.Short() { // goroutines do the same in all
		maps = maps[:1]
	}
	for _, m := range maps {
		whole := generate(t, m, nav2d.DemonstrationOptions{Seed: 5, Contexts: 12, PerContext: 2, Workers: 1})
		first := generate(t, m, nav2d.DemonstrationOptions{Seed: 5, Contexts: 7, PerContext: 2, Workers: 3})
		second := generate(t, m, nav2d.DemonstrationOptions{Seed: 5, First: 7, Contexts: 5, PerContext: 2, Workers: 5})
		if !slices.Equal(whole.Trajectories.Data, slices.Concat(first.Trajectories.Data, second.Trajectories.Data)) ||
			!slices.Equal(whole.Contexts, slices.Concat(first.Contexts, second.Contexts)) {
			t.Errorf("%s: two ranges by several workers differ from one range by one worker", m.Name)
		}
		other := generate(t, m, nav2d.DemonstrationOptions{Seed: 6, Contexts: 12, PerContext: 2})
		if slices.Equal(whole.Trajectories.Data, other.Trajectories.Data) {
			t.Errorf("%s: seeds 5 and 6 give the same trajectories", m.Name)
		}
	}
}

// The speed limits of the published tables are quantiles of the speeds in the
// data their models were trained on; ours are to be comparable.
func TestSpeedsResemblePublishedLimits(t *testing.T) {
	t.Parallel()
	all := map[string]map[float64]float64{
		"empty":      {0.75: 0.675, 0.9: 0.692, 0.95: 0.703},
		"highways":   {0.8: 0.647, 0.9: 0.781, 0.95: 0.878},
		"conveyor":   {0.85: 1.21, 0.9: 1.46, 0.95: 1.76},
		"dropregion": {0.85: 0.928, 0.9: 1.13, 0.95: 1.34},
	}
	for name, limits := range thorough.Named(all, "empty") {
		m, err := nav2d.MapByName(name)
		if err != nil {
			t.Fatal(err)
		}
		r := generate(t, m, nav2d.DemonstrationOptions{Contexts: 200}).Report
		for q, want := range limits {
			if got := r.Speed.Quantiles[slices.Index(nav2d.Quantiles[:], q)]; math.Abs(got/want-1) > 0.15 {
				t.Errorf("%s: %g %% speed quantile = %.3f, published limit %.3f", name, 100*q, got, want)
			}
		}
	}
}

func TestDemonstrationsOfMapWithoutPattern(t *testing.T) {
	wall := geom.RoundedBox{Center: geom.Vec2{X: 0, Y: 0.3}, Size: geom.Vec2{X: 0.2, Y: 1.4}}
	m := nav2d.NewMap("wall", geom.Box{Min: geom.Vec2{X: -1, Y: -1}, Max: geom.Vec2{X: 1, Y: 1}}, geom.Union{wall}, nil)
	d := generate(t, m, nav2d.DemonstrationOptions{Contexts: 60, PerContext: 1})
	if d.Report.Trajectories < 58 || d.Report.Free != 1 {
		t.Errorf("report = %+v, want about 60 free trajectories", d.Report)
	}
}

func TestGenerateStopsAndRefuses(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	_, err := nav2d.Generate(ctx, nav2d.Highways(), nav2d.DemonstrationOptions{Contexts: 100_000, Workers: 2}, func(done, total int) {
		if calls++; calls == 3 {
			cancel()
		}
		if done != calls || total != 100_000 {
			t.Errorf("progress(%d, %d) at call %d", done, total, calls)
		}
	})
	if !errors.Is(err, context.Canceled) || calls > 100 {
		t.Errorf("cancelled Generate = %v after %d contexts", err, calls)
	}
	var option *nav2d.OptionError
	_, err = nav2d.Generate(context.Background(), nav2d.Empty(), nav2d.DemonstrationOptions{First: -1}, nil)
	if !errors.As(err, &option) || option.Name != "First" {
		t.Errorf("Generate(First: -1) = %v, want an OptionError", err)
	}
	full := nav2d.NewMap("full", nav2d.Empty().Bounds, geom.Union{geom.Circle{Radius: 2}}, nil)
	var crowded *nav2d.CrowdedError
	_, err = nav2d.Generate(context.Background(), full, nav2d.DemonstrationOptions{Contexts: 1}, nil)
	if !errors.As(err, &crowded) {
		t.Errorf("Generate on a full map = %v, want a CrowdedError", err)
	}
}

func TestStraightDemonstration(t *testing.T) {
	sample := make([]float32, nav2d.Waypoints*nav2d.Channels)
	for _, c := range []struct {
		distance float64
		steps    int
	}{
		{1.02, 19}, // the published rule: floor(1.02/0.05) - 1
		{2.61, 51},
		{0.52, 10}, // no step above 0.0525
		{0.01, 1},
		{0, 1},
		{9, 63}, // no room for more steps
	} {
		nav2d.Straight{}.Demonstrate(sample, geom.Vec2{X: -1}, geom.Vec2{X: -1 + c.distance})
		path := geom.Points(nil, sample, nav2d.Channels)
		for h, p := range path {
			want := -1 + c.distance*min(float64(h)/float64(c.steps), 1)
			if math.Abs(p.X-want) > 1e-6 || p.Y != 0 {
				t.Errorf("distance %v: waypoint %d = %v, want x = %v", c.distance, h, p, want)
			}
		}
	}
}

func TestDescribeNothing(t *testing.T) {
	d := nav2d.Demonstrations{}
	d.Trajectories.Shape = []int{nav2d.Waypoints, nav2d.Channels}
	if r := nav2d.Describe(nav2d.Empty(), d.Trajectories); r.Trajectories != 0 || r.Adherence != 0 {
		t.Errorf("Describe(no trajectories) = %+v", r)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, m := range nav2d.Maps() {
		b.Run(m.Name, func(b *testing.B) {
			for i := range b.N {
				opts := nav2d.DemonstrationOptions{First: i, Contexts: 1, Workers: 1}
				if _, err := nav2d.Generate(context.Background(), m, opts, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
