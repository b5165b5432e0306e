package render

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-pcd/pcd/geom"
)

// MapView is what figures show of a workspace.
type MapView struct {
	Bounds    geom.Box
	Obstacles geom.Union
}

var obstacleColour = color.RGBA{205, 208, 212, 255}

// mapFrame returns a frame for a workspace, with the same scale on both axes.
func mapFrame(c draw.Canvas, rect vg.Rectangle, m MapView) frame {
	return frame{canvas: c, rect: rect, x0: m.Bounds.Min.X, x1: m.Bounds.Max.X, y0: m.Bounds.Min.Y, y1: m.Bounds.Max.Y}
}

// mapAspect returns height over width.
func mapAspect(m MapView) float64 {
	s := m.Bounds.Size()
	return s.Y / s.X
}

// obstacles fills the obstacles of a map.
func (f frame) obstacles(m MapView) {
	for _, s := range m.Obstacles {
		f.polygon(obstacleColour, outline(s)...)
	}
}

// cornerPieces is how many pieces a quarter of a circle is drawn with.
const cornerPieces = 12

// outline returns the border of a solid as a polygon.
func outline(s geom.Solid) [][2]float64 {
	switch s := s.(type) {
	case geom.Box:
		return rounded(s, 0)
	case geom.RoundedBox:
		half := s.Size.Scale(0.5)
		return rounded(geom.Box{Min: s.Center.Sub(half), Max: s.Center.Add(half)}, s.Radius)
	case geom.Circle:
		return rounded(geom.Box{Min: s.Center, Max: s.Center}.Grow(s.Radius), s.Radius)
	case geom.Convex:
		return convexOutline(s)
	default:
		return nil
	}
}

// rounded returns the border of a box whose corners have a radius.
func rounded(b geom.Box, radius float64) [][2]float64 {
	var out [][2]float64
	inner := b.Grow(-radius)
	for q, corner := range []geom.Vec2{inner.Max, {X: inner.Min.X, Y: inner.Max.Y}, inner.Min, {X: inner.Max.X, Y: inner.Min.Y}} {
		for i := range cornerPieces + 1 {
			a := (float64(q) + float64(i)/cornerPieces) * math.Pi / 2
			out = append(out, [2]float64{corner.X + radius*math.Cos(a), corner.Y + radius*math.Sin(a)})
			if radius == 0 {
				break
			}
		}
	}
	return out
}

// disk fills a circle of a radius in data units.
func (f frame) disk(fill color.Color, centre geom.Vec2, radius float64) {
	f.polygon(fill, rounded(geom.Box{Min: centre, Max: centre}.Grow(radius), radius)...)
}

// way strokes a path of waypoints.
func (f frame) way(style draw.LineStyle, p []geom.Vec2) {
	points := make([][2]float64, len(p))
	for i, v := range p {
		points[i] = [2]float64{v.X, v.Y}
	}
	f.line(style, points...)
}
