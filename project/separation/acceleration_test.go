package separation_test

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
)

// One robot in an empty room goes from rest to rest with little more than the least
// acceleration that takes it there: n steps, n odd, go change·(n+1)²/4 far at most.
func TestRepairFromRestToRest(t *testing.T) {
	const steps = 63
	for _, f := range []float64{1.03, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.3, 2.6, 3} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			w := &separation.World{Robots: []separation.Robot{{Radius: 0.05, Change: f * 1.6 * 4 / ((steps + 1) * (steps + 1))}}}
			repaired(t, w, straight([][2]geom.Vec2{{{X: -0.8}, {X: 0.8, Y: 1e-3}}}, steps+1))
		})
	}
}
