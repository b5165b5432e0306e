package paths

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// Files of every kind, and the paths in them.
var files = map[string]struct {
	name, text string
	o          Options
	kind       Kind
	want       []Path
}{
	"plan of curves": {
		name: "plan.json",
		text: `{"version": 2, "motion": "curve", "times": [0, 0.5], "robots": [{"name": "a", "radius": 0.3}], "plan": {"trajectories": {"a": [[1, 2, 0, 0], [3, 4, 5, 6]]}, "certificate": {"certified": true, "margins": []}}}`,
		kind: Plan, want: []Path{{Robot: "a", Times: []float64{0, 0.5}, X: []geom.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}}, V: []geom.Vec2{{}, {X: 5, Y: 6}}}},
	},
	"nearest of a polyline": {
		name: "plan.json",
		text: `{"version": 2, "motion": "polyline", "times": [0, 0.5], "robots": [], "nearest": {"trajectories": {"a": [[1, 2, 0, 0], [3, 4, 5, 6]]}, "certificate": {}}}`,
		kind: Plan, want: []Path{{Robot: "a", Times: []float64{0, 0.5}, X: []geom.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}}}},
	},
	"table": {
		name: "paths.csv", text: "\xef\xbb\xbfrobot,time,x,y,load\r\n\"b, c\",1,3,4,full\r\n\"b, c\",0,1.5,2e1,\r\na,0,7,8,\r\n",
		kind: Table, want: []Path{
			{Robot: "a", Times: []float64{0}, X: []geom.Vec2{{X: 7, Y: 8}}},
			{Robot: "b, c", Times: []float64{0, 1}, X: []geom.Vec2{{X: 1.5, Y: 20}, {X: 3, Y: 4}}},
		},
	},
	"table of one robot, with velocities": {
		name: "x/amr 1.csv", text: "t;x;y;vx;vy\n0;1;2;0;0\n2;3;4;1;1\n",
		kind: Table, want: []Path{{Robot: "amr 1", Times: []float64{0, 2}, X: []geom.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}}, V: []geom.Vec2{{}, {X: 1, Y: 1}}}},
	},
	"ROS path": {
		name: "amr.yaml",
		text: "# robot: amr 7\nheader: {stamp: {sec: 0, nanosec: 0}, frame_id: map}\nposes:\n- header:\n    stamp: {sec: 1, nanosec: 500000000}\n    frame_id: map\n" +
			"  pose:\n    position: {x: 1.0, y: 2.0, z: 0.0}\n    orientation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}\n- header: {stamp: {sec: 3, nanosec: 0}}\n  pose: {position: {x: 4, y: 5}}\n",
		kind: ROSPath, want: []Path{{Robot: "amr 7", Times: []float64{1.5, 3}, X: []geom.Vec2{{X: 1, Y: 2}, {X: 4, Y: 5}}}},
	},
	"ROS paths without stamps": {
		name: "p.yaml", text: "poses:\n- pose: {position: {x: 1, y: 2}}\n- pose: {position: {x: 4, y: 5}}\n---\nposes:\n- pose: {position: {x: 1, y: 7}}\n",
		kind: ROSPath, want: []Path{{Robot: "p 1", X: []geom.Vec2{{X: 1, Y: 2}, {X: 4, Y: 5}}}, {Robot: "p 2", Times: []float64{0}, X: []geom.Vec2{{X: 1, Y: 7}}}},
	},
	"ROS trajectory": {
		name: "t.yaml",
		text: "joint_names: [a, 'b']\npoints:\n- transforms: [{translation: {x: 1, y: 2}}, {translation: {x: 3, y: 4}}]\n  velocities: [{linear: {x: 0, y: 0}}, {linear: {x: 1, y: 1}}]\n" +
			"  time_from_start: {sec: 0, nanosec: 0}\n- transforms: [{translation: {x: 5, y: 6}}, {translation: {x: 7, y: 8}}]\n  velocities: [{linear: {x: 2, y: 2}}, {linear: {x: 3, y: 3}}]\n  time_from_start: {sec: 0, nanosec: 250000000}\n",
		kind: MultiDOF, want: []Path{
			{Robot: "a", Times: []float64{0, 0.25}, X: []geom.Vec2{{X: 1, Y: 2}, {X: 5, Y: 6}}, V: []geom.Vec2{{}, {X: 2, Y: 2}}},
			{Robot: "b", Times: []float64{0, 0.25}, X: []geom.Vec2{{X: 3, Y: 4}, {X: 7, Y: 8}}, V: []geom.Vec2{{X: 1, Y: 1}, {X: 3, Y: 3}}},
		},
	},
	"VDA 5050 states": {
		name: "s.json",
		text: `{"serialNumber": "b", "timestamp": "2026-01-31T12:00:00.00Z", "orderId": "", "agvPosition": {"x": 1, "y": 2}, "intermediatePath": {"polyline": [{"x": 3, "y": 4, "eta": "2026-01-31T12:00:01.500Z"}]}}` + "\n" +
			`{"serialNumber": "a", "timestamp": "2026-01-31T12:00:00.50Z", "mobileRobotPosition": {"x": 5, "y": 6}, "intermediatePath": {"polyline": [{"x": 5, "y": 6, "eta": "2026-01-31T12:00:00.5Z"}, {"x": 7, "y": 8, "eta": "2026-01-31T14:00:01Z"}]}}`,
		kind: State, want: []Path{
			{Robot: "a", Times: []float64{0.5, 7201}, X: []geom.Vec2{{X: 5, Y: 6}, {X: 7, Y: 8}}},
			{Robot: "b", Times: []float64{0, 1.5}, X: []geom.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}}},
		},
	},
	"VDA 5050 order": {
		name: "o.json",
		text: `{"serialNumber": "a", "orderId": "1", "nodes": [{"sequenceId": 2, "nodePosition": {"x": 3, "y": 3}}, {"sequenceId": 0, "nodePosition": {"x": 1, "y": 1}}], "edges": [{"sequenceId": 1, "trajectory": {"degree": 1, "controlPoints": [{"x": 1, "y": 1}, {"x": 2, "y": 5}, {"x": 3, "y": 3}]}}]}`,
		kind: Order, want: []Path{{Robot: "a", X: []geom.Vec2{{X: 1, Y: 1}, {X: 2, Y: 5}, {X: 3, Y: 3}}}},
	},
	"TUM": {
		name: "amr_3.txt", text: "# timestamp tx ty tz qx qy qz qw\n1.5 1 2 0 0 0 0 1\n2.5 3 4 0 0 0 0 1\n",
		kind: TUM, want: []Path{{Robot: "amr_3", Times: []float64{1.5, 2.5}, X: []geom.Vec2{{X: 1, Y: 2}, {X: 3, Y: 4}}}},
	},
	"steps": {
		name: "result.txt", text: "agents=2\nsolved=1\nsolution=\n0:(0,0),(3,1),\n1:(1,0),(3,2),\n", o: Options{Robots: []string{"first", "second"}, Height: 4},
		kind: Steps, want: []Path{
			{Robot: "first", Times: []float64{0, 1}, X: []geom.Vec2{{X: 0.5, Y: 3.5}, {X: 1.5, Y: 3.5}}},
			{Robot: "second", Times: []float64{0, 1}, X: []geom.Vec2{{X: 3.5, Y: 2.5}, {X: 3.5, Y: 1.5}}},
		},
	},
}

