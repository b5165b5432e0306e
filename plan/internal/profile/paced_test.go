package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
)

// With one highest speed it needs the time that the closed form says, to the grid.
func TestPacedAsFastest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for range 100 {
		steps, speed, change := 8+rng.IntN(60), 0.1+rng.Float64(), 0.01+0.2*rng.Float64()
		p := Fastest(steps, speed, change, false)
		in := func(share float64) []geom.Vec2 {
			return Paced(steps, []geom.Vec2{{}, {X: share * p.Reach}}, func(float64) float64 { return speed }, change)
		}
		if in(0.99) == nil || in(1.02) != nil {
			t.Errorf("%d steps, limits %v and %v: a way of %v takes another time", steps, speed, change, p.Reach)
		}
		line, pace := []geom.Vec2{{}, {X: 0.7 * p.Reach}}, func(float64) float64 { return speed }
		if least := int(Steps(line, pace, change)); least > steps || Paced(least, line, pace, change) == nil || Paced(least-1, line, pace, change) != nil {
			t.Errorf("limits %v and %v: %d steps are not the fewest of a way of %v", speed, change, least, line[1].X)
		}
	}
}

// Where it may not be fast it is not, and between it is faster: within its limits, and in less time than at one speed.
func TestPacedIsSlowWhereItHasTo(t *testing.T) {
	const steps, change, high, low = 60, 0.05, 1., 0.3
	line := []geom.Vec2{{}, {X: 20}}
	bends := func(at float64) bool { return at > 8 && at < 11 }
	points := Paced(steps, line, func(at float64) float64 {
		if bends(at) {
			return low
		}
		return high
	}, change)
	if points == nil || Fastest(steps, low, change, false).Reach >= 20 {
		t.Fatalf("%v", points)
	}
	c := geom.NaturalSpline(points, 1, geom.Vec2{}, geom.Vec2{})
	world := &separation.World{Robots: []separation.Robot{{Step: high, Change: change}}}
	if used := Used(world, []geom.Curve{c}); used > 1.02 {
		t.Errorf("%v of the limits are used", used)
	}
	fastest := 0.
	for k := range 20 * steps {
		x, v, _ := c.At(float64(k) / 20)
		fastest = max(fastest, v.X)
		if bends(x.X) && x.X > 8.3 && x.X < 10.7 && v.X > 1.02*low {
			t.Errorf("at %v it goes %v", x.X, v.X)
		}
	}
	if fastest < 2*low || math.Abs(Length(c)-20) > 1e-6 {
		t.Errorf("at most %v, on a way of %v", fastest, Length(c))
	}
}
