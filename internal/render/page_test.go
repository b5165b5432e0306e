package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// pageOf returns the source of a page and the data in it.
func pageOf(t *testing.T, a *Animation) (source string, data pageData) {
	t.Helper()
	var b bytes.Buffer
	if err := a.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	source = b.String()
	_, rest, ok := strings.Cut(source, `<script type="application/json" id="data">`)
	text, _, ok2 := strings.Cut(rest, "</script>")
	if !ok || !ok2 {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	return source, data
}

func TestPageHoldsTheMotion(t *testing.T) {
	v := busyView()
	v.Samples[0].Facts = []Fact{{"certificate", "0.05 above the limit", Bad}}
	_, data := pageOf(t, animate(t, v))
	if data.Frames != 64 || math.Abs(float64(data.Step)-v.Step) > 1e-5 {
		t.Errorf("%d frames of %v s, want 64 of %v", data.Frames, data.Step, v.Step)
	}
	stage, run := data.Stages[0], data.Takes[0][0]
	half := v.Map.Bounds.Size().X / float64(stage.Bounds[2]) // map units per page unit
	plane := func(x, y int) geom.Vec2 {
		return geom.Vec2{X: -1 + half*float64(x-stage.Bounds[0]), Y: 1 - half*float64(y-stage.Bounds[1])}
	}
	const rounding = 3e-4 // two page units
	for i, path := range v.Samples[0].Paths {
		for h, want := range path {
			if got := plane(run.Poses[i][2*h], run.Poses[i][2*h+1]); got.Dist(want) > rounding {
				t.Fatalf("robot %d, waypoint %d at %v, want %v", i, h, got, want)
			}
		}
		goal := stage.Actors[i].Goal
		if got := plane(goal[0], goal[1]); got.Dist(v.Robots[i].Goal) > rounding {
			t.Errorf("goal of robot %d at %v, want %v", i, got, v.Robots[i].Goal)
		}
		if r := half * float64(stage.Actors[i].Radius); math.Abs(r-v.Robots[i].Radius) > rounding {
			t.Errorf("radius of robot %d is %v, want %v", i, r, v.Robots[i].Radius)
		}
	}
	for n, m := range v.Samples[0].Marks {
		got := run.Marks[n]
		if got[0] != int(m.Kind) || got[1] != m.Waypoint || plane(got[2], got[3]).Dist(m.At) > rounding || fmt.Sprint(got[4:]) != fmt.Sprint(m.Robots) {
			t.Errorf("mark %d is %v, want %v", n, got, m)
		}
	}
	if len(run.Incidents) != len(incidents(v.Samples[0].Marks)) || run.Facts[0] != (pageFact{"certificate", "0.05 above the limit", Bad}) {
		t.Errorf("incidents %v and facts %v", run.Incidents, run.Facts)
	}
}

func TestPageTellsUnjudgedFromFaultless(t *testing.T) {
	v := calmView()
	if _, data := pageOf(t, animate(t, v)); data.Takes[0][0].Incidents == nil {
		t.Error("a faultless sample has no list of incidents")
	}
	v.Samples[0].Marks = nil
	if _, data := pageOf(t, animate(t, v)); data.Takes[0][0].Incidents != nil {
		t.Error("a sample that nobody has judged has a list of incidents")
	}
}

// TestPageNeedsNothingElse looks for whatever could load something.
func TestPageNeedsNothingElse(t *testing.T) {
	source, _ := pageOf(t, animate(t, busyView()))
	if !strings.Contains(source, `content="default-src 'none';`) {
		t.Error("the page does not forbid loading")
	}
	if m := regexp.MustCompile(`(?i)https?://|src=|@import|url\(|fetch\(|XMLHttpRequest`).FindString(source); m != "" {
		t.Errorf("the page refers to something else by %q", m)
	}
	if m := regexp.MustCompile(`ZgotmplZ|<no value>|%!`).FindString(source); m != "" {
		t.Errorf("the page contains %q", m)
	}
}

// TestPageHidesRobots: every robot has a box of its own that is ticked at first, and the
// program of the page reads them.
func TestPageHidesRobots(t *testing.T) {
	v := busyView()
	source, _ := pageOf(t, animate(t, v))
	list, _, ok := strings.Cut(source, "</ul>")
	if got := strings.Count(list, `title="show or hide"><input type="checkbox" checked>`); !ok || got != len(v.Robots) {
		t.Errorf("%d boxes, want one for each of %d robots", got, len(v.Robots))
	}
	if !strings.Contains(source, "stage.shown[i].checked") {
		t.Error("nothing reads the boxes")
	}
}

func TestPageEscapesNames(t *testing.T) {
	const evil = `</script><script>alert("'1'")</script><img src=x onerror=alert(1)> <!-- {{.}}` + "\u2028\\"
	v := busyView()
	v.Title, v.Note, v.SpeedUnit = evil, evil, evil
	for i := range v.Robots {
		v.Robots[i].Name = evil + fmt.Sprint(i)
	}
	s := v.Samples[0]
	s.Name, s.Facts = evil, []Fact{{evil, evil, Plain}}
	v.Samples = []SampleView{s, s}
	plain, _ := pageOf(t, animate(t, busyView()))
	source, data := pageOf(t, animate(t, v))
	for _, markup := range []string{"<script", "</script", "<img", "<!--"} {
		if got, want := strings.Count(source, markup), strings.Count(plain, markup); got != want {
			t.Errorf("%d × %q, want %d", got, markup, want)
		}
	}
	if got, want := data.Takes[0][0].Facts[0].Name, printable(evil); got != want {
		t.Errorf("a fact is named %q, want %q", got, want)
	}
}

// TestPageRoundsWithinLimits rounds speeds that are just allowed.
func TestPageRoundsWithinLimits(t *testing.T) {
	for limit := 0.0601; limit < 3; limit *= 1.0173 {
		for _, speed := range []float64{limit, math.Nextafter(limit, 0), limit * (1 - 1e-7), limit * (1 - 1e-5), limit * (1 - 1e-4)} {
			var got [2]float64
			text, err := json.Marshal([]rounded5{rounded5(speed), rounded5(limit)})
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if got[0] > got[1] || math.Abs(got[0]-speed) > 1e-4*speed {
				t.Errorf("speed %v with limit %v became %s", speed, limit, text)
			}
		}
	}
}

// TestPageColoursAreThoseOfFigures compares the colours of marks in page and figure.
func TestPageColoursAreThoseOfFigures(t *testing.T) {
	source, data := pageOf(t, animate(t, busyView()))
	for name, c := range map[string]string{
		"overlap": hex(overlapColour), "hit": hex(hitColour), "obstacle": hex(obstacleColour),
	} {
		if !strings.Contains(source, "--"+name+": "+c) {
			t.Errorf("the page has another colour for %s than %s", name, c)
		}
	}
	if got := data.Stages[0].Actors[1].Colour[0]; got != hex(robotColour(1)) {
		t.Errorf("robot 1 is %s, want %s", got, hex(robotColour(1)))
	}
}

// pushing is a block that turns and an agent that stops earlier.
func pushing() *Animation {
	block := actor{name: "block", parts: []geom.Polygon{{{X: -60}, {X: -60, Y: -30}, {X: 60, Y: -30}, {X: 60}}}, goal: &pose{angle: math.Pi / 4}}
	agent := actor{name: "agent", radius: 15}
	at := geom.Vec2{X: 256, Y: 200}
	return &Animation{step: 1, stages: []stage{{
		ground: MapView{Bounds: geom.Box{Max: geom.Vec2{X: 512, Y: 512}}}, actors: []actor{block, agent},
	}}, takes: []take{{runs: []run{{poses: [][]pose{
		{{at, math.Pi - 0.1}, {at, 0.1 - math.Pi}, {at, -math.Pi / 2}},
		{{at: geom.Vec2{X: 60, Y: 60}}, {at: geom.Vec2{X: 60, Y: 400}}},
	}}}}}}
}

func TestPageTurnsPolygonsTheShortWay(t *testing.T) {
	_, data := pageOf(t, pushing())
	run := data.Takes[0][0]
	if len(run.Poses[0]) != 9 || len(run.Poses[1]) != 4 || data.Frames != 3 {
		t.Fatalf("poses %v in %d frames", run.Poses, data.Frames)
	}
	// On the page, angles are in thousandths and grow clockwise.
	for h, want := range []float64{math.Pi - 0.1, math.Pi + 0.1, 1.5 * math.Pi} {
		if got := run.Poses[0][3*h+2]; got != int(math.Round(-1000*want)) {
			t.Errorf("angle %d is %d, want %v", h, got, -1000*want)
		}
	}
	if got := len(data.Stages[0].Actors[0].Parts[0]); got != 8 {
		t.Errorf("the block has %d coordinates, want 8", got)
	}
}
