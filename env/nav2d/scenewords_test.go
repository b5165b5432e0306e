package nav2d

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

func TestPolygonsSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ name, points, want string }{
		{"dent", "[[0, 0], [4, 0], [2, 1], [4, 4], [0, 4]]", "polygons[0].points[2] is [2 1], want a corner of a convex polygon: the outline is not convex there"},
		{"dent, clockwise", "[[0, 4], [4, 4], [2, 1], [4, 0], [0, 0]]", "polygons[0].points[2] is [2 1], want a corner of a convex polygon"},
		{"dent at the first corner", "[[2, 1], [4, 4], [0, 4], [0, 0], [4, 0]]", "polygons[0].points[0] is [2 1]"},
		{"bow tie", "[[0, 0], [4, 4], [4, 0], [0, 4]]", "the edges that begin at points[0] and points[2] cross"},
		{"star", "[[0, 3], [2, -3], [-3, 1], [3, 1], [-2, -3]]", "cross"},
		{"line", "[[0, 0], [1, 1], [3, 3]]", "corners that are not all on one line"},
		{"one point", "[[1, 1], [1, 1], [1, 1]]", "corners that are not all on one line"},
		{"spike", "[[0, 0], [4, 0], [4, 4], [4, 2], [0, 4]]", "polygons[0].points"},
		{"twice round", "[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0], [4, 0], [4, 4], [0, 4]]", "polygons[0].points"},
		{"two corners", "[[0, 0], [1, 1]]", "polygons[0].points is 2 points, want 3 to 32 corners"},
		{"many corners", "[" + strings.Repeat("[0, 0], ", 33) + "[1, 1]]", "polygons[0].points is 34 points, want 3 to 32 corners"},
		{"three numbers", "[[0, 0], [1, 1, 1], [0, 1]]", "polygons[0].points[1] is [1 1 1], want two numbers"},
	} {
		_, err := readScene(t, "bounds: {min: [-5, -5], max: [15, 15]}\npolygons: [{points: "+c.points+"}]\nrobots: [{start: [9, 9], goal: [9, 11]}]").Task()
		var value *ValueError
		if !errors.As(err, &value) || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: %v, want %q alone", c.name, err, c.want)
		}
	}
}

// Corners that repeat one, or lie on an edge, are no dents.
func TestPolygonsMayHaveCornersOnTheirEdges(t *testing.T) {
	for name, c := range map[string]struct {
		points  string
		corners int
	}{
		"on an edge":          {"[[0, 0], [2, 0], [4, 0], [4, 4], [0, 4]]", 4},
		"on a slanted edge":   {"[[0.1, 0.1], [0.2, 0.2], [0.3, 0.3], [0.7, 0.7], [0, 4]]", 3},
		"closed, as in files": {"[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]", 4},
		"clockwise":           {"[[0, 4], [2, 4], [4, 4], [4, 0], [0, 0]]", 4},
	} {
		task, err := readScene(t, "bounds: {min: [-5, -5], max: [15, 15]}\npolygons: [{points: "+c.points+"}]\nrobots: [{start: [9, 9], goal: [9, 11]}]").Task()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if core := task.Map.Obstacles[0].(geom.Convex).Core; len(core) != c.corners || !core.IsConvex() {
			t.Errorf("%s: %v, want %d corners", name, core, c.corners)
		}
	}
}

// What people have instead of a scene is told by what it is, with what to do with it.
func TestForeignFilesAreRecognised(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"ROS map":        {"image: floor.pgm\nresolution: 0.05\norigin: [-10, -10, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n", "this describes a ROS map"},
		"ROS map, late":  {"free_thresh: 0.196\nresolution: 0.05\nimage: floor.pgm\n", "map: {file: NAME}"},
		"PGM":            {"P5\n# CREATOR\n4 4\n255\n\x00\xff\x80", "this is an image"},
		"PNG":            {"\x89PNG\r\n\x1a\n\x00\x00", "this is an image"},
		"CSV":            {"x,y,theta\n1.5,2,90\n2,2.5,90\n", "this is a table of numbers"},
		"CSV, no header": {"0.0, 1.5, 2\n0.1, 1.6, 2\n", "robots: [{start: [x, y], goal: [x, y]}]"},
		"semicolons":     {"t;x;y\r\n0;1;2\r\n", "this is a table of numbers"},
		"grid":           {"type octile\nheight 2\nwidth 2\nmap\n..\n@.\n", "this is a grid map"},
		"trials":         {"version 1\n4\trandom-32.map\t32\t32\t19\t19\t5\t12\t17.4\n", "trials of a path-finding benchmark"},
		"GeoJSON":        {`{"type": "FeatureCollection", "features": []}`, "this is GeoJSON"},
		"building":       {"name: sample\nlevels:\n  L1:\n    vertices:\n    - [0, 0]\n", "this is a building or"},
	} {
		_, err := ReadScene(strings.NewReader(c.text))
		var scene *SceneError
		if !errors.As(err, &scene) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, text := range []string{"robots: [{start: [0, 0], goal: [1, 1]}]\nnam: x\n", "- 1, 2\n- 3, 4", "[1, 2]", "hello, world\n", "a: 1, 2\n"} {
		if _, err := ReadScene(strings.NewReader(text)); err == nil || strings.Contains(err.Error(), "this ") {
			t.Errorf("%q: %v, want no guess", text, err)
		}
	}
}

// A third number of a place is a heading to those who write it.
func TestHeadingsAreToldSo(t *testing.T) {
	_, err := readScene(t, "robots: [{start: [0, 0, 90], goal: [0.5, 0.5, 1.57]}]").Task()
	for _, want := range []string{"robots[0].start is [0 0 90], want x and y: robots are disks, which have no heading", "robots[0].goal is [0.5 0.5 1.57]"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
