package plan_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// crowdOnCells returns a team on a grid of 20 by 20 cells with shelves, in which robots change
// places by chance.
func crowdOnCells(t *testing.T, robots int, keys string) plan.Team {
	t.Helper()
	draw := rand.New(rand.NewPCG(7, 8))
	var rows, free []string
	for y := range 20 {
		row := strings.Repeat(".", 20)
		if y%4 == 1 || y%4 == 2 {
			row = ".@@@@@@@..@@@@@@@@@."
		}
		rows = append(rows, row)
		for x, c := range row {
			if c == '.' {
				free = append(free, fmt.Sprintf("%d\t%d", x, y))
			}
		}
	}
	scen := "version 1\n"
	goals := draw.Perm(len(free))
	for k, s := range draw.Perm(len(free))[:robots] {
		scen += fmt.Sprintf("0\tshelves.map\t20\t20\t%s\t%s\t1\n", free[s], free[goals[k]])
	}
	files := map[string]string{"shelves.map": "type octile\nheight 20\nwidth 20\nmap\n" + strings.Join(rows, "\n") + "\n", "all.scen": scen}
	s, err := nav2d.ReadScene(strings.NewReader("map: {file: shelves.map}\nteam: {file: all.scen, radius: 0.3, speed: 2}\n" + keys))
	if err == nil {
		err = s.LoadMap(func(name string, _ int64) ([]byte, error) { return []byte(files[name]), nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	team, err := plan.TeamOfTask(task, func(string) (*plan.Model, error) {
		asked++
		return plan.Bundled("empty")
	})
	if err != nil || asked != 1 {
		t.Fatalf("%d robots ask for their model %d times: %v", robots, asked, err)
	}
	return team
}

// Crowds on a grid are certified on its cells, with as many waypoints as that takes.
func TestCrowdsOnCells(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	t.Parallel()
	for name, c := range thorough.Named(map[string]struct {
		keys      string
		waypoints int
	}{
		"polyline": {"duration: 50\nmotion: polyline\n", 99}, "curve": {"duration: 50\nmotion: curve\n", 99},
		"limited": {"duration: 90\nmotion: curve\nacceleration: 2\n", 89}, "short": {"duration: 31\nmotion: polyline\n", 122},
	}, "curve") {
		team := crowdOnCells(t, 40, c.keys)
		r, err := plan.Run(t.Context(), team, plan.Options{Samples: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Plan == nil {
			t.Errorf("%s: %v", name, r.Refusal)
			continue
		}
		if n := len(r.Plan.Times); n != c.waypoints || r.Plan.Trajectories[0].Shape[0] != n || r.Samples[0].Shape[0] != n {
			t.Errorf("%s: %d waypoints, want %d", name, n, c.waypoints)
		}
		if !r.Plan.Certificate.Certified || !r.SampleLimits.Certified {
			t.Errorf("%s: certified %v, samples within their limits %+v", name, r.Plan.Certificate.Certified, r.SampleLimits)
		}
	}
}

// A plan with more waypoints than models draw is judged, repaired and started from again.
func TestLongPlansGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	team := crowdOnCells(t, 6, "duration: 40\nmotion: polyline\n")
	r, err := plan.Run(t.Context(), team, plan.Options{Samples: 1})
	if err != nil || r.Plan == nil {
		t.Fatal(err, r.Refusal)
	}
	again, err := team.Repair(t.Context(), r.Plan.Trajectories)
	if err != nil || !again.Certificate.Certified {
		t.Errorf("repaired again: %v, %+v", err, again)
	}
	r, err = plan.Run(t.Context(), team, plan.Options{Samples: 1, From: r.Plan.Trajectories})
	if err != nil || len(r.Samples) != 6 || r.Samples[0].Shape[0] != team.Waypoints {
		t.Errorf("started again: %v", err)
	}
}
