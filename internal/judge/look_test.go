package judge

import (
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/paths"
)

// Whoever stands five thousand kilometres north of zero beside an obstacle or another robot, apart or touching, is
// looked at once: rounding is no reason to halve a motion that stands.
func TestWhoStandsFarAwayIsLookedAtOnce(t *testing.T) {
	const east, north = 500_000, 5_000_000
	for _, gap := range []float64{-1e-3, 1e-7, 0.01, 1} {
		path := func(x float64) *paths.Path {
			p := geom.Vec2{X: east + x, Y: north}
			return &paths.Path{Times: []float64{0, 1}, X: []geom.Vec2{p, p}, V: make([]geom.Vec2, 2)}
		}
		w := &World{
			Robots:    []Robot{{Name: "ada", Radius: 0.3, Path: path(0)}, {Name: "bo", Radius: 0.3, Path: path(-0.6 - gap)}},
			Obstacles: []geom.Convex{{Core: geom.Rectangle(geom.Vec2{X: east + 0.8 + gap, Y: north}, geom.Vec2{X: 1, Y: 2}, 0)}},
		}
		c := w.open()
		looked, l := 0, c.lookAtObstacle(w.Robots[0], 0)
		of := l.gap
		l.gap = func(b geom.Bezier, blur float64) float64 { looked++; return of(b, blur) }
		l.see(c.tracks[0].hulls[0], c.tracks[0].blur[0], 0, 1)
		if looked > 3 {
			t.Errorf("a gap of %v was looked at %d times", gap, looked)
		}
		v, err := w.Judge(t.Context())
		if err != nil || v.Certified() != (gap > 0) {
			t.Errorf("a gap of %v: %+v, %v", gap, v.Faults, err)
		}
	}
}
