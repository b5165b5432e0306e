package sweep_test

import (
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/sweep"
)

// Of boxes that move, some of them equal and some that only touch, a sweep finds the same
// pairs as all comparisons.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	const n = 40
	s := sweep.New(n)
	boxes := make([]geom.Box, n)
	for round := range 60 {
		for i := range boxes {
			at := geom.Vec2{X: float64(r.IntN(20)), Y: float64(r.IntN(20))}
			boxes[i] = geom.Box{Min: at, Max: at.Add(geom.Vec2{X: float64(r.IntN(4)), Y: float64(r.IntN(4))})}
		}
		found := map[[2]int]int{}
		s.Pairs(func(i int) geom.Box { return boxes[i] }, func(i, j int) { found[[2]int{i, j}]++ })
		for i := range boxes {
			for j := range boxes {
				a, b := boxes[i], boxes[j]
				want := 0
				if i < j && a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y {
					want = 1
				}
				if found[[2]int{i, j}] != want {
					t.Fatalf("round %d: %v and %v were found %d times, want %d", round, a, b, found[[2]int{i, j}], want)
				}
			}
		}
	}
}
