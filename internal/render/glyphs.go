package render

import (
	"image/color"
	"math"
	"unicode/utf8"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-pcd/pcd/geom"
)

// The colours of marks. Their shapes differ as well.
var (
	overlapColour  = color.RGBA{214, 0, 28, 255}
	hitColour      = color.RGBA{20, 20, 20, 255}
	speedingColour = color.RGBA{255, 190, 0, 255}
)

// mark draws the sign of a broken rule at a point of the canvas: a red cross
// where robots overlap, a black one where an obstacle is hit, a star where a
// robot is too fast.
func mark(c draw.Canvas, kind MarkKind, at vg.Point, size vg.Length) {
	switch kind {
	case Overlap:
		cross(c, overlapColour, at, size)
	case Hit:
		cross(c, hitColour, at, size)
	case Speeding:
		star(c, at, size)
	}
}

// cross draws a diagonal cross with a light edge that keeps it visible on lines.
func cross(c draw.Canvas, colour color.Color, at vg.Point, size vg.Length) {
	for _, style := range []draw.LineStyle{stroke(white, 0.9*size), stroke(colour, 0.45*size)} {
		c.StrokeLine2(style, at.X-size, at.Y-size, at.X+size, at.Y+size)
		c.StrokeLine2(style, at.X-size, at.Y+size, at.X+size, at.Y-size)
	}
}

// star draws a five-pointed star.
func star(c draw.Canvas, at vg.Point, size vg.Length) {
	const inner = 0.45 // radius of the notches
	var path []vg.Point
	for i := range 10 {
		r := 1.4 * size
		if i%2 == 1 {
			r *= inner
		}
		sin, cos := math.Sincos(math.Pi/2 + float64(i)*math.Pi/5)
		path = append(path, vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)})
	}
	c.FillPolygon(speedingColour, path)
	c.StrokeLines(stroke(ink, 0.15*size), append(path, path[0]))
}

// arrowhead draws a triangle that points from one place to another.
func arrowhead(c draw.Canvas, colour color.Color, from, to vg.Point, size vg.Length) {
	d := to.Sub(from)
	norm := vg.Length(math.Hypot(float64(d.X), float64(d.Y)))
	if norm == 0 {
		return
	}
	ahead := d.Scale(size / norm)
	aside := vg.Point{X: -ahead.Y, Y: ahead.X}.Scale(0.55)
	tip, back := to.Add(ahead), to.Sub(ahead.Scale(0.6))
	path := []vg.Point{tip, back.Add(aside), to, back.Sub(aside)}
	c.StrokeLines(stroke(white, 0.4*size), append(path, tip))
	c.FillPolygon(colour, path)
}

// ring strokes a circle of a radius in data units.
func (f frame) ring(style draw.LineStyle, centre geom.Vec2, radius float64) {
	circle := rounded(geom.Box{Min: centre, Max: centre}.Grow(radius), radius)
	f.line(style, append(circle, circle[0])...)
}

// square strokes a square of half a side in data units.
func (f frame) square(style draw.LineStyle, centre geom.Vec2, half float64) {
	corners := rounded(geom.Box{Min: centre, Max: centre}.Grow(half), 0)
	f.line(style, append(corners, corners[:2]...)...)
}

// tag writes text with a light edge.
func tag(c draw.Canvas, at vg.Point, s string, style draw.TextStyle) {
	edge := style
	edge.Color = white
	for _, d := range []vg.Point{{X: 0.7}, {X: -0.7}, {Y: 0.7}, {Y: -0.7}} {
		write(c, at.Add(d), s, edge)
	}
	write(c, at, s, style)
}

// nameTag writes the name of a disk at the centre, if it fits there, or beside it
// on the side that has room.
func (f frame) nameTag(name string, centre geom.Vec2, radius float64, size float64, colour color.Color) {
	at, r := f.at(centre.X, centre.Y), f.length(radius)
	style := label(size, text.XCenter, text.YCenter)
	style.Color = colour
	if f.fitsInside(name, radius, size) {
		write(f.canvas, at, name, style)
		return
	}
	name = fit(name, style, 70)
	style.XAlign, at.X = text.XLeft, at.X+r+2
	if at.X+style.Width(name) > f.rect.Max.X {
		style.XAlign, at.X = text.XRight, at.X-2*r-4
	}
	style.Color = ink
	tag(f.canvas, at, name, style)
}

// fitsInside reports whether a name of a size fits into a disk.
func (f frame) fitsInside(name string, radius, size float64) bool {
	r := f.length(radius)
	return label(size, text.XCenter, text.YCenter).Width(name) < 1.6*r && vg.Length(size) < 1.9*r
}

// length maps a length in data units to the canvas.
func (f frame) length(d float64) vg.Length {
	return vg.Length(d/(f.x1-f.x0)) * f.rect.Size().X
}

// data maps a length on the canvas to data units.
func (f frame) data(l vg.Length) float64 { return float64(l/f.rect.Size().X) * (f.x1 - f.x0) }

// fit shortens text to a width.
func fit(s string, style draw.TextStyle, width vg.Length) string {
	if s = printable(s); style.Width(s) <= width {
		return s
	}
	for s != "" && style.Width(s+"…") > width {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s + "…"
}

// within returns the parts of a path that lie in a box.
func within(b geom.Box, p []geom.Vec2) (parts [][]geom.Vec2) {
	var part []geom.Vec2
	flush := func() {
		if len(part) > 1 {
			parts = append(parts, part)
		}
		part = nil
	}
	for h := 1; h < len(p); h++ {
		enter, leave, ok := crossing(b, p[h-1], p[h])
		if !ok {
			flush()
			continue
		}
		if part == nil {
			part = []geom.Vec2{p[h-1].Lerp(p[h], enter)}
		}
		part = append(part, p[h-1].Lerp(p[h], leave))
		if leave < 1 {
			flush()
		}
	}
	flush()
	return parts
}

// crossing returns between which fractions of the way from p to q it is in a box.
//
// Source: Liang and Barsky, "A new concept and method for line clipping" (TOG 3,
// 1984).
func crossing(b geom.Box, p, q geom.Vec2) (enter, leave float64, ok bool) {
	enter, leave = 0, 1
	d := q.Sub(p)
	for _, edge := range [4][2]float64{{-d.X, p.X - b.Min.X}, {d.X, b.Max.X - p.X}, {-d.Y, p.Y - b.Min.Y}, {d.Y, b.Max.Y - p.Y}} {
		outward, room := edge[0], edge[1]
		switch {
		case outward == 0 && room < 0:
			return 0, 0, false
		case outward < 0:
			enter = max(enter, room/outward)
		case outward > 0:
			leave = min(leave, room/outward)
		}
	}
	return enter, leave, enter <= leave
}
