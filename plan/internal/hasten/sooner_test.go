package hasten

import (
	"context"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

const waypoints = 48

// creeping returns control points of a robot that takes all of the time for a way, but for so many waypoints at its start.
func creeping(from, to geom.Vec2, waits int) tensor.Batch {
	b := tensor.New(1, waypoints, 2)
	for h := range waypoints {
		p := from.Lerp(to, max(0, float64(h-waits))/float64(waypoints-1-waits))
		b.Data[2*h], b.Data[2*h+1] = float32(p.X), float32(p.Y)
	}
	return b
}

// task returns robots of a world on such ways.
func task(control ...tensor.Batch) *Task {
	t := &Task{World: separation.World{Motion: separation.Motion{Curved: true, PerUnit: [2]float64{1e9, 1e9}}, Margin: 0.01}, Control: control, Keep: 0.012}
	for range control {
		t.World.Robots = append(t.World.Robots, separation.Robot{Radius: 0.2, Step: 0.4, Change: 0.1})
		t.Robots = append(t.Robots, Robot{})
	}
	return t
}

// arrivals returns from which waypoint on each robot stays.
func arrivals(t *Task, control []tensor.Batch) (out []float64) {
	for i, c := range t.World.Curves(control, 0) {
		out = append(out, profile.Arrival(c, t.World.Robots[i].Radius))
	}
	return out
}

// Robots with time to spare arrive early, on the same ways, within their limits, and keep the distance that is asked for; no robot
// arrives later than it did.
func TestRobotsArriveEarly(t *testing.T) {
	wall := geom.Convex{Core: geom.Rectangle(geom.Vec2{X: 2, Y: 0.5}, geom.Vec2{X: 1, Y: 0.2}, 0)}
	for name, c := range map[string]struct {
		task  *Task
		early int // who arrive early at least
	}{
		"one alone": {task(creeping(geom.Vec2{}, geom.Vec2{X: 4}, 0)), 1},
		"beside a wall": {func() *Task {
			t := task(creeping(geom.Vec2{}, geom.Vec2{X: 4}, 0))
			t.World.Obstacles = []geom.Convex{wall}
			return t
		}(), 1},
		"two that cross":      {task(creeping(geom.Vec2{}, geom.Vec2{X: 4}, 0), creeping(geom.Vec2{X: 2, Y: -2}, geom.Vec2{X: 2, Y: 2}, 20)), 1},
		"one after the other": {task(creeping(geom.Vec2{X: 1}, geom.Vec2{X: 5}, 0), creeping(geom.Vec2{}, geom.Vec2{X: 4}, 0)), 2},
	} {
		before := arrivals(c.task, c.task.Control)
		out := c.task.Sooner(t.Context())
		if len(out) != len(before) {
			t.Errorf("%s: nobody arrives early", name)
			continue
		}
		early := 0
		for i, is := range arrivals(c.task, out) {
			if is > before[i] {
				t.Errorf("%s: robot %d arrives at waypoint %v, before at %v", name, i, is, before[i])
			}
			if is < before[i]-2 {
				early++
			}
			last := 2 * (waypoints - 1)
			if was, now := c.task.Control[i].Data, out[i].Data; was[0] != now[0] || was[1] != now[1] || was[last] != now[last] || was[last+1] != now[last+1] {
				t.Errorf("%s: robot %d has other ends", name, i)
			}
		}
		if early < c.early {
			t.Errorf("%s: %d arrive early, want %d", name, early, c.early)
		}
		w := c.task.World
		if v := w.JudgeCurves(w.Curves(out, 0)); !v.Certified(c.task.Keep) {
			t.Errorf("%s: not certified: %+v", name, v)
		}
	}
}

// Who has to stay stays where it is, who passes its goal keeps its times, and a context that is done finds nothing.
func TestWhoStaysAndWhoPasses(t *testing.T) {
	drifts := task(creeping(geom.Vec2{}, geom.Vec2{}, 0))
	for h := 10; h < 20; h++ {
		drifts.Control[0].Data[2*h+1] = 0.3
	}
	drifts.Robots[0].Stays = true
	out := drifts.Sooner(t.Context())
	if len(out) != 1 {
		t.Fatal("who drifts for nothing is not settled")
	}
	for h := range waypoints {
		if out[0].Data[2*h] != 0 || out[0].Data[2*h+1] != 0 {
			t.Fatalf("who stays is at %v at waypoint %d", out[0].Data[2*h:2*h+2], h)
		}
	}
	passes := task(creeping(geom.Vec2{}, geom.Vec2{X: 4}, 0))
	passes.Robots[0].Passes = true
	if out := passes.Sooner(t.Context()); out != nil {
		t.Error("who does not rest at its goal has other times")
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	two := task(creeping(geom.Vec2{}, geom.Vec2{X: 4}, 0), creeping(geom.Vec2{Y: 3}, geom.Vec2{X: 4, Y: 3}, 0))
	two.World.Traffic = []separation.Mover{{Radius: 0.1, Path: make([]geom.Vec2, waypoints)}}
	for h := range two.World.Traffic[0].Path {
		two.World.Traffic[0].Path[h] = geom.Vec2{Y: 9}
	}
	if out := two.Sooner(done); out != nil {
		t.Error("a context that is done finds something")
	}
}
