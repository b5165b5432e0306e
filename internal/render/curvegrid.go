package render

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// CurveGrid draws several sets of curves side by side, as many to a row as given. Rows
// of sets with the same names share a legend below the last of them.
func CurveGrid(columns int, axes []Axes, curves [][]Curve) *Figure {
	const width, height = 250 * vg.Length(1), 190 * vg.Length(1)
	size := vg.Point{X: width * vg.Length(columns)}
	rows := gridRows(columns, curves, size.X-2*planMargin)
	for _, r := range rows {
		size.Y += height + r.foot()
	}
	return &Figure{Width: size.X, Height: size.Y, draw: func(c draw.Canvas) {
		top := c.Max.Y
		for i, r := range rows {
			for k, set := range r.sets {
				x := c.Min.X + width*vg.Length(k)
				part := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: top - height}, Max: vg.Point{X: x + width, Y: top}}}
				var own legend
				if !r.shares {
					own = newLegend(set)
				}
				drawCurves(part, axes[i*columns+k], set, own)
			}
			top -= height + r.foot()
			drawLegendRows(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top}, Max: c.Max}}, r.foot(), r.legend)
		}
	}}
}

// gridRow is a row of a grid of curves.
type gridRow struct {
	sets   [][]Curve
	shares bool            // a legend, below this row or a later one
	legend [][]legendEntry // below this row
}

// foot is the height of the legend below the row.
func (r gridRow) foot() vg.Length {
	if len(r.legend) == 0 {
		return 0
	}
	return planLeading*vg.Length(len(r.legend)) + planMargin
}

// gridRows splits sets of curves into rows and finds those that share a legend, which
// has a width.
func gridRows(columns int, curves [][]Curve, width vg.Length) (rows []gridRow) {
	for len(curves) > 0 {
		n := sameNames(curves)
		shares := n > 1 && (n >= columns || n == len(curves))
		if !shares {
			n = columns
		} else if n < len(curves) {
			n -= n % columns // whole rows
		}
		n = min(n, len(curves))
		for sets := range slices.Chunk(curves[:n], columns) {
			rows = append(rows, gridRow{sets: sets, shares: shares})
		}
		if shares {
			rows[len(rows)-1].legend = legendRows(curveEntries(curves[0]), width)
		}
		curves = curves[n:]
	}
	return rows
}

// sameNames counts the sets from the first on that have its names in its order.
func sameNames(curves [][]Curve) int {
	n := 1
	for n < len(curves) && slices.EqualFunc(curves[n], curves[0], func(a, b Curve) bool { return a.Name == b.Name }) {
		n++
	}
	return n
}

// curveEntries names lines in a shared legend.
func curveEntries(curves []Curve) (out []legendEntry) {
	for i, curve := range curves {
		if curve.Name != "" {
			out = append(out, legendEntry{curve.Name, func(c draw.Canvas, at vg.Point) {
				curve.sign(c, i, at.X-4, at.X+5, at.Y)
			}})
		}
	}
	return out
}
