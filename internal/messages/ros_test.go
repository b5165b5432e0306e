package messages

import (
	"bytes"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/heading"
	"github.com/go-pcd/pcd/internal/paths"
)

// A trajectory has stamps of whole nanoseconds, and times of the rate next to knots: the cubics
// between its points accelerate no more than the motion that was written.
func TestTrajectoriesAccelerateAsTheirMotion(t *testing.T) {
	const step = 0.2753642003946472
	points := []geom.Vec2{{X: 432017.3}, {X: 432017.3}, {X: 432017.35, Y: 0.01}, {X: 432017.5, Y: 0.05}, {X: 432017.6, Y: 0.1}, {X: 432017.6, Y: 0.1}}
	c := geom.NaturalSpline(points, step, geom.Vec2{}, geom.Vec2{})
	way := &paths.Path{X: c.X, V: c.V}
	for h := range c.X {
		way.Times = append(way.Times, step*float64(h))
	}
	m := &Team{Robots: []Robot{{"ada", 0.3, way, heading.Rule{}}}}
	hardest := func(p *paths.Path) (most float64) {
		for _, piece := range pieces(p) {
			h := piece.To - piece.From
			most = max(most, piece.Way.Acceleration(0).Norm()/(h*h), piece.Way.Acceleration(1).Norm()/(h*h))
		}
		return most
	}
	want := hardest(way)
	for _, rate := range []float64{20, 1 / (2 * step * (1 - 1e-7)), 7.3} { // the second one has times next to knots
		var text bytes.Buffer
		if err := m.ROSTrajectory(&text, rate); err != nil {
			t.Fatal(err)
		}
		f, err := paths.Read("trajectory.yaml", text.Bytes(), paths.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := hardest(&f.Paths[0]); got > want*(1+1e-4) {
			t.Errorf("%v points a second: acceleration %v, want %v", rate, got, want)
		}
	}
}

// Of straight motion a trajectory has the waypoints, whatever the rate: its limit of acceleration is one of
// steps, which points between them would make shorter.
func TestTrajectoriesOfStraightMotionHaveItsWaypoints(t *testing.T) {
	way := &paths.Path{X: []geom.Vec2{{}, {X: 0.1}, {X: 0.3}, {X: 0.4}}, Times: []float64{0, 0.15, 0.3, 0.45}}
	m := &Team{Robots: []Robot{{"ada", 0.3, way, heading.Rule{}}}}
	for _, rate := range []float64{7.3, 20, 1000} {
		var text bytes.Buffer
		if err := m.ROSTrajectory(&text, rate); err != nil {
			t.Fatal(err)
		}
		f, err := paths.Read("trajectory.yaml", text.Bytes(), paths.Options{})
		if err != nil || !slices.Equal(f.Paths[0].Times, way.Times) || !slices.Equal(f.Paths[0].X, way.X) {
			t.Errorf("%v points a second: %v, %v, want %v at %v", rate, f.Paths, err, way.X, way.Times)
		}
	}
}
