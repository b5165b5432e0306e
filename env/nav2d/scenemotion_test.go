package nav2d

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

const busyScene = `
duration: 6.4
bounds: {min: [0, 0], max: [8, 8]}
margin: 0.25
acceleration: 2
boxes: [{center: [4, 4], size: [2, 1], radius: 0.25, angle: 30}, {center: [1, 7], size: [0.5, 1], radius: 0.25, angle: 90}]
polygons: [{points: [[6, 6], [6, 7], [7, 6]]}]
traffic: [{radius: 0.5, path: [[0, 0, 2], [1.75, 7, 2], [1.8, 7, 2.5]]}, {name: tram, radius: 1, path: [[0, 1, 5]]}]
robots:
  - {name: ada, start: [4, 0.5], goal: [4, 7], radius: 0.25, start_velocity: [0, 1]}
  - {name: bob, start: [7, 7.6], goal: [2, 7.6], radius: 0.25, acceleration: 1}
`

func readScene(t *testing.T, text string) *Scene {
	t.Helper()
	s, err := ReadScene(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBusyScene(t *testing.T) {
	task, err := readScene(t, busyScene).Task()
	if err != nil {
		t.Fatal(err)
	}
	if task.Margin != 0.0625 || len(task.Map.Obstacles) != 3 || len(task.Traffic) != 2 {
		t.Fatalf("margin %v, %d obstacles, %d movers", task.Margin, len(task.Map.Obstacles), len(task.Traffic))
	}
	ada, bob := task.Robots[0], task.Robots[1]
	if ada.Acceleration != 0.5 || bob.Acceleration != 0.25 || ada.StartVelocity != (geom.Vec2{Y: 0.25}) || ada.GoalVelocity != (geom.Vec2{}) {
		t.Errorf("ada %+v, bob %+v", ada, bob)
	}
	// The turned box is as far from a point as the point turned back from the box.
	box := geom.RoundedBox{Size: geom.Vec2{X: 0.5, Y: 0.25}, Radius: 0.0625}
	for _, p := range []geom.Vec2{{X: 0.4, Y: 0.1}, {X: -0.2, Y: 0.3}, {X: 0.05, Y: 0.01}} {
		s, c := math.Sincos(math.Pi / 6)
		turned := geom.Vec2{X: c*p.X - s*p.Y, Y: s*p.X + c*p.Y}
		want, _ := box.SignedDistance(p)
		if got, _ := task.Map.Obstacles[0].SignedDistance(turned); math.Abs(got-want) > 1e-12 {
			t.Errorf("distance of %v from the turned box = %v, want %v", turned, got, want)
		}
	}
	if d, _ := task.Map.Obstacles[1].SignedDistance(geom.Vec2{X: -0.75, Y: 0.75}); math.Abs(d+0.0625) > 1e-12 {
		t.Errorf("distance of the centre of a capsule = %v, want -0.0625", d)
	}
	if d, _ := task.Map.Obstacles[2].SignedDistance(task.Frame.ToMap(geom.Vec2{X: 5, Y: 6.5})); math.Abs(d-0.25) > 1e-12 {
		t.Errorf("distance from the clockwise polygon = %v, want 0.25", d)
	}
}

// Traffic has the radius that is given and is on its own path at every moment, also where
// it turns between waypoints.
func TestTrafficIsOnItsPath(t *testing.T) {
	s := readScene(t, busyScene)
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range s.Traffic {
		seen := task.Traffic[i]
		if seen.Radius != m.Radius/task.Frame.Scale {
			t.Errorf("%s has a radius of %v, want %v", seen.Name, seen.Radius*task.Frame.Scale, m.Radius)
		}
		for k := range 64001 {
			time := 7 * float64(k) / 64000
			if got := task.Frame.FromMap(seen.at(time)); got.Dist(whereOn(m.Path, time)) > 1e-12 {
				t.Fatalf("%s is at %v after %v s, want %v", seen.Name, got, time, whereOn(m.Path, time))
			}
		}
	}
	if a, b := task.Traffic[0], task.Traffic[1]; a.Name != "traffic 1" || len(a.Path) != 3 || b.Name != "tram" || b.Radius != 0.25 {
		t.Errorf("traffic %q with %d points, %q of radius %v", a.Name, len(a.Path), b.Name, b.Radius)
	}
}

// whereOn returns the place on a path at a time.
func whereOn(path [][]float64, time float64) geom.Vec2 {
	k := 0
	for k < len(path) && path[k][0] < time {
		k++
	}
	if k == 0 || k == len(path) {
		k = min(k, len(path)-1)
		return point(path[k][1:])
	}
	a, b := path[k-1], path[k]
	u := (time - a[0]) / (b[0] - a[0])
	return geom.Vec2{X: a[1] + u*(b[1]-a[1]), Y: a[2] + u*(b[2]-a[2])}
}

func TestBusySceneProblems(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"margin":          {"margin: 0.25", "margin: -1", "margin is -1"},
		"acceleration":    {"acceleration: 2", "acceleration: 0", "acceleration is 0"},
		"angle":           {"angle: 30", "angle: 1e9", "boxes[0].angle is 1e+09"},
		"dent":            {"[6, 7], [7, 6]", "[6, 7], [6.1, 6.1], [7, 6]", "polygons[0].points[2] is [6.1 6.1], want a corner of a convex polygon: the outline is not convex there"},
		"bow tie":         {"[6, 7], [7, 6]", "[7, 7], [7, 6], [6, 7]", "corners of a convex polygon"},
		"times":           {"[1.75, 7, 2]", "[0, 7, 2]", "traffic[0].path[1] is 0, want a time after"},
		"point":           {"[1.75, 7, 2]", "[1.75, 7]", "[seconds, x, y]"},
		"radius":          {"radius: 0.5", "radius: 0", "traffic[0].radius is 0"},
		"no path":         {"[[0, 1, 5]]", "[]", "traffic[1].path is 0"},
		"velocity":        {"[0, 1]}", "[0]}", "start_velocity"},
		"in the way":      {"start: [4, 0.5]", "start: [0.5, 1.5]", "the starts of traffic 1 and ada are"},
		"within margin":   {"start: [7, 7.6]", "start: [7, 6.35]", "clearance"},
		"starts too near": {"start: [7, 7.6]", "start: [4.6, 0.5]", "want at least 0.75, the sum of their radii and the margin"},
	} {
		text := strings.Replace(busyScene, c.from, c.to, 1)
		if text == busyScene {
			t.Fatalf("%s: nothing replaced", name)
		}
		_, err := readScene(t, text).Task()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		var v *ValueError
		var p *PlacementError
		var s *SeparationError
		if err != nil && !errors.As(err, &v) && !errors.As(err, &p) && !errors.As(err, &s) {
			t.Errorf("%s: %T", name, err)
		}
	}
}

// What has no effect and what nobody could read is refused, in messages of one line.
func TestNamesAndVelocitiesAreRefused(t *testing.T) {
	long := strings.Repeat("x", 60000)
	for key, scene := range map[string]string{
		"robots[0].acceleration": "robots: [{start: [-0.5, 0], goal: [0.5, 0], goal_velocity: [1, 0]}]",
		"name":                   "robots: [{start: [-0.5, 0], goal: [0.5, 0]}]\nname: " + long,
		"units":                  "robots: [{start: [-0.5, 0], goal: [0.5, 0]}]\nunits: " + long,
		"robots[0].name":         "robots: [{start: [-0.5, 0], goal: [0.5, 0], name: " + long + "}]",
		"traffic[0].name":        "robots: [{start: [-0.5, 0], goal: [0.5, 0]}]\ntraffic: [{radius: 0.1, path: [[0, 0, 0.9]], name: " + long + "}]",
	} {
		var value *ValueError
		if _, err := readScene(t, scene).Task(); !errors.As(err, &value) || value.Key != key || len(err.Error()) > 500 {
			t.Errorf("%s: %.300v, want a ValueError for it", key, err)
		}
	}
}

// Traffic that comes to a goal in the last step of the duration, in which robots rest, is in the way.
func TestTrafficInTheLastStep(t *testing.T) {
	text := func(duration string, y float64) string {
		return fmt.Sprintf("duration: %s\nbounds: {min: [-5, -5], max: [5, 5]}\nrobots: [{start: [-4, 0], goal: [4, 0], radius: 0.3, speed: 3}]\n"+
			"traffic: [{name: cart, radius: 0.3, path: [[9.87, 4, 4], [9.95, 4, %v], [9.99, 4, 4]]}]\n", duration, y)
	}
	for _, c := range []struct {
		duration string
		y        float64
		refused  bool
	}{{"10", 0.5, true}, {"10", 0.7, false}, {"9.9", 0.5, false}, {"shortest", 0.5, false}} {
		s, err := ReadScene(strings.NewReader(text(c.duration, c.y)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Task()
		if got := errors.As(err, new(*SeparationError)); got != c.refused {
			t.Errorf("duration %s, a cart that comes as near as %v: %v", c.duration, c.y, err)
		}
	}
}

// Without a duration the time is the shortest one where a robot that has something to do has a limit.
func TestDurationsLeftOut(t *testing.T) {
	for text, want := range map[string]bool{
		"[{start: [0, 0], goal: [0.5, 0], speed: 1}]":                                    true,
		"[{start: [0, 0], goal: [0.5, 0]}]":                                              false,
		"[{start: [0, 0], goal: [0, 0], speed: 1}]":                                      false,
		"[{start: [0, 0], goal: [0, 0], speed: 1}, {start: [0.3, 0.3], goal: [0.5, 0]}]": false,
		"[{start: [0, 0], goal: [0, 0], speed: 1, turn_rate: 1, goal_heading: 2}]":       true,
	} {
		s, err := ReadScene(strings.NewReader("robots: " + text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if task, err := s.Task(); err != nil || task.Shortest != want {
			t.Errorf("%s: %+v, %v", text, task, err)
		}
	}
}

func TestLatenessOfAScene(t *testing.T) {
	for text, want := range map[string]string{
		"lateness: 0.5\n":                   "",
		"lateness: -1\n":                    "lateness is -1",
		"lateness: 0.5\nmotion: polyline\n": "0 with motion polyline",
	} {
		s, err := ReadScene(strings.NewReader(text + "duration: 5\nrobots: [{start: [-0.5, 0], goal: [0.5, 0]}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		task, err := s.Task()
		if want == "" && (err != nil || task.Lateness != 0.5) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
