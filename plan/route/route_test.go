package route

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/thorough"
)

func at(x, y float64) geom.Vec2 { return geom.Vec2{X: x, Y: y} }

// plenty is more memory than any search of a test takes.
const plenty = 1 << 40

// everybody returns the numbers of n disks.
func everybody(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// walled returns a task with straight paths on a map with boxes. Speed limits are those of
// published tasks, in half ranges of the map per second.
func walled(t testing.TB, limit, radius float64, boxes []geom.Box, ends ...[2]geom.Vec2) (Task, [][]geom.Vec2) {
	t.Helper()
	const half = 0.9156301
	var solids geom.Union
	for _, b := range boxes {
		solids = append(solids, b)
	}
	task := Task{Map: nav2d.NewMap("walls", geom.Box{Min: at(-1, -1), Max: at(1, 1)}, solids, nil)}
	var paths [][]geom.Vec2
	for _, e := range ends {
		task.Disks = append(task.Disks, Disk{Radius: radius, Step: limit * nav2d.Step * half})
		path := make([]geom.Vec2, 64)
		for h := range path {
			path[h] = e[0].Lerp(e[1], float64(h)/63)
		}
		path[63] = e[1]
		paths = append(paths, path)
	}
	return task, paths
}

// checkPath checks ends, speed and clearance of a path in continuous time.
func checkPath(t *testing.T, task Task, ends [][]geom.Vec2, i int, path []geom.Vec2) {
	t.Helper()
	d, last := task.Disks[i], len(path)-1
	if path[0] != ends[i][0] || path[last] != ends[i][len(ends[i])-1] {
		t.Errorf("%d goes from %v to %v", i, path[0], path[last])
	}
	for h := 1; h < len(path); h++ {
		if step := path[h].Dist(path[h-1]); step > d.Step*(1+1e-9) {
			t.Errorf("%d takes a step of %v to waypoint %d, want at most %v", i, step, h, d.Step)
		}
		for _, o := range task.Map.Obstacles {
			c, ok := geom.ConvexOf(o)
			if !ok {
				t.Fatalf("%v is not convex", o)
			}
			if gap, _ := gaps.Segment(c, geom.Segment{A: path[h-1], B: path[h]}, d.Radius); gap < -1e-3 {
				t.Fatalf("%d overlaps an obstacle by %v before waypoint %d", i, -gap, h)
			}
		}
	}
}

// checkTogether checks paths that were searched: ends, speeds, obstacles and each other.
func checkTogether(t *testing.T, task Task, ends, paths [][]geom.Vec2) {
	t.Helper()
	for i, p := range paths {
		checkPath(t, task, ends, i, p)
		for j := range i {
			if o := overlap(p, paths[j], task.Disks[i].Radius+task.Disks[j].Radius); o > 0 {
				t.Errorf("%d and %d overlap by %v", i, j, o)
			}
		}
		for k, m := range task.Traffic {
			if o := overlapAlong(p, m.Course, task.Disks[i].Radius+m.Radius); o > 0 {
				t.Errorf("%d and traffic %d overlap by %v", i, k, o)
			}
		}
	}
}

func TestRerouteLeadsRoundAWall(t *testing.T) {
	wall := geom.Box{Min: at(-0.05, -0.6), Max: at(0.05, 0.5)}
	task, paths := walled(t, 0.8, 0.05, []geom.Box{wall}, [2]geom.Vec2{at(-0.6, 0), at(0.6, 0)})
	if !task.Reroute(task.Disks[0], paths[0]) {
		t.Fatal("nothing was rerouted")
	}
	checkPath(t, task, paths, 0, paths[0])
	// Over the upper end of the wall: twice √(0.55² + 0.55²) and a little.
	if l := geom.Length(paths[0]); l < 1.55 || l > 1.75 {
		t.Errorf("the way is %v long", l)
	}
	if task.Reroute(task.Disks[0], paths[0]) {
		t.Error("a free path is rerouted again")
	}
	closed := geom.Box{Min: at(-0.05, -1.1), Max: at(0.05, 1.1)}
	task, paths = walled(t, 0.8, 0.05, []geom.Box{closed}, [2]geom.Vec2{at(-0.6, 0), at(0.6, 0)})
	if task.Reroute(task.Disks[0], paths[0]) {
		t.Error("rerouted through a closed wall")
	}
}

// Two that meet at a crossing pass one after the other.
func TestShiftInTime(t *testing.T) {
	task, paths := walled(t, 1.2, 0.05, nil, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0, -0.8), at(0, 0.8)})
	who := []int{0, 1}
	if task.overlapOf(paths, who) == 0 {
		t.Fatal("the paths do not meet")
	}
	shifted := task.Shift(paths, who, 1)
	if shifted == nil {
		t.Fatal("nothing was shifted")
	}
	if o := task.overlapOf(shifted, who); o != 0 {
		t.Errorf("they still overlap by %v", o)
	}
	for i := range shifted {
		checkPath(t, task, paths, i, shifted[i])
		for h, p := range shifted[i] {
			if off := (geom.Segment{A: paths[i][0], B: paths[i][63]}).Distance(p); off > 1e-12 {
				t.Fatalf("waypoint %d of robot %d is %v off its way", h, i, off)
			}
		}
	}
	if task.Shift(shifted, who, 1) != nil {
		t.Error("paths that do not meet are shifted")
	}
}

