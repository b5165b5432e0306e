package render

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is a line of a [Curves] figure.
type Curve struct {
	Name   string
	X, Y   []float64
	Lo, Hi []float64 // band around the line; nil for none
	Faint  bool      // drawn thin and pale
	Points bool      // drawn as points that no line joins
}

// Axes describe the axes of a [Curves] figure.
type Axes struct {
	Title, X, Y string
	LogX, LogY  bool
	YRange      [2]float64 // zero lets the data decide
}

// Curves draws lines over common axes, with a legend when there are several.
func Curves(a Axes, curves ...Curve) *Figure {
	const width, height = 380 * vg.Length(1), 250 * vg.Length(1)
	return &Figure{Width: width, Height: height, draw: func(c draw.Canvas) {
		drawCurves(c, a, curves, newLegend(curves))
	}}
}

func drawCurves(c draw.Canvas, a Axes, curves []Curve, names legend) {
	f := frame{canvas: c, rect: vg.Rectangle{
		Min: vg.Point{X: c.Min.X + 46, Y: c.Min.Y + 32}, Max: vg.Point{X: c.Max.X - 12, Y: c.Max.Y - 22}}}
	f.x0, f.x1 = extent(curves, a.LogX, func(c Curve) []float64 { return c.X })
	f.y0, f.y1 = extent(curves, a.LogY, func(c Curve) []float64 { return append(append(append([]float64(nil), c.Y...), c.Lo...), c.Hi...) })
	if a.YRange != [2]float64{} {
		f.y0, f.y1 = a.YRange[0], a.YRange[1]
	}
	names.place(&f, a)
	for i, cv := range curves {
		f.curve(a, cv, i)
	}
	f.border()
	f.scaleX(a.LogX)
	f.scaleY(a.LogY)
	write(c, vg.Point{X: f.rect.Min.X, Y: c.Max.Y - 4}, a.Title, label(9.5, text.XLeft, text.YTop))
	write(c, vg.Point{X: (f.rect.Min.X + f.rect.Max.X) / 2, Y: c.Min.Y + 4}, a.X, label(8, text.XCenter, text.YBottom))
	side := label(8, text.XCenter, text.YTop)
	side.Rotation = math.Pi / 2
	write(c, vg.Point{X: c.Min.X + 3, Y: (f.rect.Min.Y + f.rect.Max.Y) / 2}, a.Y, side)
	names.draw(c)
}

// style returns the style of a curve as line number i, in its frame and in a legend: the
// colours once, then dashed, then dotted.
func (c Curve) style(i int) draw.LineStyle {
	colour, s := robotColour(i), robotStroke(i, 1.3)
	if c.Faint {
		s.Width, s.Color = 0.5, color.NRGBA{colour.R, colour.G, colour.B, 90}
	}
	return s
}

// extent returns the range of the finite values, in decades on a logarithmic axis.
func extent(curves []Curve, log bool, values func(Curve) []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, v := range values(c) {
			if v = scaled(v, log); !math.IsNaN(v) && !math.IsInf(v, 0) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if !(lo < hi) {
		if math.IsInf(lo, 0) {
			lo = 0
		}
		return lo - 0.5, lo + 0.5
	}
	pad := 0.03 * (hi - lo)
	return lo - pad, hi + pad
}

func scaled(v float64, log bool) float64 {
	if log {
		return math.Log10(v)
	}
	return v
}

// curve strokes line number i and fills its band.
func (f frame) curve(a Axes, c Curve, i int) {
	colour := robotColour(i)
	clamp := func(v float64) float64 { return min(max(v, f.y0), f.y1) }
	at := func(x, y float64) [2]float64 { return [2]float64{scaled(x, a.LogX), clamp(scaled(y, a.LogY))} }
	if c.Lo != nil {
		var band [][2]float64
		for i, x := range c.X {
			band = append(band, at(x, c.Hi[i]))
		}
		for i := len(c.X) - 1; i >= 0; i-- {
			band = append(band, at(c.X[i], c.Lo[i]))
		}
		f.polygon(color.NRGBA{colour.R, colour.G, colour.B, 40}, band...)
	}
	var line [][2]float64
	for i, x := range c.X {
		if y := scaled(c.Y[i], a.LogY); !math.IsNaN(y) && !math.IsInf(y, 0) {
			line = append(line, at(x, c.Y[i]))
		}
	}
	if !c.Points {
		f.line(c.style(i), line...)
	}
	if c.Points || len(line) <= 12 && !c.Faint {
		for _, p := range line {
			f.canvas.DrawGlyph(pointOf(i), f.at(p[0], p[1]))
		}
	}
}

// pointOf is a point of line number i.
func pointOf(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: robotColour(i), Radius: 2, Shape: draw.CircleGlyph{}}
}

