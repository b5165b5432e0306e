package plan

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/timed"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// shuttle is a mover that goes out and back between two waypoints: at both of them it is
// where it rests.
func shuttle(from, to geom.Vec2, after float64) Mover {
	t := nav2d.Step * after
	return Mover{Name: "shuttle", Radius: 0.05, Path: []geom.Vec2{from, to, from}, Times: []float64{t + 0.1*nav2d.Step, t + 0.5*nav2d.Step, t + 0.9*nav2d.Step}}
}

func TestCourseOfAMover(t *testing.T) {
	m := Mover{Path: []geom.Vec2{at(0, 0), at(1, 0), at(1, 1)}, Times: []float64{0.1, 0.3, 0.425}}
	c := m.course(0.1, 6)
	for h, want := range []geom.Vec2{at(0, 0), at(0, 0), at(0.5, 0), at(1, 0), at(1, 0.8), at(1, 1)} {
		if c.Path[h].Dist(want) > 1e-12 {
			t.Errorf("at waypoint %d it is at %v, want %v", h, c.Path[h], want)
		}
	}
	if len(c.Turns) != 1 || math.Abs(c.Turns[0].At-4.25) > 1e-12 || c.Turns[0].Point != at(1, 1) {
		t.Errorf("turns %v, want one at 4.25: 0.3 s are 3 steps to rounding", c.Turns)
	}
	in := m.inTask(nav2d.Frame{Scale: 2, Center: at(1, 1)}, 0.1, 6, 7)
	if !slices.Equal(in.Times, []float64{0, 1, 2, 3, 4, c.Turns[0].At, 5}) || in.Path[5] != at(3, 3) || in.Path[6] != at(3, 3) {
		t.Errorf("in the task at %v, %v", in.Times, in.Path)
	}
	if on := m.Later(2, 0.1).course(0.1, 4); on.Path[0].Dist(at(0.5, 0)) > 1e-12 || on.Path[1].Dist(at(1, 0)) > 1e-12 || len(on.Turns) != 1 {
		t.Errorf("two steps later: %+v", on)
	}
	still := Mover{Path: []geom.Vec2{at(2, 2)}, Times: []float64{0.17}}
	if c := still.course(0.1, 3); c.Turns[0].At < 1.69 || c.Path[0] != at(2, 2) || c.Path[2] != at(2, 2) || !still.parked() {
		t.Errorf("one that stands: %+v", c)
	}
	// Two times that are one waypoint to rounding stay two.
	twice := Mover{Path: []geom.Vec2{at(0, 0), at(1, 0)}, Times: []float64{0.2, math.Nextafter(0.2, 1)}}
	if k := twice.clock(0.1); !(k[0] < k[1]) {
		t.Errorf("times %v", k)
	}
}

