package render

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// pushed is a pair of runs of three states.
func pushed() PushView {
	run := func(dx float64) PushRunView {
		return PushRunView{
			Agent:   []geom.Vec2{{X: 100, Y: 50}, {X: 100 + dx, Y: 60}, {X: 100 + 2*dx, Y: 70}},
			Block:   []PushPose{{At: geom.Vec2{X: 200, Y: 100}}, {At: geom.Vec2{X: 200, Y: 100}, Angle: 0.1}, {At: geom.Vec2{X: 210, Y: 100}, Angle: 0.2}},
			Rewards: []float64{0.1, 0.4}, Speeds: []float64{3, 5}, Facts: []Fact{{Name: "completed", Value: "0.4"}},
		}
	}
	return PushView{
		Title: "PushT", Note: "a pair", Size: 512, Step: 0.1, Radius: 15, Limit: 8.4,
		Block: []geom.Polygon{{{X: -60}, {X: 60}, {X: 60, Y: 30}, {X: -60, Y: 30}}},
		Goal:  PushPose{At: geom.Vec2{X: 256, Y: 256}, Angle: math.Pi / 4},
		Pairs: []PushPairView{{Members: [2]PushRunView{run(5), run(-5)}}},
	}
}

// Images have their y axis downwards; pictures keep what is above above.
func TestPushAnimationTurnsTheYAxis(t *testing.T) {
	a, err := AnimatePush(pushed())
	if err != nil {
		t.Fatal(err)
	}
	if len(a.stages) != 2 || len(a.takes) != 1 || a.frames() != 3 || a.takes[0].name != "pair 0" {
		t.Fatalf("%d stages, %d takes, %d frames", len(a.stages), len(a.takes), a.frames())
	}
	run := a.takes[0].runs[0]
	if got := run.poses[0][2]; got.at != (geom.Vec2{X: 110, Y: 442}) {
		t.Errorf("the agent ends at %v", got.at)
	}
	if got := run.poses[1][1]; got.angle != -0.1 || got.at != (geom.Vec2{X: 200, Y: 412}) {
		t.Errorf("the block is at %+v", got)
	}
	if got := a.stages[1].actors[1].parts[0][2]; got != (geom.Vec2{X: 60, Y: -30}) {
		t.Errorf("a corner of the block is at %v", got)
	}
	if l := run.charts[1].levels; len(l) != 1 || l[0].value != 8.4 {
		t.Errorf("levels %+v", l)
	}
}

func TestPushPictures(t *testing.T) {
	f, err := Push(pushed())
	if err != nil {
		t.Fatal(err)
	}
	var svg, page bytes.Buffer
	if err := f.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"PushT", "first member", "second member"} {
		if !strings.Contains(svg.String(), word) {
			t.Errorf("the figure lacks %q", word)
		}
	}
	a, err := AnimatePush(pushed())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "speed of the target") || strings.Contains(page.String(), "src=") {
		t.Error("the page lacks a chart, or needs other files")
	}
}

func TestPushRefusesBadRuns(t *testing.T) {
	for _, change := range []func(*PushView){
		func(v *PushView) { v.Size = 0 },
		func(v *PushView) { v.Pairs = nil },
		func(v *PushView) { v.Pairs[0].Members[1].Rewards = nil },
		func(v *PushView) { v.Pairs[0].Members[0].Agent = v.Pairs[0].Members[0].Agent[:1] },
		func(v *PushView) { v.Pairs[0].Members[0].Block[1].Angle = math.NaN() },
	} {
		v := pushed()
		change(&v)
		var bad *PushViewError
		if _, err := Push(v); !errors.As(err, &bad) {
			t.Errorf("figure: %v", err)
		}
		if _, err := AnimatePush(v); !errors.As(err, &bad) {
			t.Errorf("animation: %v", err)
		}
	}
}
