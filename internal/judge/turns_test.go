package judge

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/paths"
)

// A robot that turns and goes back along a straight line has turned, also where it does so between
// two points of its path, and its velocity and acceleration are along each other at every instant.
func TestTurningBackWithinALeg(t *testing.T) {
	back := &paths.Path{Times: []float64{0, 1, 2, 3}, X: []geom.Vec2{{}, {X: 1}, {X: 1}, {}}, V: []geom.Vec2{{}, {X: 1}, {X: -1}, {}}}
	on := &paths.Path{Times: []float64{0, 1, 2, 3}, X: []geom.Vec2{{}, {X: 1}, {X: 2}, {X: 3}}, V: []geom.Vec2{{}, {X: 1}, {X: 1}, {}}}
	slow := &paths.Path{Times: []float64{0, 1, 2, 3}, X: []geom.Vec2{{}, {X: 1}, {X: 1.5}, {X: 2}}, V: []geom.Vec2{{}, {X: 1}, {X: 1}, {}}}
	for what, c := range map[string]struct {
		path *paths.Path
		kind Kind // that is broken; "" is none
		r    Robot
	}{
		"a car":            {back, Curvature, Robot{TurningRadius: 0.5}},
		"a drive":          {back, Turning, Robot{TurnRate: 3}},
		"a car goes on":    {on, "", Robot{TurningRadius: 0.5}},
		"a drive goes on":  {on, "", Robot{TurnRate: 3}},
		"it almost stands": {slow, "", Robot{TurningRadius: 0.5}},
	} {
		r := c.r
		r.Name, r.Radius, r.Path = "a", 0.1, c.path
		v, err := (&World{Robots: []Robot{r}}).Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Faults) != 0 != (c.kind != "") || c.kind != "" && v.Faults[0].Kind != c.kind {
			t.Errorf("%s: %+v, want %q", what, v.Faults, c.kind)
		}
	}
}

// A robot leaves and comes with the headings that are asked for, or has time to turn to them where it may turn as it stands.
func TestHeadingsAtBothEnds(t *testing.T) {
	east, north := 0.0, math.Pi/2
	path := func(stands float64) *paths.Path { // along x, and stands at both ends
		return &paths.Path{
			Times: []float64{0, stands, stands + 4, 2*stands + 4}, X: []geom.Vec2{{}, {}, {X: 2}, {X: 2}},
			V: make([]geom.Vec2, 4),
		}
	}
	for name, c := range map[string]struct {
		stands   float64
		headings [2]*float64
		rate     float64
		faults   int
	}{
		"along the way": {1, [2]*float64{&east, &east}, 0, 0}, "across at the start": {1, [2]*float64{&north, &east}, 0, 1},
		"across at the end": {1, [2]*float64{nil, &north}, 0, 1}, "across at both": {1, [2]*float64{&north, &north}, 0, 1},
		"time to turn": {2, [2]*float64{&north, &north}, 1, 0}, "no time to turn": {1, [2]*float64{&north, nil}, 1, 1},
	} {
		w := &World{Robots: []Robot{{Name: "a", Radius: 0.1, Path: path(c.stands), Headings: c.headings, TurnRate: c.rate}}}
		v, err := w.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range v.Faults {
			if f.Kind == Heading {
				n++
			}
		}
		if n != c.faults || n != len(v.Faults) {
			t.Errorf("%s: %+v, want %d faults of headings", name, v.Faults, c.faults)
		}
	}
	// One that stays has to turn from the one to the other.
	for rate, faults := range map[float64]int{0: 1, 0.1: 1, 2: 0} {
		p := &paths.Path{Times: []float64{0, 5}, X: make([]geom.Vec2, 2), V: make([]geom.Vec2, 2)}
		v, err := (&World{Robots: []Robot{{Name: "a", Radius: 0.1, Path: p, Headings: [2]*float64{&east, &north}, TurnRate: rate}}}).Judge(t.Context())
		if err != nil || len(v.Faults) != faults {
			t.Errorf("one that stays and turns %v a second: %+v, %v", rate, v, err)
		}
	}
}
