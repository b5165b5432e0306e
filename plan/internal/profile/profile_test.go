package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
)

// A curve of the fastest steps keeps both limits, gets as far as is said and uses up one of the limits: no steps that are all
// longer do.
func TestFastestUsesItsLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		steps := 4 + rng.IntN(60)
		r := separation.Robot{Step: 0.1 + rng.Float64(), Change: 0.01 + 0.2*rng.Float64()}
		p := Fastest(steps, r.Step, r.Change, false)
		end := geom.Vec2{X: p.Reach}
		c := geom.NaturalSpline(p.Straight(geom.Vec2{}, end), 1, geom.Vec2{}, geom.Vec2{})
		used := Used(&separation.World{Robots: []separation.Robot{r}}, []geom.Curve{c})
		if used > 1+1e-9 || used < 0.9 {
			t.Errorf("%d steps, limits %v and %v: %v of them are used", steps, r.Step, r.Change, used)
		}
		if long := Length(c); math.Abs(long-p.Reach) > 1e-9*p.Reach {
			t.Errorf("%d steps: the curve is %v long, not %v", steps, long, p.Reach)
		}
		if points := p.Spread([]geom.Vec2{{}, end}); len(points) != steps || points[steps-1].Dist(p.Straight(geom.Vec2{}, end)[steps-1]) > 1e-9*p.Reach {
			t.Errorf("%d steps: on a line they are other ones: %v", steps, points)
		}
	}
}

// In the least time the end is reached, and not in less.
func TestLeastTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	for range 100 {
		steps, speed, acceleration, way := 4+rng.IntN(60), 3*rng.Float64(), 2*rng.Float64(), 20*rng.Float64()
		reach := func(dt float64) float64 {
			return Fastest(steps, speed*dt, acceleration*dt*dt, false).Reach
		}
		if dt := Least(steps, speed, acceleration, way); reach(dt) < way || reach(dt*(1-1e-9)) >= way {
			t.Errorf("%d steps, limits %v and %v, way %v: in %v it gets to %v", steps, speed, acceleration, way, dt, reach(dt))
		}
	}
	if dt := Least(10, math.Inf(1), math.Inf(1), 3); dt != 0 {
		t.Errorf("without limits it takes %v", dt)
	}
}

// One that is hurried is where it was, in a part of the time, and stays at its end.
func TestHurried(t *testing.T) {
	var points []geom.Vec2
	for h := range 20 {
		points = append(points, geom.Vec2{X: min(float64(h), 10), Y: 0.1 * min(float64(h*h), 100)})
	}
	c := geom.NaturalSpline(points, 0.5, geom.Vec2{}, geom.Vec2{})
	was := Arrival(c, 0.3)
	fast := Hurried(c, was, 0.5)
	for h, p := range fast {
		want := c.X[len(c.X)-1]
		if at := float64(2 * h); at < was {
			want, _, _ = c.At(at * c.Step)
		}
		if p != want {
			t.Errorf("control point %d is %v, not %v", h, p, want)
		}
	}
	if is := Arrival(geom.NaturalSpline(fast, 0.5, geom.Vec2{}, geom.Vec2{}), 0.3); is > was/2+2 {
		t.Errorf("it arrives at %v, before at %v", is, was)
	}
}