// sign draws what stands for line number i in a legend.
func (c Curve) sign(canvas draw.Canvas, i int, from, to, y vg.Length) {
	if c.Points {
		canvas.DrawGlyph(pointOf(i), vg.Point{X: (from + to) / 2, Y: y})
		return
	}
	canvas.StrokeLine2(c.style(i), from, y, to, y)
}

// scaleX draws ticks with numbers below the frame.
func (f frame) scaleX(log bool) {
	for _, t := range ticks(f.x0, f.x1, log) {
		p := f.at(t.Value, f.y0)
		f.canvas.StrokeLine2(stroke(ink, 0.6), p.X, p.Y, p.X, p.Y-3)
		write(f.canvas, vg.Point{X: p.X, Y: p.Y - 5}, t.Label, label(7, text.XCenter, text.YTop))
	}
}

// scaleY draws ticks with numbers left of the frame.
func (f frame) scaleY(log bool) {
	for _, t := range ticks(f.y0, f.y1, log) {
		p := f.at(f.x0, t.Value)
		f.canvas.StrokeLine2(stroke(ink, 0.6), p.X, p.Y, p.X-3, p.Y)
		write(f.canvas, vg.Point{X: p.X - 5, Y: p.Y}, t.Label, label(7, text.XRight, text.YCenter))
	}
}

// narrowDecades is the width of a logarithmic axis below which round numbers at equal
// distances tell more than 1, 2 and 5.
const narrowDecades = 0.75

// ticks chooses labelled positions; on a logarithmic axis they are given in
// decades.
func ticks(lo, hi float64, log bool) []plot.Tick {
	switch {
	case !log:
		return linearTicks(lo, hi)
	case hi-lo < narrowDecades:
		return narrowTicks(lo, hi)
	default:
		return decadeTicks(lo, hi)
	}
}

func linearTicks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for _, t := range (plot.DefaultTicks{}).Ticks(lo, hi) {
		if t.Label != "" && t.Value >= lo && t.Value <= hi {
			out = append(out, t)
		}
	}
	return out
}

// narrowTicks are the multiples of 1, 2 or 5 times a power of ten that cut the axis
// in at most four.
func narrowTicks(lo, hi float64) []plot.Tick {
	from, to := math.Pow(10, lo), math.Pow(10, hi)
	step := roundUp((to - from) / 4)
	slack := 1e-6 * step
	var out []plot.Tick
	first := math.Ceil((from - slack) / step)
	for i := range 5 {
		if v := (first + float64(i)) * step; v <= to+slack {
			out = append(out, plot.Tick{Value: math.Log10(v), Label: fmt.Sprintf("%.4g", v)})
		}
	}
	return out
}

// roundUp returns the smallest of 1, 2 and 5 times a power of ten that is not below v.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= v {
			return m * unit
		}
	}
	return 10 * unit
}

// decadeTicks are powers of ten, and twice and five times those where there is room.
func decadeTicks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for d := math.Floor(lo); d <= hi; d++ {
		for _, m := range []float64{1, 2, 5} {
			v := d + math.Log10(m)
			if v < lo || v > hi || m != 1 && hi-lo > 2 {
				continue
			}
			out = append(out, plot.Tick{Value: v, Label: strings.Replace(fmt.Sprintf("%g", m*math.Pow(10, d)), "e-0", "e-", 1)})
		}
	}
	return out
}
