package nav2d_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

func warehouse(t testing.TB) *nav2d.Scene {
	t.Helper()
	data, err := os.ReadFile("testdata/warehouse.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := nav2d.ReadScene(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSceneTask(t *testing.T) {
	task, err := warehouse(t).Task()
	if err != nil {
		t.Fatal(err)
	}
	if task.Model != "empty" || task.Map.Name != "warehouse" || task.Map.Pattern != nil || math.Abs(task.Step-10./64) > 1e-15 {
		t.Errorf("task = %+v", task)
	}
	if b := task.Map.Bounds; b.Min.Dist(geom.Vec2{X: -1, Y: -2. / 3}) > 1e-15 || b.Max.Dist(geom.Vec2{X: 1, Y: 2. / 3}) > 1e-15 {
		t.Errorf("bounds of 12 by 8 = %v, want [-1, 1] by [-2/3, 2/3]", b)
	}
	ada, bob, third := task.Robots[0], task.Robots[1], task.Robots[2]
	if math.Abs(ada.Radius-0.05) > 1e-15 || math.Abs(ada.Speed-2./6) > 1e-15 || ada.Start.Dist(geom.Vec2{X: -5. / 6, Y: 0.15}) > 1e-12 {
		t.Errorf("ada = %+v", ada)
	}
	if bob.Radius != 0.05 || third.Name != "robot 3" || !math.IsInf(third.Speed, 1) || third.Model != "empty" {
		t.Errorf("robots = %+v, %+v", bob, third)
	}
	p := geom.Vec2{X: 3, Y: 5}
	if back := task.Frame.FromMap(task.Frame.ToMap(p)); back.Dist(p) > 1e-14 {
		t.Errorf("there and back: %v, want %v", back, p)
	}
	// Distances scale with the frame: (3, 5) is 0.5 above the circle.
	if d, _ := task.Map.Clearance(task.Frame.ToMap(p)); math.Abs(d*task.Frame.Scale-0.5) > 1e-14 {
		t.Errorf("clearance = %v, want 0.5", d*task.Frame.Scale)
	}
	if err := task.CheckReach(nav2d.Waypoints, task.Step); err != nil {
		t.Error(err)
	}
}

func TestSceneOnPublishedMap(t *testing.T) {
	s := &nav2d.Scene{
		Map: nav2d.MapKey{Name: "Highways"}, Bounds: &nav2d.Bounds{Min: []float64{10, 10}, Max: []float64{30, 30}},
		Circles: []nav2d.Circle{{Center: []float64{15, 25}, Radius: 1}},
		Robots:  []nav2d.Robot{{Start: nav2d.At(24, 15), Goal: nav2d.At(24, 25), Model: "mine"}},
	}
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	if task.Map.Pattern.Name() != "circulate" || task.Robots[0].Model != "mine" || len(task.Map.Obstacles) != 10 {
		t.Errorf("task = %+v", task)
	}
	centre, _ := task.Map.Clearance(task.Frame.ToMap(geom.Vec2{X: 20, Y: 20}))
	if own, _ := nav2d.Highways().Clearance(geom.Vec2{}); centre != own {
		t.Errorf("clearance at the centre = %v, want that of the map, %v", centre, own)
	}
}

func TestReadSceneErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("only the drawing of demonstrations has goroutines, which another test watches")
	}
	for _, c := range []struct {
		name, yaml   string
		line, column int
		message      string
	}{
		{"misspelt key", "robots:\n  - {nam: x}\n", 2, 6, `unknown key "nam", did you mean "name"?`},
		{"misspelt long key", "durration: 4\n", 1, 1, `did you mean "duration"?`},
		{"unknown key", "robots:\n  - colour: red\n", 2, 5, "robots {name, start"},
		{"wrong type", "robots:\n  - speed: 3 m/s\n", 2, 12, `"3 m/s" is text, want a number`},
		{"list for a number", "duration: [1]\n", 1, 11, "want a number"},
		{"number for a point", "robots:\n  - start: 5\n", 2, 12, "sequence is expected"},
		{"repeated key", "name: a\nname: b\n", 2, 1, "already defined"},
		{"syntax", "robots:\n  - name: x\n   start: [1, 2\n", 3, 4, "not allowed"},
		{"a list", "[1, 2]", 1, 1, "mapping is expected"},
		{"empty", "", 0, 0, "empty"},
		{"only a comment", "# nothing\n", 0, 0, "empty"},
		{"two documents", "name: a\n---\nname: b\n", 0, 0, "more than one document"},
		{"too deep", "name: a\nboxes: " + strings.Repeat("[", 17), 2, 23, "nested"},
		{"alias", "name: &n a\nmap: *n\n", 1, 7, "anchors (&) are not read"},
		{"merge", "<<: {name: a}\n", 1, 1, "merge keys (<<)"},
		{"too large", strings.Repeat("# padding\n", 420000), 0, 0, "4096 KiB"},
	} {
		_, err := nav2d.ReadScene(strings.NewReader(c.yaml))
		var scene *nav2d.SceneError
		if !errors.As(err, &scene) || scene.Line != c.line || scene.Column != c.column || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want line %d, column %d, %q", c.name, err, c.line, c.column, c.message)
		}
	}
}