// Each starts on the other's goal, in a corridor with one bay: somebody has to step
// into it, which no small change of a path finds.
func TestStepAsideInACorridor(t *testing.T) {
	boxes := []geom.Box{
		{Min: at(-1, -1), Max: at(1, -0.08)},
		{Min: at(-1, 0.08), Max: at(0.3, 1)}, {Min: at(0.5, 0.08), Max: at(1, 1)}, {Min: at(0.3, 0.3), Max: at(0.5, 1)},
	}
	task, paths := walled(t, 1.4, 0.05, boxes, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0.8, 0), at(-0.8, 0)})
	found := task.StepAside(t.Context(), paths, []int{0, 1}, plenty)
	if found == nil {
		t.Fatal("no way past each other")
	}
	aside := 0.0
	for i, path := range found {
		checkPath(t, task, paths, i, path)
		for _, p := range path {
			aside = max(aside, p.Y)
		}
	}
	for h := 1; h < 64; h++ {
		if gap, _ := gaps.Relative(found[0][h-1].Sub(found[1][h-1]), found[0][h].Sub(found[1][h]), 0.1); gap < 0 {
			t.Fatalf("they overlap by %v before waypoint %d", -gap, h)
		}
	}
	if aside < 0.1 {
		t.Errorf("nobody steps aside by more than %v", aside)
	}
	closed := append([]geom.Box{{Min: at(0.3, 0.08), Max: at(0.5, 1)}}, boxes...)
	task, paths = walled(t, 1.4, 0.05, closed, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0.8, 0), at(-0.8, 0)})
	if task.StepAside(t.Context(), paths, []int{0, 1}, plenty) != nil {
		t.Error("they pass each other where there is no bay")
	}
}

// A traveller waits for traffic to pass rather than go round when that is shorter.
func TestTravelWaits(t *testing.T) {
	task, paths := walled(t, 1.2, 0.05, nil, [2]geom.Vec2{at(0, -0.5), at(0, 0.5)})
	tram := Body{Radius: 0.3}
	for h := range 64 {
		tram.Course.Path = append(tram.Course.Path, at(math.Max(-0.9, 1.2-float64(h)*0.05), 0))
	}
	task.Traffic = []Body{tram}
	per := task.waypointsOfMove(0, 1)
	path := task.travel(paths, []bool{false}, 0, task.roadmapOf(paths[0], 0, 1, per), per, 0)
	if path == nil {
		t.Fatal("no way")
	}
	checkPath(t, task, paths, 0, path)
	if o := overlap(path, tram.Course.Path, 0.35); o != 0 {
		t.Errorf("it overlaps with traffic by %v", o)
	}
	if l := geom.Length(path); l > 1.1 {
		t.Errorf("the way is %v long, want it to wait", l)
	}
}

