package nav2d

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Some way is found where the shortest one is, and is not shorter.
func TestSomeWayIsNoShorter(t *testing.T) {
	if testing.Short() {
		t.Skip("only the drawing of demonstrations has goroutines, which another test watches")
	}
	draw := rand.New(rand.NewPCG(5, 6))
	ways, round := 0, 0
	for scene := range 200 {
		m := randomMap(draw, 10+scene%40)
		radius, margin := 0.03+0.1*draw.Float64(), 0.03*draw.Float64()
		s, g := freePoint(draw, m, radius, margin), freePoint(draw, m, radius, margin)
		some, shortest := someWay(m, radius, margin, s, g), shortestWay(m, radius, margin, s, g)
		if math.IsInf(some, 1) != math.IsInf(shortest, 1) || some < shortest*(1-1e-12) {
			t.Errorf("scene %d: some way is %v long, the shortest %v", scene, some, shortest)
		}
		if !math.IsInf(some, 1) {
			ways++
			if shortest > s.Dist(g) {
				round++
			}
		}
	}
	if ways < 40 || round < 20 || ways == 200 {
		t.Errorf("%d ways, %d of them round obstacles: the test is lopsided", ways, round)
	}
}
