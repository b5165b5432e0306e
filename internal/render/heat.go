package render

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a panel of a [HeatMaps] figure: signed numbers over a rectangle.
type Heat struct {
	Title, X, Y    string
	XRange, YRange [2]float64  // of the middles of the first and the last column and row
	Rows           [][]float64 // the first at the lower end of YRange, all of one length
}

// heatShare is the share of the numbers whose size the scale of colours covers: a few
// large ones leave the others their colours.
const heatShare = 0.98

// HeatMaps draws signed numbers side by side, as many panels to a row as given: blue
// above zero, orange below, white at zero. All panels share one scale, which stands
// beside each.
func HeatMaps(columns int, panels ...Heat) *Figure {
	const width, height = 300 * vg.Length(1), 230 * vg.Length(1)
	top := heatLimit(panels)
	rows := (len(panels) + columns - 1) / columns
	return &Figure{Width: width * vg.Length(columns), Height: height * vg.Length(rows), draw: func(c draw.Canvas) {
		for i, p := range panels {
			x, y := c.Min.X+width*vg.Length(i%columns), c.Max.Y-height*vg.Length(i/columns)
			drawHeat(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: y - height}, Max: vg.Point{X: x + width, Y: y}}}, p, top)
		}
	}}
}

// heatLimit returns the size of a number with the full colour.
func heatLimit(panels []Heat) float64 {
	var sizes []float64
	for _, p := range panels {
		for _, row := range p.Rows {
			for _, v := range row {
				sizes = append(sizes, math.Abs(v))
			}
		}
	}
	slices.Sort(sizes)
	if n := len(sizes); n > 0 && sizes[int(heatShare*float64(n-1))] > 0 {
		return sizes[int(heatShare*float64(n-1))]
	}
	return 1
}

func drawHeat(c draw.Canvas, p Heat, top float64) {
	f := frame{canvas: c, x0: p.XRange[0], x1: p.XRange[1], y0: p.YRange[0], y1: p.YRange[1],
		rect: vg.Rectangle{Min: vg.Point{X: c.Min.X + 46, Y: c.Min.Y + 32}, Max: vg.Point{X: c.Max.X - 56, Y: c.Max.Y - 22}}}
	c.DrawImage(f.rect, heatImage(p.Rows, top))
	f.border()
	f.scaleX(false)
	f.scaleY(false)
	write(c, vg.Point{X: f.rect.Min.X, Y: c.Max.Y - 4}, p.Title, label(9.5, text.XLeft, text.YTop))
	write(c, vg.Point{X: (f.rect.Min.X + f.rect.Max.X) / 2, Y: c.Min.Y + 4}, p.X, label(8, text.XCenter, text.YBottom))
	side := label(8, text.XCenter, text.YTop)
	side.Rotation = math.Pi / 2
	write(c, vg.Point{X: c.Min.X + 3, Y: (f.rect.Min.Y + f.rect.Max.Y) / 2}, p.Y, side)
	drawHeatScale(c, f.rect, top)
}

// drawHeatScale draws the colours with their numbers right of a panel.
func drawHeatScale(c draw.Canvas, panel vg.Rectangle, top float64) {
	const steps = 64
	scale := make([][]float64, steps)
	for i := range scale {
		scale[i] = []float64{top * (2*float64(i)/(steps-1) - 1)}
	}
	f := frame{canvas: c, x1: 1, y0: -top, y1: top, rect: vg.Rectangle{Min: vg.Point{X: panel.Max.X + 30, Y: panel.Min.Y}, Max: vg.Point{X: panel.Max.X + 38, Y: panel.Max.Y}}}
	c.DrawImage(f.rect, heatImage(scale, top))
	f.border()
	f.scaleY(false)
}

// heatImage paints numbers, each four pixels wide so that viewers that smooth keep their
// edges.
func heatImage(rows [][]float64, top float64) image.Image {
	const zoom = 4
	h, w := len(rows), 0
	if h > 0 {
		w = len(rows[0])
	}
	img := image.NewRGBA(image.Rect(0, 0, w*zoom, h*zoom))
	for y := range h * zoom {
		for x := range w * zoom {
			img.SetRGBA(x, h*zoom-1-y, heatColour(rows[y/zoom][x/zoom]/top))
		}
	}
	return img
}

// heatColour returns the colour of a number between -1 and 1.
func heatColour(v float64) color.RGBA {
	full := blue
	if v < 0 {
		full = orange
	}
	share := min(math.Abs(v), 1)
	mix := func(c uint8) uint8 { return uint8(255 - share*(255-float64(c)) + 0.5) }
	return color.RGBA{mix(full.R), mix(full.G), mix(full.B), 255}
}
