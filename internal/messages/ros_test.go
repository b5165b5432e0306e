package messages

import (
	"bytes"
	"math"
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

// Times of the rate next to a point, before or after it, are left out; others are there.
func TestTimesNextToPointsAreLeftOut(t *testing.T) {
	points := []float64{0, 1, 2, 3}
	way := &paths.Path{X: make([]geom.Vec2, 4), V: make([]geom.Vec2, 4), Times: points}
	m := &Team{Robots: []Robot{{"ada", 0.3, way, heading.Rule{}}}}
	for _, step := range []float64{0.999, 1.001, 1} {
		if got := m.joined(points, 1/step); !slices.Equal(got, points) {
			t.Errorf("every %v s: %v, want %v", step, got, points)
		}
	}
	if got, want := m.joined(points, 1/0.75), []float64{0, 0.75, 1, 1.5, 2, 2.25, 3}; !slices.Equal(got, want) {
		t.Errorf("every 0.75 s: %v, want %v", got, want)
	}
	if got := m.joined(points, 0); !slices.Equal(got, points) {
		t.Errorf("without a rate: %v", got)
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

// A path has poses alone, with straight lines between them: of straight motion it has the waypoints, of a curve so many
// points, at any rate, that the lines are off it by no more than the certificate leaves. Steps of its points accelerate no more than
// the curve.
func TestPathsAreTheirMotion(t *testing.T) {
	read := func(m *Team, rate float64) paths.Path {
		var text bytes.Buffer
		if err := m.ROSPath(&text, 0, rate); err != nil {
			t.Fatal(err)
		}
		f, err := paths.Read("ada.path.yaml", text.Bytes(), paths.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return f.Paths[0]
	}
	straight := &paths.Path{X: []geom.Vec2{{}, {X: 0.1}, {X: 0.3}, {X: 0.4}}, Times: []float64{0, 0.15, 0.3, 0.45}}
	c := geom.NaturalSpline([]geom.Vec2{{}, {X: 1}, {X: 2, Y: 1}, {X: 2, Y: 2}, {X: 2, Y: 2}, {X: 1, Y: 3}}, 0.5, geom.Vec2{}, geom.Vec2{})
	curve := &paths.Path{X: c.X, V: c.V, Times: []float64{0, 0.5, 1, 1.5, 2, 2.5}}
	hardest := 0.0
	for _, piece := range pieces(curve) {
		h := piece.To - piece.From
		hardest = max(hardest, piece.Way.Acceleration(0).Norm()/(h*h), piece.Way.Acceleration(1).Norm()/(h*h))
	}
	for _, rate := range []float64{0.5, 3, 7.3, 20, 200} {
		if p := read(&Team{Robots: []Robot{{"ada", 0.3, straight, heading.Rule{}}}}, rate); !slices.Equal(p.Times, straight.Times) || !slices.Equal(p.X, straight.X) {
			t.Errorf("%v points a second: %v at %v, want %v at %v", rate, p.X, p.Times, straight.X, straight.Times)
		}
		for room, off := range map[float64]float64{math.Inf(1): 3e-4, 8e-4: 2e-4, 0: 3e-5} {
			m := &Team{Robots: []Robot{{"ada", 0.3, curve, heading.Rule{}}}, Room: room}
			p := read(m, rate)
			if n := float64(len(p.X) - 1); n < rate*2.5*(1-1e-9) {
				t.Errorf("%v points in 2.5 s, want %v a second", n, rate)
			}
			lines, before, gone := Robot{Path: &p}, geom.Vec2{}, 0.0
			for k := range len(p.X) - 1 {
				h := p.Times[k+1] - p.Times[k]
				for _, u := range []float64{0.25, 0.5, 0.75} {
					at := p.Times[k] + u*h
					if d := lines.at(at).X.Dist(m.Robots[0].at(at).X); d > off {
						t.Fatalf("%v points a second, room %v: %v off the curve at %v, want at most %v", rate, room, d, at, off)
					}
				}
				v := p.X[k+1].Sub(p.X[k]).Scale(1 / h)
				if k > 0 && v.Sub(before).Norm()/((gone+h)/2) > hardest*(1+1e-4) {
					t.Fatalf("%v points a second: acceleration %v at %v, want at most %v", rate, v.Sub(before).Norm()/((gone+h)/2), p.Times[k], hardest)
				}
				before, gone = v, h
			}
		}
	}
}
