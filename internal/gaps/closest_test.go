package gaps

import (
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// TestClosestPoints: the nearest points of two cores lie in them, and the strip between them
// holds nothing of either, which proves that none are nearer; cores that meet have a point
// in common, and then there is no strip.
func TestClosestPoints(t *testing.T) {
	draw := rand.New(rand.NewPCG(7, 8))
	random := func() geom.Convex {
		at := geom.Vec2{X: 1.4 * draw.Float64(), Y: 1.4 * draw.Float64()}
		core := geom.Rectangle(at, geom.Vec2{X: 0.1 + draw.Float64(), Y: 0.1 + draw.Float64()}, 6*draw.Float64())
		return geom.Convex{Core: core[:[3]int{1, 2, 4}[draw.IntN(3)]]}
	}
	met := 0
	for range 500 {
		c, d := random(), random()
		p, q := Closest(c, d)
		if in, _ := c.SignedDistance(p); in > 1e-12 {
			t.Fatalf("%v is %v outside of %v", p, in, c)
		}
		if in, _ := d.SignedDistance(q); in > 1e-12 {
			t.Fatalf("%v is %v outside of %v", q, in, d)
		}
		n := q.Sub(p) // beyond the lines through p and q normal to it lies nothing of either
		for _, v := range c.Core {
			if out := n.Dot(v.Sub(p)); out > 1e-12 {
				t.Errorf("%v of %v is nearer to %v than %v, by %v", v, c, d, p, out)
			}
		}
		for _, v := range d.Core {
			if out := -n.Dot(v.Sub(q)); out > 1e-12 {
				t.Errorf("%v of %v is nearer to %v than %v, by %v", v, d, c, q, out)
			}
		}
		if p == q {
			met++
		}
	}
	if met < 50 || met > 450 {
		t.Errorf("%d of 500 meet: the test is lopsided", met)
	}
}
