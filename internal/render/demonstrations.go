package render

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-pcd/pcd/geom"
)

// Demonstrations draws single-robot trajectories on a map, with a dot at the
// start of each and a square at its goal.
func Demonstrations(m MapView, paths [][]geom.Vec2, title, note string) *Figure {
	const width, margin, head = 320 * vg.Length(1), 14 * vg.Length(1), 30 * vg.Length(1)
	side := width - 2*margin
	height := side*vg.Length(mapAspect(m)) + head + margin
	return &Figure{Width: width, Height: height, draw: func(c draw.Canvas) {
		at := vg.Point{X: c.Min.X + margin, Y: c.Min.Y + margin}
		f := mapFrame(c, vg.Rectangle{Min: at, Max: vg.Point{X: at.X + side, Y: c.Max.Y - head}}, m)
		f.obstacles(m)
		for i, p := range paths {
			f.way(stroke(robotColour(i), 0.5), p)
		}
		for i, p := range paths {
			f.disk(robotColour(i), p[0], 0.012)
			goal := p[len(p)-1]
			f.polygon(robotColour(i), rounded(geom.Box{Min: goal, Max: goal}.Grow(0.012), 0)...)
		}
		f.border()
		write(c, vg.Point{X: at.X, Y: c.Max.Y - 4}, title, label(10, text.XLeft, text.YTop))
		write(c, vg.Point{X: at.X, Y: c.Max.Y - 17}, note, label(7.5, text.XLeft, text.YTop))
	}}
}
