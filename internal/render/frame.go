package render

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of all figures.
var (
	white  = color.RGBA{255, 255, 255, 255}
	ink    = color.RGBA{40, 40, 40, 255}
	faint  = color.RGBA{150, 150, 150, 255}
	blue   = color.RGBA{31, 95, 168, 255}
	orange = color.RGBA{222, 108, 20, 255}
	shade  = color.RGBA{235, 240, 245, 255}
)

// frame is a rectangle of a canvas with data coordinates.
type frame struct {
	canvas         draw.Canvas
	rect           vg.Rectangle
	x0, x1, y0, y1 float64
}

// at maps data coordinates to the canvas.
func (f frame) at(x, y float64) vg.Point {
	return vg.Point{
		X: f.rect.Min.X + vg.Length((x-f.x0)/(f.x1-f.x0))*f.rect.Size().X,
		Y: f.rect.Min.Y + vg.Length((y-f.y0)/(f.y1-f.y0))*f.rect.Size().Y,
	}
}

// line strokes a line through data points.
func (f frame) line(style draw.LineStyle, points ...[2]float64) {
	path := make([]vg.Point, len(points))
	for i, p := range points {
		path[i] = f.at(p[0], p[1])
	}
	f.canvas.StrokeLines(style, path)
}

// polygon fills a polygon of data points.
func (f frame) polygon(fill color.Color, points ...[2]float64) {
	path := make([]vg.Point, len(points))
	for i, p := range points {
		path[i] = f.at(p[0], p[1])
	}
	f.canvas.FillPolygon(fill, path)
}

// border strokes the edge of the frame.
func (f frame) border() {
	f.line(stroke(ink, 0.6), [2]float64{f.x0, f.y0}, [2]float64{f.x1, f.y0}, [2]float64{f.x1, f.y1}, [2]float64{f.x0, f.y1}, [2]float64{f.x0, f.y0})
}

// ticksX draws ticks and numbers below the frame.
func (f frame) ticksX(values []float64) {
	for _, v := range values {
		p := f.at(v, f.y0)
		f.canvas.StrokeLine2(stroke(ink, 0.6), p.X, p.Y, p.X, p.Y-3)
		write(f.canvas, vg.Point{X: p.X, Y: p.Y - 5}, number(v), label(7, text.XCenter, text.YTop))
	}
}

// ticksY draws ticks and numbers left of the frame.
func (f frame) ticksY(values []float64) {
	for _, v := range values {
		p := f.at(f.x0, v)
		f.canvas.StrokeLine2(stroke(ink, 0.6), p.X, p.Y, p.X-3, p.Y)
		write(f.canvas, vg.Point{X: p.X - 5, Y: p.Y}, number(v), label(7, text.XRight, text.YCenter))
	}
}

// write draws text in a style at a point.
func write(c draw.Canvas, at vg.Point, s string, style draw.TextStyle) { c.FillText(style, at, s) }

func number(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%g", v)
}

func stroke(c color.Color, width vg.Length, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width, Dashes: dashes}
}

// fonts are the typefaces that come with the program.
var fonts = font.NewCache(liberation.Collection())

// label is the text style of a size in points and an alignment.
func label(size float64, x text.XAlignment, y text.YAlignment) draw.TextStyle {
	return draw.TextStyle{
		Color:   ink,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size)),
		XAlign:  x,
		YAlign:  y,
		Handler: text.Plain{Fonts: fonts},
	}
}
