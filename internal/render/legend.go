package render

import (
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var legendText = label(7, text.XRight, text.YCenter)

const (
	legendLine   = vg.Length(9)
	legendSample = vg.Length(14) // of the stroke beside a name
	legendMargin = vg.Length(5)
)

// legend names lines: in a corner of the frame, or beside it when they are too many or
// hide too much there.
type legend struct {
	curves []Curve
	named  []int // the lines with a name
	size   vg.Point
	box    vg.Rectangle
	inside bool
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

// hidden is how many points of curves a legend may cover.
const hidden = 4

// place chooses where the legend goes and makes room beside the frame if it goes there.
func (l *legend) place(f *frame, a Axes) {
	if len(l.named) == 0 {
		return
	}
	covered := 0
	l.box, covered = f.emptiest(a, l.curves, l.size)
	l.inside = len(l.named) <= len(robotColours) && covered <= hidden
	if !l.inside {
		f.rect.Max.X -= l.size.X + legendMargin
		at := vg.Point{X: f.rect.Max.X + legendMargin, Y: f.rect.Max.Y - l.size.Y}
		l.box = vg.Rectangle{Min: at, Max: at.Add(l.size)}
	}
}

// draw writes the names.
func (l *legend) draw(c draw.Canvas) {
	if box := l.box; l.inside {
		c.FillPolygon(color.NRGBA{255, 255, 255, 200}, []vg.Point{
			box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y},
		})
	}
	for k, i := range l.named {
		y := l.box.Max.Y - legendLine*(vg.Length(k)+0.5)
		write(c, vg.Point{X: l.box.Max.X - legendSample, Y: y}, l.curves[i].Name, legendText)
		l.curves[i].sign(c, i, l.box.Max.X-legendSample+3, l.box.Max.X, y)
	}
}

// emptiest returns the rectangle of the given size in the corner with the fewest
// points of curves, and their number.
func (f frame) emptiest(a Axes, curves []Curve, size vg.Point) (best vg.Rectangle, fewest int) {
	left, right := f.rect.Min.X+legendMargin, f.rect.Max.X-legendMargin-size.X
	bottom, top := f.rect.Min.Y+legendMargin, f.rect.Max.Y-legendMargin-size.Y
	for i, corner := range []vg.Point{{X: right, Y: top}, {X: left, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}} {
		box := vg.Rectangle{Min: corner, Max: corner.Add(size)}
		if n := f.pointsIn(box, a, curves); i == 0 || n < fewest {
			best, fewest = box, n
		}
	}
	return best, fewest
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
