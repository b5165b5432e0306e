package route

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/memory"
)

// along returns a task whose disks go from the starts of paths to their ends.
func along(t Task, paths [][]geom.Vec2) Task {
	for i, p := range paths {
		t.Disks[i].Start, t.Disks[i].Goal = p[0], p[len(p)-1]
	}
	return t
}

// Every step of Find is the one that is needed somewhere.
func TestFind(t *testing.T) {
	if testing.Short() {
		t.Skip("searches on one goroutine")
	}
	corridor := []geom.Box{
		{Min: at(-1, -1), Max: at(1, -0.08)},
		{Min: at(-1, 0.08), Max: at(0.3, 1)}, {Min: at(0.5, 0.08), Max: at(1, 1)}, {Min: at(0.3, 0.3), Max: at(0.5, 1)},
	}
	change := [][2]geom.Vec2{{at(-0.8, 0), at(0.8, 0)}, {at(0.8, 0), at(-0.8, 0)}}
	for name, make := range map[string]func() (Task, [][]geom.Vec2){
		"free": func() (Task, [][]geom.Vec2) {
			return walled(t, 1.2, 0.05, nil, [2]geom.Vec2{at(-0.8, 0.3), at(0.8, 0.3)}, [2]geom.Vec2{at(0.8, -0.3), at(-0.8, -0.3)})
		},
		"crossing": func() (Task, [][]geom.Vec2) {
			return walled(t, 1.2, 0.05, nil, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0, -0.8), at(0, 0.8)})
		},
		"corridor":   func() (Task, [][]geom.Vec2) { return walled(t, 1.4, 0.05, corridor, change...) },
		"full room":  func() (Task, [][]geom.Vec2) { return packed(t, 5) },
		"four roads": func() (Task, [][]geom.Vec2) { return crossed(t, 4) },
	} {
		task, paths := make()
		found, err := Find(t.Context(), along(task, paths), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkTogether(t, task, paths, found)
	}
}

func TestFindSaysWhy(t *testing.T) {
	closed := []geom.Box{{Min: at(-0.05, -1.1), Max: at(0.05, 1.1)}}
	task, paths := walled(t, 1.4, 0.05, closed, [2]geom.Vec2{at(0.3, 0), at(0.6, 0)}, [2]geom.Vec2{at(-0.6, 0), at(0.6, 0.5)})
	var none *NoPathError
	if _, err := Find(t.Context(), along(task, paths), Options{}); !errors.As(err, &none) || none.Disk != 1 {
		t.Errorf("error %v, want none for disk 1", err)
	}
	bayless := []geom.Box{{Min: at(-1, -1), Max: at(1, -0.08)}, {Min: at(-1, 0.08), Max: at(1, 1)}}
	task, paths = walled(t, 1.4, 0.05, bayless, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0.8, 0), at(-0.8, 0)})
	if _, err := Find(t.Context(), along(task, paths), Options{}); !errors.As(err, &none) || none.Disk != -1 {
		t.Errorf("error %v, want no way past each other", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, task, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	for name, change := range map[string]func(*Task, *Options){
		"no disks":  func(t *Task, _ *Options) { t.Disks = nil },
		"goal":      func(t *Task, _ *Options) { t.Disks = []Disk{{Radius: 1, Step: 1, Goal: at(math.NaN(), 0)}} },
		"waypoints": func(_ *Task, o *Options) { o.Waypoints = 1 },
		"margin":    func(t *Task, _ *Options) { t.Margin = -1 },
		"radius":    func(t *Task, _ *Options) { t.Disks = []Disk{{Radius: 0, Step: 1}, {Radius: 1, Step: 1}} },
		"traffic":   func(t *Task, _ *Options) { t.Traffic = []Body{{Radius: 1}} },
		"no map":    func(t *Task, _ *Options) { t.Map = nil },
		"too many":  func(_ *Task, o *Options) { o.Waypoints = 1 << 40 },
		"no body":   func(t *Task, _ *Options) { t.Traffic = []Body{standing(math.NaN(), at(0, 0))} },
		"nowhere":   func(t *Task, _ *Options) { t.Traffic = []Body{standing(0.1, at(0, math.NaN()))} },
	} {
		bad, o := task, Options{}
		change(&bad, &o)
		if _, err := Find(t.Context(), bad, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// standing is a body that stays.
func standing(radius float64, p geom.Vec2) Body {
	path := make([]geom.Vec2, defaultWaypoints)
	for h := range path {
		path[h] = p
	}
	return Body{Radius: radius, Course: Course{Path: path}}
}

// A goal that is too far for so many steps is named with the waypoints that it needs.
func TestFindSaysHowManyWaypoints(t *testing.T) {
	task, paths := walled(t, 1.2, 0.05, nil, [2]geom.Vec2{at(-0.8, 0.3), at(0.8, 0.3)})
	task = along(task, paths)
	task.Disks[0].Step = 0.25
	for n, want := range map[int]bool{7: false, 8: true} { // 6.4 steps
		_, err := Find(t.Context(), task, Options{Waypoints: n})
		var none *NoPathError
		if (err == nil) != want || !want && (!errors.As(err, &none) || none.Disk != 0 || !strings.Contains(err.Error(), "needs 8 waypoints")) {
			t.Errorf("%d waypoints: %v, want a path only with 8", n, err)
		}
	}
}

// With five in a cross the first search finds ways that take too long: they are searched
// anew, and driven faster than a lattice of small steps lets disks move.
func TestShortenInACrossOfFive(t *testing.T) {
	task, paths := crossed(t, 5)
	c := task.newCrowd(paths, everybody(5), asideSpacings[1], &memory.Room{Left: plenty})
	ways := c.search(t.Context(), togetherBudget, 1000, rand.New(rand.NewPCG(1, 1)))
	if _, inTime := task.shorten(t.Context(), c, ways, paths, everybody(5)); ways == nil || inTime {
		t.Errorf("%d moves, in time %v: they are in time at once", len(ways), inTime)
	}
}
