package gaps_test

import (
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

func TestBoxBeyond(t *testing.T) {
	unit := geom.Box{Max: geom.Vec2{X: 1, Y: 1}}
	for _, c := range []struct {
		other geom.Box
		gap   float64
		n     geom.Vec2
	}{
		{geom.Box{Min: geom.Vec2{X: 3, Y: 1.5}, Max: geom.Vec2{X: 4, Y: 2}}, 2, geom.Vec2{X: -1}},
		{geom.Box{Min: geom.Vec2{X: -3, Y: 0}, Max: geom.Vec2{X: -1, Y: 2}}, 1, geom.Vec2{X: 1}},
		{geom.Box{Min: geom.Vec2{Y: -5}, Max: geom.Vec2{X: 1, Y: -2}}, 2, geom.Vec2{Y: 1}},
		{geom.Box{Min: geom.Vec2{X: 0.25, Y: 0.875}, Max: geom.Vec2{X: 2, Y: 2}}, -0.125, geom.Vec2{Y: -1}},
	} {
		if gap, n := gaps.Beyond(unit, c.other); gap != c.gap || n != c.n {
			t.Errorf("beyond %v by %v along %v, want %v along %v", c.other, gap, n, c.gap, c.n)
		}
	}
}