// Robots that fill a third of a room change places: one by one they find no ways.
func TestTogetherInAPackedRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("searches on one goroutine")
	}
	task, paths := packed(t, 5)
	who := everybody(25)
	if task.StepAside(t.Context(), paths, who, plenty) != nil {
		t.Error("one by one they find ways too: this room proves nothing")
	}
	found, _ := task.MoveTogether(t.Context(), paths, who, 1, plenty)
	if found == nil {
		t.Fatal("no ways")
	}
	checkTogether(t, task, paths, found)
}

// crossed returns robots in the four arms of crossing corridors, from 0.8 from the middle
// inwards, who change places with those opposite: they have to go into the corridors of
// others.
func crossed(t testing.TB, robots int) (Task, [][]geom.Vec2) {
	const w = 0.07
	boxes := []geom.Box{{Min: at(-1, -1), Max: at(-w, -w)}, {Min: at(-1, w), Max: at(-w, 1)}, {Min: at(w, -1), Max: at(1, -w)}, {Min: at(w, w), Max: at(1, 1)}}
	var ends [][2]geom.Vec2
	for k := range robots {
		start := [4]geom.Vec2{at(1, 0), at(0, 1), at(-1, 0), at(0, -1)}[k%4].Scale(0.8 - 0.2*float64(k/4))
		ends = append(ends, [2]geom.Vec2{start, start.Scale(-1)})
	}
	return walled(t, 2.5, 0.05, boxes, ends...)
}

func TestTogetherInACross(t *testing.T) {
	thorough.Test(t)
	task, paths := crossed(t, 4)
	found, _ := task.MoveTogether(t.Context(), paths, everybody(4), 1, plenty)
	if found == nil {
		t.Fatal("no ways")
	}
	checkTogether(t, task, paths, found)
	again, _ := task.MoveTogether(t.Context(), paths, everybody(4), 1, plenty)
	for i := range found {
		for h, p := range found[i] {
			if again[i][h] != p {
				t.Fatalf("waypoint %d of robot %d is another one the second time", h, i)
			}
		}
	}
}

// Two on a corridor without a bay have tried everything in the end.
func TestTogetherEnds(t *testing.T) {
	boxes := []geom.Box{{Min: at(-1, -1), Max: at(1, -0.08)}, {Min: at(-1, 0.08), Max: at(1, 1)}}
	task, paths := walled(t, 1.4, 0.05, boxes, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0.8, 0), at(-0.8, 0)})
	if found, _ := task.MoveTogether(t.Context(), paths, everybody(2), 1, plenty); found != nil {
		t.Error("they pass each other where there is no bay")
	}
	c := task.newCrowd(paths, everybody(2), asideSpacings[0], &memory.Room{Left: plenty})
	if c.search(t.Context(), 1e7, 1000, rand.New(rand.NewPCG(1, 1))) != nil || c.checks >= 1e7 {
		t.Errorf("%d checks, want all configurations seen in fewer than 1e7", c.checks)
	}
}

// A crowd keeps away from those who do not belong to it and from traffic, also while it
// arrives early.
func TestTogetherAmongOthers(t *testing.T) {
	task, paths := walled(t, 1.6, 0.05, nil, [2]geom.Vec2{at(-0.6, 0), at(0.6, 0)}, [2]geom.Vec2{at(0.6, 0), at(-0.6, 0)}, [2]geom.Vec2{at(0.05, -0.8), at(0.05, 0.8)})
	tram := Body{Radius: 0.1}
	for h := range 64 {
		tram.Course.Path = append(tram.Course.Path, at(math.Max(-0.9, 0.9-0.04*float64(h)), 0.3))
	}
	task.Traffic = []Body{tram}
	paths[2] = task.travel(paths, []bool{false, false, false}, 2, task.roadmapOf(paths[2], 2, 1, 2), 2, 0)
	if paths[2] == nil {
		t.Fatal("the third has no way by itself")
	}
	found, _ := task.MoveTogether(t.Context(), paths, []int{0, 1}, 1, plenty)
	if found == nil {
		t.Fatal("no ways")
	}
	checkTogether(t, task, paths, found)
	for h, p := range found[2] {
		if p != paths[2][h] {
			t.Fatalf("waypoint %d of the third moved", h)
		}
	}
}

