package nav2d

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
)

// hallOf returns the hall of a scene of 12 by 8 metres, somewhere in UTM, with a rack.
func hallOf(t *testing.T, more string) *Hall {
	t.Helper()
	scene, err := nav2d.ReadScene(strings.NewReader("name: hall\nunits: m\nbounds: {min: [1000, 2000], max: [1012, 2008]}\n" +
		"boxes: [{center: [1006, 2004], size: [6, 1]}]\n" + more))
	if err != nil {
		t.Fatal(err)
	}
	task, err := scene.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHall(task, 0)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const hallRobots = "robots:\n- {start: [1001, 2001], goal: [1011, 2007], radius: 0.4}\n- {start: [1006, 2006.2], goal: [1001, 2007], radius: 0.3}\n"

// Demonstrations on a scene keep the radius of its largest robot from all obstacles and within
// the bounds; half of their ends are places of the scene.
func TestDemonstrationsOfAHall(t *testing.T) {
	h := hallOf(t, hallRobots)
	if math.Abs(h.Radius*h.Frame.Scale-0.4) > 1e-12 {
		t.Errorf("radius %v, want 0.4", h.Radius*h.Frame.Scale)
	}
	set, err := nav2d.Generate(t.Context(), h.Map, nav2d.DemonstrationOptions{Contexts: 40, PerContext: 2, Workers: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := set.Trajectories
	if x.N < 60 {
		t.Errorf("%d of 80 demonstrations", x.N)
	}
	places := 0
	for k := range x.N {
		path := geom.Points(nil, x.Sample(k), nav2d.Channels)
		for _, p := range path {
			if d, _ := h.Map.Clearance(p); d < h.Radius-1e-6 || !h.Map.Bounds.Grow(1e-6-h.Radius).Contains(p) {
				t.Fatalf("demonstration %d is at %v, %v from an obstacle", k, h.Frame.FromMap(p), d*h.Frame.Scale)
			}
		}
		for _, want := range []geom.Vec2{{X: 1001, Y: 2001}, {X: 1011, Y: 2007}, {X: 1006, Y: 2006.2}, {X: 1001, Y: 2007}} {
			for _, end := range []geom.Vec2{path[0], path[len(path)-1]} {
				if h.Frame.FromMap(end).Dist(want) < 1e-3 {
					places++
				}
			}
		}
	}
	if share := float64(places) / float64(2*x.N); share < 0.25 || share > 0.75 {
		t.Errorf("%.2f of the ends are places", share)
	}
	scene, err := nav2d.ReadScene(strings.NewReader("duration: 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	task, err := scene.Workspace()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewHall(task, 0); err == nil || !strings.Contains(err.Error(), "--radius") {
		t.Errorf("a scene without robots: %v", err)
	}
}

// Recordings become waypoints at even times with velocities, in the frame of the hall.
func TestRecordings(t *testing.T) {
	h, dir := hallOf(t, hallRobots), t.TempDir()
	table := filepath.Join(dir, "trips.csv")
	if err := os.WriteFile(table, []byte("t,robot,x,y\n100,b,1001,2001\n102,b,1002,2001\n106,b,1006,2001\n0,a,1010,2007\n3,a,1001,2007\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := h.LoadRecording(table)
	if err != nil || x.N != 2 {
		t.Fatalf("%d trips, %v", x.N, err)
	}
	for k, want := range [2]func(u float64) geom.Vec2{
		func(u float64) geom.Vec2 { return geom.Vec2{X: 1010 - 9*u, Y: 2007} },
		func(u float64) geom.Vec2 { return geom.Vec2{X: 1001 + 6*u - max(0, u-1.0/3)*0, Y: 2001} },
	} {
		path := geom.Points(nil, x.Sample(k), nav2d.Channels)
		for _, w := range []int{0, 10, 40, 63} {
			got, p := h.Frame.FromMap(path[w]), want(float64(w)/63)
			if k == 1 { // a metre in the first two of six seconds, then five
				u := float64(w) / 63 * 6
				p.X = 1001 + min(u, 2)/2 + max(u-2, 0)
			}
			if got.Dist(p) > 1e-3 {
				t.Errorf("trip %d, waypoint %d: %v, want %v", k, w, got, p)
			}
		}
		row := x.Sample(k)
		v := (float64(path[21].X) - float64(path[19].X)) / (2 * nav2d.Step)
		if math.Abs(float64(row[20*nav2d.Channels+2])-v) > 1e-5 || row[2] != 0 || row[len(row)-1] != 0 {
			t.Errorf("trip %d: velocity %v, want %v", k, row[20*nav2d.Channels+2], v)
		}
	}
	a, err := dataset.NewArray("runs", []int{2, 3, 2}, []float64{1001, 2001, 1005, 2001, 1011, 2001, 1001, 2007, 1006, 2007, 1011, 2007})
	if err != nil {
		t.Fatal(err)
	}
	array := filepath.Join(dir, "runs.npz")
	if err := dataset.WriteNPZ(array, a); err != nil {
		t.Fatal(err)
	}
	if x, err = h.LoadRecording(array); err != nil || x.N != 2 || x.Shape[0] != nav2d.Waypoints {
		t.Errorf("%d trips of %v, %v", x.N, x.Shape, err)
	}
	for name, text := range map[string]string{"one.csv": "t,x,y\n0,1001,2001\n", "words.csv": "t,x,y\n0,a,b\n", "far.csv": "t,x,y\n0,1,2\n1,3,4\n"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var broken *dataset.FormatError
		var outside *OutsideError
		if _, err := h.LoadRecording(path); !errors.As(err, &broken) && !errors.As(err, &outside) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A model of a hall means the same places in scenes of it with other bounds.
func TestModelsKeepTheFrameOfTheirHall(t *testing.T) {
	h := hallOf(t, hallRobots)
	m, err := plan.Bundled("empty")
	if err != nil {
		t.Fatal(err)
	}
	if m.In(nav2d.Frame{Scale: 7}) != m {
		t.Error("a model of no particular place moves")
	}
	own := *m
	own.Card.Hall = h.Card()
	other := nav2d.Frame{Center: geom.Vec2{X: 1004, Y: 2005}, Scale: 9}
	moved := own.In(other)
	for c, center := range [2][2]float64{{h.Frame.Center.X, other.Center.X}, {h.Frame.Center.Y, other.Center.Y}} {
		for k, limits := range [2][2][]float32{{own.Limits.Min, moved.Limits.Min}, {own.Limits.Max, moved.Limits.Max}} {
			was, is := float64(limits[0][c])*h.Frame.Scale+center[0], float64(limits[1][c])*9+center[1]
			if math.Abs(was-is) > 1e-3 {
				t.Errorf("limit %d of %d is at %v, was at %v", k, c, is, was)
			}
		}
	}
	if a, b := own.HalfRange(), moved.HalfRange(); math.Abs(a[0]*h.Frame.Scale-b[0]*9) > 1e-4 {
		t.Errorf("half ranges %v, %v", a, b)
	}
}
