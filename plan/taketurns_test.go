package plan

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// Who ends in a door goes after those who pass through it, who stands in it goes before them.
func TestOrderOfTurns(t *testing.T) {
	wall := []geom.Box{{Min: at(-0.1, -1), Max: at(0.1, -0.2)}, {Min: at(-0.1, 0.2), Max: at(0.1, 1)}}
	through, into, out := [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(-0.5, 0.6), at(0, 0)}, [2]geom.Vec2{at(0, 0), at(0.5, -0.6)}
	for name, c := range map[string]struct {
		ends [][2]geom.Vec2
		want []int
	}{
		"one ends in the door":   {[][2]geom.Vec2{into, through}, []int{1, 0}},
		"one stands in the door": {[][2]geom.Vec2{through, out}, []int{1, 0}},
		"all of them":            {[][2]geom.Vec2{into, through, out}, []int{2, 1, 0}},
	} {
		team, _ := walled(t, 1, 0.1, wall, c.ends...)
		for i := range team.Robots {
			team.Robots[i].TurningRadius = 0.1
		}
		if order := team.turning().Order(wider[0]); !slices.Equal(order, c.want) {
			t.Errorf("%s: they go in order %v, want %v", name, order, c.want)
		}
	}
}