func TestFiles(t *testing.T) {
	for what, c := range files {
		f, err := Read(c.name, []byte(c.text), c.o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if !reflect.DeepEqual(f.Paths, c.want) || f.Kind != c.kind {
			t.Errorf("%s: a %s: %+v, want %+v", what, f.Kind, f.Paths, c.want)
		}
	}
}

// Damaged files are errors that tell the file, and the line where there is one.
func TestDamagedFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "empty"}, {"hello", "no paths that are known"}, {"a,b\n1,2\n", "no column t"}, {"t,x,y\n0,1,2\n0,2,3\n", "want one after 0"},
		{"t,x,y\n0,1,zwei\n", "line 2: y is"}, {"t,x,y\n0,1\n", "line 2"}, {"t,x,y\n0,1,NaN\n", "finite"}, {"t,x,y\nInf,1,1\n", "finite"}, {"t,time,x,y\n", "two columns for t"},
		{"{", "not JSON"}, {"{}", "neither plan.json"}, {"[]", "nothing in it"}, {`{"plan": {}, "version": 7}`, "version 7"},
		{`{"version": 2, "times": [0, 1], "plan": {"trajectories": {"a": [[1, 2, 3, 4]]}}}`, "1 waypoints"},
		{`{"version": 2, "times": [0], "plan": {"trajectories": {"a": [[1, 2]]}}}`, "2 numbers"},
		{`{"version": 2, "motion": "jump", "times": [0], "plan": {"trajectories": {}}}`, "motion jump"},
		{`{"serialNumber": "a"}`, "no intermediatePath"}, {`{"serialNumber": "a", "intermediatePath": {"polyline": [{"x": 1, "y": 2, "eta": "soon"}]}}`, "ISO 8601"},
		{`{"orderId": "1", "nodes": [{"sequenceId": 0}]}`, "no position"},
		{`{"orderId": "1", "nodes": [], "edges": [{"sequenceId": 1, "trajectory": {"degree": 3}}]}`, "degree 3"},
		{"joint_names: [a]\npoints:\n- transforms: []\n", "0 transforms"}, {"poses: [\n", "line"}, {"poses: []\n", "no points"}, {"0:(1,1)\n", "cells of a grid"},
	} {
		_, err := Read("some file", []byte(c.text), Options{})
		var broken *FormatError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "some file") {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// readCurve returns the path that is read from the table of a curve, with rows so many seconds apart.
func readCurve(t *testing.T, c geom.Curve, apart float64) Path {
	t.Helper()
	var text strings.Builder
	text.WriteString("t,robot,x,y,vx,vy,ax,ay\n")
	for k := 0; ; k++ {
		time := min(apart*float64(k), c.Duration())
		x, v, a := c.At(time)
		fmt.Fprintf(&text, "%v,a,%v,%v,%v,%v,%v,%v\n", time, x.X, x.Y, v.X, v.Y, a.X, a.Y)
		if time == c.Duration() {
			break
		}
	}
	f, err := Read("motion.csv", []byte(text.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f.Paths[0]
}

// A table of a smooth motion is that motion, also between rows of which no one is at a knot.
func TestKnotsBetweenRows(t *testing.T) {
	points := []geom.Vec2{{}, {X: 0.1, Y: 0.2}, {X: 0.5, Y: 0.1}, {X: 0.9, Y: 0.8}, {X: 1, Y: 1.4}, {X: 2, Y: 1.5}}
	for _, far := range []float64{0, 1e3} {
		moved := make([]geom.Vec2, len(points))
		for k, p := range points {
			moved[k] = p.Add(geom.Vec2{X: far, Y: -far})
		}
		c := geom.NaturalSpline(moved, 0.47, geom.Vec2{}, geom.Vec2{})
		p := readCurve(t, c, 0.02)
		for k := 1; k < len(p.Times); k++ {
			span := geom.Curve{X: p.X[k-1 : k+1], V: p.V[k-1 : k+1], Step: p.Times[k] - p.Times[k-1]}
			for _, u := range []float64{0.25, 0.5, 0.75} {
				x, v, a := span.At(u * span.Step)
				y, w, b := c.At(p.Times[k-1] + u*span.Step)
				if x.Dist(y) > 1e-12*(1+far) || v.Dist(w) > 1e-8*(1+far) || a.Dist(b) > 1e-4 {
					t.Fatalf("at %v: %v %v %v, want %v %v %v", p.Times[k-1]+u*span.Step, x, v, a, y, w, b)
				}
			}
		}
		knots := 0
		for _, time := range p.Times {
			if h := time / 0.47; math.Abs(h-math.Round(h)) < 1e-4 && h > 0.1 && h < 4.9 {
				knots++
			}
		}
		if knots != 4 {
			t.Errorf("%d of 4 knots found", knots)
		}
	}
}

// A robot that hardly moves, whose accelerations are made of last digits, hides from nobody where the knots of others are.
func TestKnotsBesideRobotsThatHardlyMove(t *testing.T) {
	points := []geom.Vec2{{}, {X: 0.1, Y: 0.2}, {X: 0.5, Y: 0.1}, {X: 0.9, Y: 0.8}, {X: 1, Y: 1.4}, {X: 2, Y: 1.5}, {X: 2.2, Y: 2}, {X: 2.2, Y: 3}, {X: 2.3, Y: 3.1}}
	c := geom.NaturalSpline(points, 0.3125, geom.Vec2{}, geom.Vec2{})
	var text strings.Builder
	text.WriteString("t,robot,x,y,vx,vy,ax,ay\n")
	for k := range 18 {
		time := min(float64(k)/7, c.Duration())
		x, v, a := c.At(time)
		fmt.Fprintf(&text, "%v,a,%v,%v,%v,%v,%v,%v\n", time, x.X, x.Y, v.X, v.Y, a.X, a.Y)
		fmt.Fprintf(&text, "%v,b,5,%v,0,%v,0,%v\n", time, 5+1e-10*float64(k*k%7), 1e-10*float64(k*k*k%5), 1e-9*float64(k%3))
	}
	f, err := Read("motion.csv", []byte(text.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := f.Paths[slices.IndexFunc(f.Paths, func(p Path) bool { return p.Robot == "a" })]
	for k := 1; k < len(p.Times); k++ {
		span := geom.Curve{X: p.X[k-1 : k+1], V: p.V[k-1 : k+1], Step: p.Times[k] - p.Times[k-1]}
		for _, u := range []float64{0.25, 0.5, 0.75} {
			_, _, a := span.At(u * span.Step)
			if _, _, b := c.At(p.Times[k-1] + u*span.Step); a.Dist(b) > 1e-4 {
				t.Fatalf("at %v it accelerates by %v, want %v", p.Times[k-1]+u*span.Step, a, b)
			}
		}
	}
}

// A message that is too large is refused with what to do: teams of many robots are exported with as many points.
func TestLargeMessagesSayWhatToDo(t *testing.T) {
	text := append([]byte("poses:\n"), bytes.Repeat([]byte("- {pose: {position: {x: 0.0, y: 0.0}}}\n"), maxMessage/39+1)...)
	if _, err := Read("path.yaml", text, Options{}); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB: write fewer points a second (pcd export --rate)") {
		t.Errorf("%v", err)
	}
}
