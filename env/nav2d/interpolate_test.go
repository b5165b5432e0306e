package nav2d

import (
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
)

// Every interior point of every segment of the reference paths is free or not as
// there: from the end of a segment to its start.
func TestInterpolatedCollisions(t *testing.T) {
	const paths, waypoints = 36, 64
	for _, m := range Maps() {
		a := golden.Open(t, "../../internal/metric/nav2d/testdata/metrics_"+m.Name+".npz")
		all, want := a.Float32("trajs"), a.Ints("obstacle_collision_interpolated")
		wrong := 0
		for p := range paths {
			path := geom.Points(nil, all[p*waypoints*4:(p+1)*waypoints*4], 4)
			for h := 1; h < waypoints; h++ {
				for k := 1; k <= interpolants; k++ {
					x, y := interpolate(path[h-1], path[h], k)
					if m.Occupied(x, y, RobotRadius) != (want[(p*(waypoints-1)+h-1)*interpolants+interpolants-k] != 0) {
						wrong++
					}
				}
			}
		}
		// Where a point lies within 1e-6 of the border of a cell of the distance field,
		// the last bit of float32 decides.
		if wrong > 1 {
			t.Errorf("%s: %d of %d interpolated points differ, want at most 1", m.Name, wrong, len(want))
		}
	}
}

// Points between waypoints, as the reference makes a path denser.
func TestResampleByIndex(t *testing.T) {
	a := golden.Open(t, "../../plan/testdata/savgol.npz")
	const between = 3
	path := geom.Points(nil, a.Float32("trajs")[:64*4], 4)
	var got []float64
	for _, p := range resampleByIndex(path, between*(len(path)-1)+1) {
		got = append(got, p.X, p.Y)
	}
	golden.Close(t, "denser path", got, a.Float64("densified3"), 1e-6, 0)
}
