package plan

import (
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
)

// The paper and the reference configuration disagree about the weight of obstacles on
// two maps.
func TestObstacleWeights(t *testing.T) {
	for _, c := range []struct {
		preset   string
		m        *nav2d.Map
		coupling Coupling
		want     float64
	}{
		{"mmd", nav2d.Empty(), LogBarrier, 0.1},
		{"mmd", nav2d.Conveyor(), LogBarrier, 0.05},
		{"mmd", nav2d.DropRegion(), SquaredHinge, 0.05},
		{"paper", nav2d.Highways(), SquaredHinge, 0.1},
		{"paper", nav2d.Conveyor(), LogBarrier, 0.1},
		{"paper", nav2d.DropRegion(), LogBarrier, 0.1},
		{"paper", nav2d.DropRegion(), SquaredHinge, 0.05},
		{"paper", nav2d.Conveyor(), Uncoupled, 0.05},
		{"default", nav2d.Conveyor(), LogBarrier, 2},
	} {
		if got := (Team{Map: c.m}).obstacleWeight(c.coupling, settings(t, c.preset)); got != c.want {
			t.Errorf("%s, %s, coupling %v: weight %v, want %v", c.preset, c.m.Name, c.coupling, got, c.want)
		}
	}
}