// change returns the warehouse with one thing wrong.
func change(t *testing.T, f func(*nav2d.Scene)) error {
	t.Helper()
	s := warehouse(t)
	f(s)
	_, err := s.Task()
	return err
}

func TestSceneValues(t *testing.T) {
	nan := math.NaN()
	for key, f := range map[string]func(*nav2d.Scene){
		"duration":              func(s *nav2d.Scene) { s.Duration = &nav2d.Clock{Seconds: -1} },
		"bounds.min":            func(s *nav2d.Scene) { s.Bounds.Min = []float64{0, nan} },
		"bounds.max":            func(s *nav2d.Scene) { s.Bounds.Max = []float64{12, 0} },
		"bounds":                func(s *nav2d.Scene) { s.Bounds.Max = []float64{1000, 8} },
		"boxes[1].size":         func(s *nav2d.Scene) { s.Boxes[1].Size = []float64{1, 0} },
		"boxes[0].center":       func(s *nav2d.Scene) { s.Boxes[0].Center = []float64{1} },
		"boxes[0].radius":       func(s *nav2d.Scene) { s.Boxes[0].Radius = 0.6 },
		"circles[0].radius":     func(s *nav2d.Scene) { s.Circles[0].Radius = 0 },
		"circles[0].center":     func(s *nav2d.Scene) { s.Circles[0].Center = nil },
		"robots[0] (ada).start": func(s *nav2d.Scene) { s.Robots[0].Start = nav2d.At(1, 2, 3) },
		"robots[1] (bob).goal":  func(s *nav2d.Scene) { s.Robots[1].Goal = nav2d.At(math.Inf(1), 2) },
		"robots[2].radius":      func(s *nav2d.Scene) { s.Robots[2].Radius = &nan },
		"robots[2].speed":       func(s *nav2d.Scene) { s.Robots[2].Speed = new(-1.0) },
		"robots[1].name":        func(s *nav2d.Scene) { s.Robots[1].Name = "ada" },
	} {
		var value *nav2d.ValueError
		if err := change(t, f); !errors.As(err, &value) || value.Key != key {
			t.Errorf("%s: %v, want a ValueError for it", key, err)
		}
	}
	// A value that is too large, or too near to zero, is told so.
	for want, f := range map[string]func(*nav2d.Scene){
		"speed is 1e+308, want 1.2e-05 to 1e+12":       func(s *nav2d.Scene) { s.Robots[2].Speed = new(1e308) },
		"acceleration is 1e-30, want 1e-12 to 1e+12":   func(s *nav2d.Scene) { s.Acceleration = new(1e-30) },
		"margin is 1e+13, want a distance from 0 to 1": func(s *nav2d.Scene) { s.Margin = new(1e13) },
	} {
		if err := change(t, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := change(t, func(s *nav2d.Scene) { s.Map.Name = "conveyor" }); err == nil || !strings.Contains(err.Error(), "square") {
		t.Errorf("published map on an oblong = %v", err)
	}
	var name *nav2d.UnknownNameError
	if err := change(t, func(s *nav2d.Scene) { s.Pattern = "circulat" }); !errors.As(err, &name) || name.Nearest != "circulate" {
		t.Errorf("unknown pattern = %v", err)
	}
	if err := change(t, func(s *nav2d.Scene) { s.Map.Name = "motorway" }); !errors.As(err, &name) || name.Kind != "map" || name.Nearest != "" {
		t.Errorf("unknown map = %v", err)
	}
	if err := change(t, func(s *nav2d.Scene) { s.Robots = nil }); !errors.Is(err, nav2d.ErrNoRobots) {
		t.Errorf("no robots = %v", err)
	}
}

func TestScenePlacement(t *testing.T) {
	var p *nav2d.PlacementError
	err := change(t, func(s *nav2d.Scene) { s.Robots[0].Goal = nav2d.At(3.6, 4) })
	if !errors.As(err, &p) || p.Robot != "ada" || p.Place != "goal" || p.Outside || math.Abs(p.Clearance-0.1) > 1e-12 || math.Abs(p.Radius-0.3) > 1e-12 {
		t.Errorf("goal in an obstacle = %v", err)
	}
	err = change(t, func(s *nav2d.Scene) { s.Robots[2].Start = nav2d.At(12.5, 4) })
	if !errors.As(err, &p) || p.Robot != "robot 3" || p.Place != "start" || !p.Outside || math.Abs(p.Clearance-0.9) > 1e-12 {
		t.Errorf("start outside = %v", err)
	}
	var sep *nav2d.SeparationError
	err = change(t, func(s *nav2d.Scene) { s.Robots[1].Start = nav2d.At(1.3, 4.5) })
	if !errors.As(err, &sep) || sep.Robots != [2]string{"ada", "bob"} || sep.Place != "starts" || math.Abs(sep.Distance-0.5) > 1e-12 || math.Abs(sep.Need-0.6) > 1e-12 {
		t.Errorf("overlapping starts = %v", err)
	}
}

func TestSceneReportsEverything(t *testing.T) {
	err := change(t, func(s *nav2d.Scene) {
		s.Robots[0].Start = nav2d.At(3, 4)
		s.Robots[1].Goal = nav2d.At(-1, 0)
		s.Robots[2].Goal = nav2d.At(6, 1)
	})
	for _, want := range []string{"the start (3, 4) of ada", "the goal (-1, 0) of bob", "the goal (6, 1) of robot 3"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want it to contain %q", err, want)
		}
	}
}

func TestCheckReach(t *testing.T) {
	s := warehouse(t)
	s.Circles = nil // bob's way leads around the corner of a box
	s.Robots[0].Speed = new(0.9)
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	err = task.CheckReach(nav2d.Waypoints, task.Step)
	var u *nav2d.UnreachableError
	if !errors.As(err, &u) || u.Robot != "ada" || strings.Contains(err.Error(), "bob") {
		t.Fatalf("CheckReach = %v, want ada only", err)
	}
	if got, want := u.Range, 0.9*10*63/64; math.Abs(got-want) > 1e-12 {
		t.Errorf("range = %v, want %v", got, want)
	}
	if want := math.Hypot(10, 0.9); math.Abs(u.Way-want) > 1e-12 || math.Abs(u.Distance-want) > 1e-12 || math.Abs(u.Seconds-want/0.9*64/63) > 1e-9 {
		t.Errorf("way, distance, seconds = %v, %v, %v, want %v straight", u.Way, u.Distance, u.Seconds, want)
	}
	if err := task.CheckReach(2*nav2d.Waypoints, task.Step); err != nil {
		t.Errorf("with twice the time: %v", err)
	}
}

// Who has no way and who needs most time are told first, of many robots not all.
func TestCheckReachOfMany(t *testing.T) {
	s := &nav2d.Scene{Boxes: []nav2d.Box{{Center: []float64{0.9, 0}, Size: []float64{0.02, 2}}}, Duration: &nav2d.Clock{Seconds: 1}}
	for i := range 30 {
		y := 0.06*float64(i) - 0.9
		s.Robots = append(s.Robots, nav2d.Robot{Start: nav2d.At(-0.9, y), Goal: nav2d.At(0.02*float64(i), y), Radius: new(0.02), Speed: new(0.1)})
	}
	s.Robots[7].Goal = nav2d.At(0.96, 0.06*7-0.9)
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(task.CheckReach(nav2d.Waypoints, task.Step).Error(), "\n")
	if len(lines) != 21 || !strings.Contains(lines[0], "robot 8 ") || !strings.Contains(lines[1], "robot 30 ") || !strings.Contains(lines[2], "robot 29 ") || !strings.Contains(lines[20], "and 10 more") {
		t.Errorf("CheckReach = %q, want robots 8, 30, 29 and so on", lines)
	}
}

// Around a round obstacle the shortest way is two tangents and an arc.
func TestCheckReachAroundObstacle(t *testing.T) {
	s := &nav2d.Scene{
		Duration: &nav2d.Clock{Seconds: 5},
		Circles:  []nav2d.Circle{{Center: []float64{0, 0}, Radius: 0.35}},
		Robots:   []nav2d.Robot{{Start: nav2d.At(-0.8, 0), Goal: nav2d.At(0.8, 0), Radius: new(0.05), Speed: new(0.1)}},
	}
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	var u *nav2d.UnreachableError
	if err := task.CheckReach(nav2d.Waypoints, task.Step); !errors.As(err, &u) {
		t.Fatalf("CheckReach = %v, want an UnreachableError", err)
	}
	want := 2*math.Sqrt(0.8*0.8-0.4*0.4) + 0.4*(math.Pi-2*math.Acos(0.5))
	if u.Way < want-1e-3 || u.Way > 1.02*want {
		t.Errorf("way = %v, want %v or up to 2 %% more", u.Way, want)
	}
}

func TestCheckReachWalledOff(t *testing.T) {
	s := &nav2d.Scene{
		Boxes:  []nav2d.Box{{Center: []float64{0, 0}, Size: []float64{0.1, 1.9}}},
		Robots: []nav2d.Robot{{Name: "wide", Start: nav2d.At(-0.5, 0), Goal: nav2d.At(0.5, 0), Radius: new(0.1)}},
	}
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	var u *nav2d.UnreachableError
	if err := task.CheckReach(nav2d.Waypoints, task.Step); !errors.As(err, &u) || !math.IsInf(u.Way, 1) || !strings.Contains(err.Error(), "no way wide enough") {
		t.Errorf("CheckReach = %v, want no way", err)
	}
	task.Robots[0].Radius = 0.02 // beside the box there is room for 0.025
	if err := task.CheckReach(nav2d.Waypoints, task.Step); err != nil {
		t.Errorf("a narrow robot: %v", err)
	}
}

// In metres of a map projection a refusal says where to a hundredth of a radius.
func TestRefusalsFarFromZero(t *testing.T) {
	const east, north = 432017.35, 5411020.2
	s := &nav2d.Scene{
		Bounds: &nav2d.Bounds{Min: []float64{east - 10, north - 10}, Max: []float64{east + 10, north + 10}},
		Boxes:  []nav2d.Box{{Center: []float64{east, north}, Size: []float64{1, 17}}},
		Robots: []nav2d.Robot{{Name: "wide", Start: nav2d.At(east-5, north), Goal: nav2d.At(east+5, north), Radius: new(1.0)}},
	}
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	const between = "near (432017.85, 5411029.45)"
	if err := task.CheckReach(nav2d.Waypoints, task.Step); err == nil || !strings.Contains(err.Error(), between) && !strings.Contains(err.Error(), "near (432017.85, 5411010.95)") {
		t.Errorf("CheckReach = %v, want a place %s or opposite", err, between)
	}
	s.Robots[0].Goal = nav2d.At(east+0.25, north)
	if _, err := s.Task(); err == nil || !strings.Contains(err.Error(), "the goal (432017.6, 5411020.2) of wide") {
		t.Errorf("a goal in a box: %v", err)
	}
}

func FuzzReadScene(f *testing.F) {
	data, err := os.ReadFile("testdata/warehouse.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("robots: [{start: [1, .nan], goal: [0, 0]}]"))
	f.Add([]byte("bounds: {min: [-1e300, 0], max: [1e-300, 1]}\nrobots: [{start: [0, 0], goal: [0, 0]}]"))
	f.Add([]byte("a: &a [1]\nboxes: [*a, <<: *a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := nav2d.ReadScene(bytes.NewReader(data))
		if err != nil || len(s.Robots) > 8 || len(s.Boxes)+len(s.Circles) > 8 {
			return
		}
		task, err := s.Task()
		if err != nil {
			return
		}
		for _, r := range task.Robots {
			if !r.Start.IsFinite() || !r.Goal.IsFinite() || !(r.Radius > 0) || !(r.Speed > 0) {
				t.Errorf("accepted robot %+v", r)
			}
		}
	})
}

func ExampleReadScene() {
	scene, err := nav2d.ReadScene(strings.NewReader(`
bounds: {min: [0, 0], max: [10, 10]}
duration: 5
circles: [{center: [5, 5], radius: 1}]
robots:
  - {name: ada, start: [1, 5], goal: [9, 5], radius: 0.4, speed: 1.5}
  - {name: bob, start: [5, 1], goal: [5, 8], radius: 0.4, speed: 2}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	task, err := scene.Task()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(task.CheckReach(nav2d.Waypoints, task.Step))
	// Output: nav2d: ada cannot reach its goal in time: the way is 8.526 long, 1.14 more than it gets at its speed limit; it needs a duration of 5.78 s
}
