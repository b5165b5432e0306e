package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	_ "github.com/go-pcd/pcd/plan/bundled"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// drawnTeam returns a team of a trial that no table uses.
func drawnTeam(t *testing.T, m *nav2d.Map, robots int, seed uint32) plan.Team {
	t.Helper()
	model, err := plan.Bundled(m.Name)
	if err != nil {
		t.Fatal(err)
	}
	trials, err := nav2d.Trials(m, robots, 1, seed)
	if err != nil {
		t.Fatal(err)
	}
	team := plan.TeamOfTrial(m, trials[0], model, plan.PublishedLimits(m)[0])
	team.Motion = plan.Polyline
	return team
}

// checkAtInstants looks at many instants of what is driven with formulas of its own: disks
// keep apart, off obstacles and within the workspace.
func checkAtInstants(t *testing.T, team plan.Team, x []tensor.Batch) {
	t.Helper()
	const instants = 16
	f := team.TaskFrame()
	at := func(i, h int, u float64) geom.Vec2 {
		s := x[i].Data
		a := geom.Vec2{X: float64(s[h*channels]), Y: float64(s[h*channels+1])}
		return f.ToMap(a.Lerp(geom.Vec2{X: float64(s[(h+1)*channels]), Y: float64(s[(h+1)*channels+1])}, u))
	}
	for h := range x[0].Shape[0] - 1 {
		for k := range instants {
			u := float64(k) / (instants - 1)
			for i, r := range team.Robots {
				p := at(i, h, u)
				if gap, _ := team.Map.Clearance(p); gap < r.Radius*(1-1e-6) {
					t.Fatalf("%s is %v from an obstacle on segment %d", r.Name, gap, h)
				}
				if !team.Map.Bounds.Grow(1e-6 - r.Radius).Contains(p) {
					t.Fatalf("%s leaves the workspace at %v on segment %d", r.Name, p, h)
				}
				for j := range i {
					if gap := p.Dist(at(j, h, u)); gap < (r.Radius+team.Robots[j].Radius)*(1-1e-6) {
						t.Fatalf("%s and %s are %v apart on segment %d", r.Name, team.Robots[j].Name, gap, h)
					}
				}
			}
		}
	}
}

// inTask returns traffic over some waypoints in the units of the task: with a timetable, its
// places at all waypoints and all points of its path between them.
func inTask(team plan.Team, m plan.Mover, waypoints int) separation.Mover {
	f := team.TaskFrame()
	out := separation.Mover{Radius: m.Radius * f.Scale}
	if m.Times == nil {
		for _, p := range m.Path {
			out.Path = append(out.Path, f.FromMap(p))
		}
		return out
	}
	for h := range waypoints {
		out.Times = append(out.Times, float64(h))
	}
	for _, s := range m.Times {
		if at := s / team.Step; at > 0 && at < float64(waypoints-1) && math.Abs(at-math.Round(at)) > 1e-9 {
			out.Times = append(out.Times, at)
		}
	}
	slices.Sort(out.Times)
	for _, at := range out.Times {
		k, _ := slices.BinarySearch(m.Times, at*team.Step)
		p := m.Path[min(k, len(m.Path)-1)]
		if k > 0 && k < len(m.Times) {
			p = m.Path[k-1].Lerp(m.Path[k], (at*team.Step-m.Times[k-1])/(m.Times[k]-m.Times[k-1]))
		}
		out.Path = append(out.Path, f.FromMap(p))
	}
	return out
}

// hallOf returns a scene of twenty by twelve metres with six robots that have accelerations.
func hallOf(t *testing.T, motion plan.Motion, east, north float64) plan.Team {
	t.Helper()
	at := func(x, y float64) string { return fmt.Sprintf("[%.6f, %.6f]", east+x, north+y) }
	lines := []string{
		"units: m", "duration: 20", "motion: " + string(motion),
		fmt.Sprintf("bounds: {min: %s, max: %s}", at(0, 0), at(20, 12)),
		fmt.Sprintf("boxes: [{center: %s, size: [2, 1]}, {center: %s, size: [1, 2], angle: 20}]", at(7, 4), at(13, 8)),
		fmt.Sprintf("circles: [{center: %s, radius: 0.6}]", at(10, 6)), "robots:",
	}
	for k := range 6 {
		a, b := at(1, 1+2*float64(k)), at(19, 1+2*float64((k+3)%6))
		if k%2 == 1 {
			a, b = b, a
		}
		lines = append(lines, fmt.Sprintf("- {name: r%d, start: %s, goal: %s, radius: 0.3, speed: 1.8, acceleration: 1.2}", k, a, b))
	}
	return sceneTeam(t, strings.Join(lines, "\n")+"\n")
}

// sceneTeam returns the team of a scene.
func sceneTeam(t *testing.T, text string) plan.Team {
	t.Helper()
	scene, err := nav2d.ReadScene(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	task, err := scene.Task()
	if err != nil {
		t.Fatal(err)
	}
	team, err := plan.TeamOfTask(task, func(name string) (*plan.Model, error) { return plan.Bundled(cmp.Or(name, "empty")) })
	if err != nil {
		t.Fatal(err)
	}
	return team
}