// A plan keeps clear of traffic that comes out and goes back between two waypoints, and a
// witness says so. Judged at waypoints it would run into it.
func TestPlansAmongTrafficThatTurnsBetweenWaypoints(t *testing.T) {
	team, _ := walled(t, 1.2, 0.05, nil, [2]geom.Vec2{at(-0.7, 0), at(0.7, 0)})
	r := &team.Robots[0]
	team.Motion = Polyline
	r.Limit = 1.45 / (nav2d.Step * 63) // no time for anything but the straight way
	for h := range 20 {                // wherever it is by then
		m := shuttle(at(0, 0.4), at(0, 0.02), 22+float64(h))
		m.Name += string(rune('a' + h))
		team.Traffic = append(team.Traffic, m)
	}
	d := delivered(t, team, Options{Seed: 1, Samples: 2})
	if !d.Certificate.Certified {
		t.Fatalf("not certified: %+v", d.Certificate.Worst())
	}
	way := team.way(d.Trajectories[0].Sample(0))
	near := math.Inf(1)
	for _, m := range team.Traffic {
		for n := range 20001 {
			s := 63 * float64(n) / 20000
			h := min(int(s), 62)
			near = min(near, way[h].Lerp(way[h+1], s-float64(h)).Dist(timed.At(m.Times, m.Path, s*team.Step)))
		}
	}
	if near < 0.1 || near > 0.2 {
		t.Errorf("it comes as near as %v, want little more than 0.1", near)
	}
	if w := d.Certificate.Proof.Bodies; len(w) < 20 {
		t.Errorf("%d witnesses", len(w))
	}
	// The straight way fails, by the judge and for the searches, and only between waypoints.
	w, err := team.World()
	if err != nil {
		t.Fatal(err)
	}
	x := []tensor.Batch{tensor.New(1, 64, channels)}
	for h := range 64 {
		x[0].Data[h*channels] = float32(-0.7 + 1.4*float64(h)/63)
	}
	if v := w.Judge(x, 0); v[separation.Bodies].Value > -0.01 {
		t.Errorf("the straight way has a gap of %v", v[separation.Bodies].Value)
	}
	straight := [][]geom.Vec2{team.way(x[0].Sample(0))}
	if who := team.routes().Troubled(straight); len(who) != 1 {
		t.Errorf("searches see %v in trouble on the straight way", who)
	}
	for _, m := range team.Traffic {
		c := m.course(team.Step, 64)
		for h, p := range straight[0] {
			if p.Dist(c.Path[h]) < r.Radius+m.Radius {
				t.Errorf("at waypoint %d they are in contact without any turn: this proves nothing", h)
			}
		}
	}
}

// Traffic that stands for most of the time has its own radius all the time, so that a robot
// passes it, and one that searches its way does.
func TestTrafficHasItsOwnRadius(t *testing.T) {
	boxes := []geom.Box{{Min: at(-1, -1), Max: at(1, -0.16)}, {Min: at(-1, 0.16), Max: at(1, 1)}}
	team, paths := walled(t, 1.4, 0.05, boxes, [2]geom.Vec2{at(-0.8, -0.1), at(0.8, -0.1)})
	// It turns between waypoints far away, as long as the robot has not come.
	team.Traffic = []Mover{{Name: "truck", Radius: 0.06, Path: []geom.Vec2{at(0.6, 0.09), at(0, 0.09)}, Times: []float64{0.11, 0.83}}}
	if d := delivered(t, team, Options{Seed: 1, Samples: 2}); !d.Certificate.Certified {
		t.Errorf("not certified: %+v", d.Certificate.Worst())
	}
	if team.routes().StepAside(t.Context(), paths, []int{0}, plenty) == nil {
		t.Error("a search finds no way past it")
	}
}

func TestTimetablesAreChecked(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	for want, m := range map[string]Mover{
		"2 points and 1 times":        {Radius: 1, Path: []geom.Vec2{{}, {}}, Times: []float64{1}},
		"0 points and 0 times":        {Radius: 1, Times: []float64{}},
		"numbers that increase":       {Radius: 1, Path: []geom.Vec2{{}, {}}, Times: []float64{1, 1}},
		"time 0 of its path is NaN":   {Radius: 1, Path: []geom.Vec2{{}}, Times: []float64{math.NaN()}},
		"time 0 of its path is +Inf":  {Radius: 1, Path: []geom.Vec2{{}}, Times: []float64{math.Inf(1)}},
		"point 0 of its path is (NaN": {Radius: 1, Path: []geom.Vec2{at(math.NaN(), 0)}, Times: []float64{0}},
		"2 points and no times":       {Radius: 1, Path: []geom.Vec2{{}, {}}},
	} {
		team := drawnTeam(t, nav2d.Empty(), 2, 1, 9)
		team.Traffic = []Mover{m}
		var refused *TeamError
		if err := team.CheckTraffic(); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want a TeamError with %q", err, want)
		}
		if err := team.Check(settings(t, "default")); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want a TeamError with %q", err, want)
		}
	}
}
