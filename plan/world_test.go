package plan

import (
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// Robots that start or end nearer to the border than their radius keep as near to it:
// such a place is certified, whatever its rounding.
func TestPlacesNearTheBorderAreWithinIt(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 1, 1, 3)
	team.Motion = Polyline
	for k := range 50 {
		at := geom.Vec2{X: 0.951 + 0.0009*float64(k), Y: -0.953 - 0.0007*float64(k)}
		team.Robots[0].Start, team.Robots[0].Goal = at, at
		stored := team.stored(at)
		x := []tensor.Batch{tensor.New(1, 64, channels)}
		for h := range 64 {
			copy(x[0].Data[h*channels:], stored[:])
		}
		w, err := team.World()
		if err != nil {
			t.Fatal(err)
		}
		if v := w.Judge(x, 0); !v.Certified(0) {
			t.Errorf("at %v: %v fails by %v", at, v.Worst(0), v.Violation(0))
		}
		team.Robots[0].Goal = geom.Vec2{} // and going away from there
		w, err = team.World()
		if err != nil {
			t.Fatal(err)
		}
		if v := w.Judge(x, 0); !v.Certified(0) {
			t.Errorf("from %v: %v fails by %v", at, v.Worst(0), v.Violation(0))
		}
	}
}
