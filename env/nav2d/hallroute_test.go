package nav2d_test

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// Demonstrations in a hall are near to the shortest ways, keep away from walls where there is room for it,
// and have no leaps, so that the range of velocities is that of driving.
func TestDemonstrationsInAHall(t *testing.T) {
	if testing.Short() {
		t.Skip("only the drawing of demonstrations has goroutines, which another test watches")
	}
	const radius = 0.03
	box := func(x, y, w, h float64) geom.Solid {
		return geom.Convex{Core: geom.Rectangle(geom.Vec2{X: x, Y: y}, geom.Vec2{X: w, Y: h}, 0)}
	}
	stop := geom.Vec2{X: -0.9, Y: -0.9}
	racks := nav2d.NewMap("racks", geom.Box{Min: geom.Vec2{X: -1, Y: -1}, Max: geom.Vec2{X: 1, Y: 1}}, geom.Union{box(0, 0.35, 1.2, 0.3), box(0, -0.35, 1.2, 0.3), box(-0.8, 0, 0.1, 0.4)}, nil).For(radius, []geom.Vec2{stop})
	d := generate(t, racks, nav2d.DemonstrationOptions{Seed: 4, Contexts: 120, PerContext: 1})
	if n := d.Trajectories.N; n < 115 {
		t.Errorf("%d of 120 demonstrations", n)
	}
	roomy, grazing := 0, 0
	for k := range d.Trajectories.N {
		sample := d.Trajectories.Sample(k)
		path := geom.Points(nil, sample, nav2d.Channels)
		start, goal := path[0], path[len(path)-1]
		way := racks.Route(radius, racks.Bounds.Grow(-radius), start, goal)
		if way == nil {
			t.Fatalf("no way from %v to %v", start, goal)
		}
		if long, short := geom.Length(path), geom.Length(way); long > 1.15*short+0.1 {
			t.Errorf("from %v to %v: %.3f long, the shortest way is %.3f", start, goal, long, short)
		}
		fastest := 0.0
		for h := range path {
			fastest = max(fastest, math.Hypot(float64(sample[4*h+2]), float64(sample[4*h+3])))
			if far := min(path[h].Dist(start), path[h].Dist(goal)); far < 0.2 {
				continue // where it may have to be
			}
			roomy++
			if room, _ := racks.Clearance(path[h]); room < radius*8/7+0.015 {
				grazing++
			}
		}
		if most := 2.6 * 1.1 * geom.Length(way) / (63 * nav2d.Step); fastest > most {
			t.Errorf("from %v to %v: as fast as %.3f, want at most %.3f", start, goal, fastest, most)
		}
	}
	if roomy < 1000 || float64(grazing) > 0.02*float64(roomy) {
		t.Errorf("%d of %d waypoints graze a wall", grazing, roomy)
	}
}
