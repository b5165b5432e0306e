package render

import (
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

var legendText = label(7, text.XRight, text.YCenter)

const (
	legendLine   = vg.Length(9)
	legendSample = vg.Length(14) // of the stroke beside a name
	legendMargin = vg.Length(5)
)

// legend names lines: beside the frame when they are too many for a corner of it.
type legend struct {
	curves []Curve
	named  []int // the lines with a name
	size   vg.Point
}

func newLegend(curves []Curve) legend {
	l := legend{curves: curves}
	for i, c := range curves {
		if c.Name != "" && len(curves) > 1 {
			l.named = append(l.named, i)
			l.size.X = max(l.size.X, legendText.Width(c.Name)+legendSample)
		}
	}
	l.size.Y = legendLine * vg.Length(len(l.named))
	return l
}

// beside reports whether the legend is drawn right of the frame.
func (l legend) beside() bool { return len(l.named) > len(robotColours) }

// draw writes the names beside the frame, or in the corner where they hide least.
func (l legend) draw(f frame, a Axes) {
	if len(l.named) == 0 {
		return
	}
	at := vg.Point{X: f.rect.Max.X + legendMargin, Y: f.rect.Max.Y - l.size.Y}
	box := vg.Rectangle{Min: at, Max: at.Add(l.size)}
	if !l.beside() {
		box = f.emptiest(a, l.curves, l.size)
		f.canvas.FillPolygon(color.NRGBA{255, 255, 255, 200}, []vg.Point{
			box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y},
		})
	}
	for k, i := range l.named {
		y := box.Max.Y - legendLine*(vg.Length(k)+0.5)
		write(f.canvas, vg.Point{X: box.Max.X - legendSample, Y: y}, l.curves[i].Name, legendText)
		f.canvas.StrokeLine2(curveStyle(i), box.Max.X-legendSample+3, y, box.Max.X, y)
	}
}

// emptiest returns the rectangle of the given size in the corner with the fewest
// points of curves.
func (f frame) emptiest(a Axes, curves []Curve, size vg.Point) vg.Rectangle {
	left, right := f.rect.Min.X+legendMargin, f.rect.Max.X-legendMargin-size.X
	bottom, top := f.rect.Min.Y+legendMargin, f.rect.Max.Y-legendMargin-size.Y
	var best vg.Rectangle
	fewest := -1
	for _, corner := range []vg.Point{{X: right, Y: top}, {X: left, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}} {
		box := vg.Rectangle{Min: corner, Max: corner.Add(size)}
		if n := f.pointsIn(box, a, curves); fewest < 0 || n < fewest {
			best, fewest = box, n
		}
	}
	return best
}

// pointsIn counts points of curves, and of the lines between them, in a rectangle.
func (f frame) pointsIn(box vg.Rectangle, a Axes, curves []Curve) int {
	const between = 8
	n := 0
	for _, c := range curves {
		for i := 1; i < len(c.X); i++ {
			from := f.at(scaled(c.X[i-1], a.LogX), scaled(c.Y[i-1], a.LogY))
			to := f.at(scaled(c.X[i], a.LogX), scaled(c.Y[i], a.LogY))
			for k := range between {
				t := vg.Length(k) / between
				p := vg.Point{X: from.X + t*(to.X-from.X), Y: from.Y + t*(to.Y-from.Y)}
				if p.X >= box.Min.X && p.X <= box.Max.X && p.Y >= box.Min.Y && p.Y <= box.Max.Y {
					n++
				}
			}
		}
	}
	return n
}
