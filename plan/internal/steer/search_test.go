package steer_test

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/steer"
)

// walled returns the room of a disk of radius 0.3 in a square of side 10 with boxes.
func walled(boxes ...geom.Box) func(geom.Vec2) float64 {
	bounds := geom.Box{Max: geom.Vec2{X: 10, Y: 10}}
	return func(p geom.Vec2) float64 {
		outside, _ := bounds.SignedDistance(p)
		room := -outside
		for _, b := range boxes {
			d, _ := b.SignedDistance(p)
			room = min(room, d)
		}
		return room - 0.3
	}
}

func box(x0, y0, x1, y1 float64) geom.Box {
	return geom.Box{Min: geom.Vec2{X: x0, Y: y0}, Max: geom.Vec2{X: x1, Y: y1}}
}

// A vehicle gets through two doors that are askew, from and to headings that lead away from its way, on
// arcs of its radius and touching nothing.
func TestWayThroughDoors(t *testing.T) {
	doors := walled(box(3, 0, 3.3, 7), box(3, 8, 3.3, 10), box(6, 0, 6.3, 1.5), box(6, 2.5, 6.3, 10))
	start, goal := math.Pi, math.Pi/2
	task := steer.Task{
		Start: geom.Vec2{X: 1.5, Y: 1}, Goal: geom.Vec2{X: 8, Y: 1.5}, Headings: [2]*float64{&start, &goal},
		Radius: 0.6, Size: 0.3, Bounds: box(0, 0, 10, 10), Room: doors,
	}
	way := task.Way()
	if way == nil {
		t.Fatal("there is no way")
	}
	if way[0].Dist(task.Start) > 1e-9 || way[len(way)-1].Dist(task.Goal) > 1e-9 {
		t.Errorf("it goes from %v to %v", way[0], way[len(way)-1])
	}
	checkBends(t, way, task.Radius)
	if !steer.Free(way, func(p geom.Vec2) float64 { return doors(p) + 0.02 }, task.Size) {
		t.Error("it touches something")
	}
	if long := geom.Length(way); long > 24 {
		t.Errorf("it is %v long", long)
	}
	if again := task.Way(); len(again) != len(way) || again[len(way)/2] != way[len(way)/2] {
		t.Error("another search finds another way")
	}
}

// A search that ends where arcs lead to the goal has come round about; what it returns does not go back on itself.
func TestWayBesideAWall(t *testing.T) {
	down := -1.34
	task := steer.Task{
		Start: geom.Vec2{X: 5.54, Y: 6.03}, Goal: geom.Vec2{X: 2.37, Y: 9.2}, Headings: [2]*float64{nil, &down},
		Radius: 0.625, Size: 0.3, Bounds: box(0, 0, 10, 10), Room: walled(),
	}
	way := task.Way()
	if way == nil {
		t.Fatal("there is no way")
	}
	checkBends(t, way, task.Radius)
	if !steer.Free(way, task.Room, task.Size) || way[len(way)-1] != task.Goal {
		t.Errorf("it touches the wall, or ends at %v", way[len(way)-1])
	}
	// Straight to the side of the goal, and three quarters of a circle: the first end that the search finds is 11 long.
	if long := geom.Length(way); long > 4.5+1.5*math.Pi*task.Radius {
		t.Errorf("it is %v long", long)
	}
}

// checkBends wants a polyline to bend no more than with a radius.
func checkBends(t *testing.T, way []geom.Vec2, radius float64) {
	t.Helper()
	for k := 2; k < len(way); k++ {
		a, b := way[k-1].Sub(way[k-2]), way[k].Sub(way[k-1])
		if a.Norm() < 1e-6 || b.Norm() < 1e-6 {
			continue
		}
		if turn := math.Abs(math.Atan2(a.Cross(b), a.Dot(b))); turn > 1.02*(a.Norm()+b.Norm())/2/radius {
			t.Errorf("at %v it turns by %v within %v", way[k-1], turn, (a.Norm()+b.Norm())/2)
		}
	}
}

// There is none through a wall, nor to the end of a corridor in the direction out of it.
func TestNoWay(t *testing.T) {
	out := math.Pi
	for name, task := range map[string]steer.Task{
		"wall":     {Room: walled(box(5, 0, 5.2, 10))},
		"corridor": {Room: walled(box(3, 0, 10, 4.5), box(3, 5.5, 10, 10)), Headings: [2]*float64{nil, &out}},
	} {
		task.Start, task.Goal, task.Radius, task.Size, task.Bounds = geom.Vec2{X: 1, Y: 5}, geom.Vec2{X: 9, Y: 5}, 0.5, 0.3, box(0, 0, 10, 10)
		if way := task.Way(); way != nil {
			t.Errorf("%s: a way is found: %v", name, way)
		}
	}
}
