package nav2d_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
)

func publishedTrials(t *testing.T, m *nav2d.Map, robots int) []nav2d.Trial {
	t.Helper()
	trials, err := nav2d.Trials(m, robots, 100, nav2d.PublishedSeed)
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

func coordinates(points []geom.Vec2) (out []float64) {
	for _, p := range points {
		out = append(out, p.X, p.Y)
	}
	return out
}

func TestTrialsAgainstReference(t *testing.T) {
	a := golden.Open(t, "testdata/trials_seed18.npz")
	for _, m := range nav2d.Maps() {
		for _, robots := range []int{2, 4} {
			var starts, goals []float64
			for _, trial := range publishedTrials(t, m, robots)[:10] {
				starts = append(starts, coordinates(trial.Starts)...)
				goals = append(goals, coordinates(trial.Goals)...)
			}
			id := fmt.Sprintf("%s_N%d", m.Name, robots)
			golden.Close(t, "starts_"+id, starts, a.Float64("starts_"+id), 1e-6, 0)
			golden.Close(t, "goals_"+id, goals, a.Float64("goals_"+id), 1e-6, 0)
		}
	}
}

// The last trial hangs on every accept decision before it.
func TestLastTrials(t *testing.T) {
	for _, c := range []struct {
		m             *nav2d.Map
		robots        int
		starts, goals []float64
	}{
		{nav2d.Empty(), 2, []float64{-0.82536, 0.73022, -0.71553, -0.53787}, []float64{-0.28263, 0.33605, -0.20495, -0.91124}},
		{nav2d.Highways(), 4, []float64{0.78527, 0.3937, -0.79274, -0.62493, -0.4304, 0.84441, 0.38249, 0.76019},
			[]float64{-0.72605, 0.43926, 0.06082, -0.39246, 0.03716, 0.39951, -0.61162, -0.43648}},
		{nav2d.Conveyor(), 4, []float64{0.80043, 0.08348, -0.87803, -0.52383, -0.23593, -0.76109, 0.31314, -0.85478},
			[]float64{0.66317, 0.66831, -0.49207, 0.92002, 0.2769, 0.82695, -0.83929, 0.05965}},
		{nav2d.DropRegion(), 2, []float64{-0.33841, -0.94802, 0.8494, -0.01468}, []float64{0.31814, 0.86842, -0.53869, -0.9435}},
	} {
		last := publishedTrials(t, c.m, c.robots)[99]
		golden.Close(t, c.m.Name+" starts", coordinates(last.Starts), c.starts, 5e-6, 0)
		golden.Close(t, c.m.Name+" goals", coordinates(last.Goals), c.goals, 5e-6, 0)
	}
}

// Robots that drive straight at 0.05 per step and then wait are clear of each
// other in 92 and 60 of the 100 trials on the empty map; the published rates of
// the unguided model are 92 and 65.
func TestStraightMotionOnPublishedTrials(t *testing.T) {
	for robots, want := range map[int]int{2: 92, 4: 60} {
		clear := 0
		for _, trial := range publishedTrials(t, nav2d.Empty(), robots) {
			if straightMotionIsClear(trial) {
				clear++
			}
		}
		if clear != want {
			t.Errorf("%d robots: %d of 100 trials are clear, want %d", robots, clear, want)
		}
	}
}

func straightMotionIsClear(trial nav2d.Trial) bool {
	at := func(i, h int) geom.Vec2 {
		d := trial.Starts[i].Dist(trial.Goals[i])
		return trial.Starts[i].Lerp(trial.Goals[i], min(0.05*float64(h)/d, 1))
	}
	for h := range nav2d.Waypoints {
		for i := range trial.Starts {
			for j := range i {
				if at(i, h).Dist(at(j, h)) < 2*nav2d.RobotRadius {
					return false
				}
			}
		}
	}
	return true
}

func TestTrialsKeepMargins(t *testing.T) {
	for _, m := range nav2d.Maps() {
		trials, err := nav2d.Trials(m, 6, 20, 7)
		if err != nil {
			t.Fatal(err)
		}
		longer, err := nav2d.Trials(m, 6, 30, 7)
		if err != nil {
			t.Fatal(err)
		}
		for i, trial := range trials {
			if trial.Starts[5] != longer[i].Starts[5] || trial.Goals[0] != longer[i].Goals[0] {
				t.Fatalf("%s: trial %d changes with the number of trials", m.Name, i)
			}
			for a, p := range trial.Goals {
				if d, _ := m.Clearance(p); d < m.Margins.Obstacles-0.006 || math.Abs(p.X) > 0.95 || math.Abs(p.Y) > 0.95 {
					t.Errorf("%s: goal %v has clearance %v", m.Name, p, d)
				}
				for b := range a {
					if d := p.Dist(trial.Goals[b]); d <= 0.2 {
						t.Errorf("%s: goals %d and %d are %v apart", m.Name, a, b, d)
					}
				}
			}
		}
	}
}

func TestTrialsWithoutRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("only the drawing of demonstrations has goroutines, which another test watches")
	}
	full := nav2d.NewMap("full", geom.Box{Min: geom.Vec2{X: -0.2, Y: -0.2}, Max: geom.Vec2{X: 0.2, Y: 0.2}}, nil, nil)
	_, err := nav2d.Trials(full, 12, 1, 1)
	var crowded *nav2d.CrowdedError
	if !errors.As(err, &crowded) || crowded.Kind != "start" || crowded.Robot < 2 {
		t.Errorf("Trials(12 robots in 0.4 x 0.4) = %v, want a CrowdedError", err)
	}
	var option *nav2d.OptionError
	if _, err := nav2d.Trials(full, -1, 1, 1); !errors.As(err, &option) || option.Name != "robots" {
		t.Errorf("Trials(-1 robots) = %v, want an OptionError", err)
	}
	if _, err := nav2d.Trials(full, 1, -1, 1); !errors.As(err, &option) || option.Name != "count" {
		t.Errorf("Trials(-1 trials) = %v, want an OptionError", err)
	}
}
