package turns

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// An arc in place of a corner touches both pieces beside it, goes no farther along them than there is room, and bends as
// it says.
func TestCornersBecomeArcs(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for range 300 {
		p := geom.Vec2{X: rng.Float64(), Y: rng.Float64()}
		q := geom.Vec2{X: 3 + rng.Float64(), Y: 3 * rng.Float64()}
		r := q.Add(towards(2*math.Pi*rng.Float64(), 2))
		room := 0.2 + rng.Float64()
		arc, radius := corner(p, q, r, 1, room)
		first, last := arc[0], arc[len(arc)-1]
		if first.Dist(q) > room+1e-9 || math.Abs(first.Dist(q)-last.Dist(q)) > 1e-9 || radius > 1 {
			t.Fatalf("from %v to %v beside %v, radius %v, room %v", first, last, q, radius, room)
		}
		on := func(a, b, x geom.Vec2) float64 { return math.Abs(b.Sub(a).Cross(x.Sub(a))) / b.Dist(a) }
		if on(p, q, first) > 1e-9 || on(q, r, last) > 1e-9 {
			t.Fatalf("%v to %v are not on the pieces %v, %v, %v", first, last, p, q, r)
		}
		for k := 2; k < len(arc); k++ { // three points of a circle
			a, b, c := arc[k-2], arc[k-1], arc[k]
			area := b.Sub(a).Cross(c.Sub(a)) / 2
			if is := a.Dist(b) * b.Dist(c) * c.Dist(a) / (4 * math.Abs(area)); math.Abs(is-radius) > 1e-4*radius {
				t.Fatalf("it bends with radius %v, and says %v", is, radius)
			}
		}
	}
}

func TestTimeToTurnOnTheSpot(t *testing.T) {
	east, north := geom.Vec2{X: 2}, geom.Vec2{Y: 3}
	for name, c := range map[string]struct {
		heading *float64
		way     geom.Vec2
		want    float64
	}{
		"any heading":           {nil, east, 0},
		"along its way":         {new(0.0), east, 0},
		"a repair can bend it":  {new(0.1), east, 0},
		"a quarter to the left": {new(0.0), north, (math.Pi/2 + Reserve) / 0.5},
		"round":                 {new(math.Pi), east, (math.Pi + Reserve) / 0.5},
	} {
		if got := SpotTime(0.5, c.heading, c.way); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v s, want %v", name, got, c.want)
		}
	}
}
