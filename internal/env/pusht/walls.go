package pusht

import "github.com/go-pcd/pcd/geom"

const (
	agentRadius = 15.0
	wallRadius  = 2.0
	walls       = 4
)

// wall holds the middle lines of the four walls.
var wall = [walls]geom.Segment{
	{A: geom.Vec2{X: 5, Y: 506}, B: geom.Vec2{X: 5, Y: 5}},
	{A: geom.Vec2{X: 5, Y: 5}, B: geom.Vec2{X: 506, Y: 5}},
	{A: geom.Vec2{X: 506, Y: 5}, B: geom.Vec2{X: 506, Y: 506}},
	{A: geom.Vec2{X: 5, Y: 506}, B: geom.Vec2{X: 506, Y: 506}},
}

// wallNormal holds the right-hand normal of each wall and wallBounds its box.
var (
	wallNormal [walls]geom.Vec2
	wallBounds [walls]geom.Box
)

func init() {
	for i, w := range wall {
		along := w.B.Sub(w.A)
		wallNormal[i] = geom.Vec2{X: along.Y, Y: -along.X}.Scale(1 / along.Norm())
		wallBounds[i] = geom.Box{
			Min: geom.Vec2{X: min(w.A.X, w.B.X), Y: min(w.A.Y, w.B.Y)},
			Max: geom.Vec2{X: max(w.A.X, w.B.X), Y: max(w.A.Y, w.B.Y)},
		}.Grow(wallRadius)
	}
}
