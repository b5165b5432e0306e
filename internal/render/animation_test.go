package render

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

func animate(t *testing.T, views ...PlanView) *Animation {
	t.Helper()
	a, err := Animate(views...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// swapView has two robots that change places in one second and one step, through
// each other half way.
func swapView() PlanView {
	a, b := geom.Vec2{X: -0.5}, geom.Vec2{X: 0.5}
	v := viewOf(nav2d.Empty(), 0, []geom.Vec2{a, b}, []geom.Vec2{b, a})
	v.Step = 1
	return v
}

func TestGapSeesBetweenWaypoints(t *testing.T) {
	v := swapView()
	c := v.gapChart(v.Samples[0])
	want := [][2]float64{{0, 0.9}, {0.5, -0.1}, {1, 0.9}}
	got := c.lines[0].values
	if len(got) != len(want) {
		t.Fatalf("gap = %v, want %v", got, want)
	}
	for i := range want {
		if math.Abs(got[i][0]-want[i][0])+math.Abs(got[i][1]-want[i][1]) > 1e-12 {
			t.Errorf("gap = %v, want %v", got, want)
		}
	}
}

func TestSpeedsAndTheirLimits(t *testing.T) {
	v := swapView()
	c := v.speedChart(v.Samples[0])
	if got := c.lines[1].steps; len(got) != 1 || math.Abs(got[0]-1) > 1e-12 {
		t.Errorf("speeds of the second robot %v, want [1]", got)
	}
	if len(c.levels) != 0 {
		t.Errorf("limits %v without any", c.levels)
	}
	v.Robots[0].Limit, v.Robots[1].Limit = 0.5, 0.5
	if got := v.speedChart(v.Samples[0]).levels; len(got) != 1 || got[0].actor != -1 || got[0].value != 0.5 {
		t.Errorf("common limit %v, want one for all", got)
	}
	v.Robots[1].Limit = math.Inf(1)
	if got := v.speedChart(v.Samples[0]).levels; len(got) != 1 || got[0].actor != 0 {
		t.Errorf("limit of the first robot only %v, want one of actor 0", got)
	}
	v.Samples[0].Speeds = [][]float64{{0, 7}, {0, 8}}
	if got := v.speedChart(v.Samples[0]).lines[0].steps; got[0] != 7 {
		t.Errorf("given speed 7 became %v", got)
	}
}

func TestAnimateSideBySide(t *testing.T) {
	v, w := busyView(), calmView()
	v.Samples = append(v.Samples, v.Samples[0])
	v.Samples[0].Name, w.Samples[0].Name = "sample 17", "sample 3"
	a := animate(t, v, w)
	if len(a.stages) != 2 || len(a.takes) != 1 || len(a.takes[0].runs) != 2 {
		t.Fatalf("%d stages and %d takes, want 2 and 1", len(a.stages), len(a.takes))
	}
	if a.takes[0].name != "sample 17 | sample 3" || a.title != "pcd-shd on highways | pcd-shd on empty" {
		t.Errorf("title %q and take %q", a.title, a.takes[0].name)
	}
	w.Step *= 2
	for name, views := range map[string][]PlanView{"different steps": {v, w}, "nothing": nil, "no robots": {{}}} {
		var bad *PlanViewError
		if _, err := Animate(views...); !errors.As(err, &bad) {
			t.Errorf("%s: %v, want a PlanViewError", name, err)
		}
	}
}

func TestPoseBetweenFrames(t *testing.T) {
	p := []pose{{geom.Vec2{}, 3}, {geom.Vec2{X: 2}, -3}} // turns on through π
	got := poseAt(p, 0.5)
	if got.at.Dist(geom.Vec2{X: 1}) > 1e-12 || math.Abs(got.angle-math.Pi) > 1e-12 {
		t.Errorf("half way %v, want (1, 0) and π", got)
	}
	if got := poseAt(p, 9); got.at != p[1].at {
		t.Errorf("after the end %v, want %v", got, p[1])
	}
}

func TestAnimationSave(t *testing.T) {
	a := animate(t, swapView())
	dir := t.TempDir()
	for _, name := range []string{"a.html", "a.GIF"} {
		path := filepath.Join(dir, name)
		if err := a.Save(path); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if err := a.Save(filepath.Join(dir, "a.mp4")); err == nil || !strings.Contains(err.Error(), ".gif or .html") {
		t.Errorf("Save of a.mp4 = %v, want an error with the known formats", err)
	}
}
