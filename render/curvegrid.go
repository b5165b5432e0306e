package render

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CurveGrid draws several sets of curves side by side, as many to a row as given. Sets
// with the same names share a legend below.
func CurveGrid(columns int, axes []Axes, curves [][]Curve) *Figure {
	const width, height = 250 * vg.Length(1), 190 * vg.Length(1)
	rows := (len(axes) + columns - 1) / columns
	figure := vg.Point{X: width * vg.Length(columns), Y: height * vg.Length(rows)}
	shared, foot := [][]legendEntry(nil), vg.Length(0)
	if sameNames(curves) {
		shared = legendRows(curveEntries(curves[0]), figure.X-2*planMargin)
		foot = planLeading*vg.Length(len(shared)) + planMargin
	}
	return &Figure{Width: figure.X, Height: figure.Y + foot, draw: func(c draw.Canvas) {
		for i, a := range axes {
			x, y := c.Min.X+width*vg.Length(i%columns), c.Max.Y-height*vg.Length(i/columns+1)
			part := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}}
			var own legend
			if shared == nil {
				own = newLegend(curves[i])
			}
			drawCurves(part, a, curves[i], own)
		}
		drawLegendRows(c, foot, shared)
	}}
}

// sameNames reports whether all sets have the same names in the same order.
func sameNames(curves [][]Curve) bool {
	if len(curves) < 2 || len(curves[0]) < 2 {
		return false
	}
	for _, set := range curves[1:] {
		if !slices.EqualFunc(set, curves[0], func(a, b Curve) bool { return a.Name == b.Name }) {
			return false
		}
	}
	return true
}

// curveEntries names lines in a shared legend.
func curveEntries(curves []Curve) (out []legendEntry) {
	for i, c := range curves {
		if c.Name != "" {
			out = append(out, legendEntry{c.Name, func(c draw.Canvas, at vg.Point) {
				c.StrokeLine2(curveStyle(i), at.X-4, at.Y, at.X+5, at.Y)
			}})
		}
	}
	return out
}