// A door that is hardly wider than a robot, off every line of the lattice, is found.
func TestRoadmapThroughANarrowDoor(t *testing.T) {
	for k := range 5 {
		y := 0.13 + 0.0117*float64(k)
		wall := []geom.Box{{Min: at(-0.05, -1), Max: at(0.05, y-0.062)}, {Min: at(-0.05, y+0.062), Max: at(0.05, 1)}}
		task, paths := walled(t, 2.2, 0.05, wall, [2]geom.Vec2{at(-0.5, -0.3), at(0.5, 0)}, [2]geom.Vec2{at(0.5, 0.3), at(-0.5, 0.2)})
		found := task.StepAside(t.Context(), paths, everybody(2), plenty)
		if found == nil {
			t.Fatalf("no way through a door at %v", y)
		}
		checkTogether(t, task, paths, found)
	}
}

// packed returns a closed room with robots on a grid that change places at random.
func packed(t testing.TB, side int) (Task, [][]geom.Vec2) {
	room := []geom.Box{
		{Min: at(-1, -1), Max: at(-0.45, 1)}, {Min: at(0.45, -1), Max: at(1, 1)},
		{Min: at(-0.45, -1), Max: at(0.45, -0.45)}, {Min: at(-0.45, 0.45), Max: at(0.45, 1)},
	}
	to := rand.New(rand.NewPCG(2, 9)).Perm(side * side)
	place := func(k int) geom.Vec2 {
		pitch := 0.9 / float64(side)
		return at(-0.45+pitch*(float64(k%side)+0.5), -0.45+pitch*(float64(k/side)+0.5))
	}
	var ends [][2]geom.Vec2
	for i, k := range to {
		ends = append(ends, [2]geom.Vec2{place(i), place(k)})
	}
	return walled(t, 1.4, 0.05, room, ends...)
}

// A search for all ways together ends when it would take more memory than it may, for
// roadmaps or for configurations, and says so.
func TestTogetherKeepsToItsRoom(t *testing.T) {
	task, paths := packed(t, 5)
	who := everybody(25)
	c := task.newCrowd(paths, who, asideSpacings[0], &memory.Room{Left: plenty})
	roadmaps := plenty - c.room.Left
	if task.newCrowd(paths, who, asideSpacings[0], &memory.Room{Left: roadmaps}) == nil || task.newCrowd(paths, who, asideSpacings[0], &memory.Room{Left: roadmaps - 1}) != nil {
		t.Errorf("roadmaps of %d bytes are not what the room decides", roadmaps)
	}
	for _, bytes := range []int64{0, 1000, roadmaps, roadmaps + 2*25*placeBytes} {
		if found, full := task.MoveTogether(t.Context(), paths, who, 1, bytes); found != nil || !full {
			t.Errorf("%d bytes: ways %v, short of memory %v", bytes, found != nil, full)
		}
	}
	if found, full := task.MoveTogether(t.Context(), paths, who, 1, plenty); found == nil || full {
		t.Errorf("plenty: ways %v, short of memory %v", found != nil, full)
	}
}

// Where there is no room to keep roadmaps, they are made again, and ways are the same.
func TestStepAsideNeedsNoRoom(t *testing.T) {
	task, paths := crossed(t, 2)
	want := task.StepAside(t.Context(), paths, everybody(2), plenty)
	if got := task.StepAside(t.Context(), paths, everybody(2), 0); want == nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ways without room for roadmaps are others than with it, or there are none (%v)", want == nil)
	}
}
