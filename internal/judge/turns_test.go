package judge

import (
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
