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

// ToyPanel is one method's panel of the two-blocks figure.
type ToyPanel struct {
	Title      string
	Note       string
	Big, Small []float32 // centres of the blocks, pair by pair
}

// ToyWorld says what the panels show around the pairs.
type ToyWorld struct {
	Big, Small [2]float64 // intervals in which the centres may lie
	MinSpacing float64    // centres nearer than this overlap
}

// The published layout: bins and range of the histogram, most bins of a
// marginal, and the percentile of the log-counts at which the colour saturates.
const (
	toyBins         = 180
	toyLow, toyHigh = -0.25, 9.25
	toyMarginalBins = 200
	toyPercentile   = 0.99
)

// Toy draws the pairs of several methods as two-dimensional histograms of the
// logarithm of the counts, with the marginals of both blocks, the corridor and
// the band in which blocks overlap. The big block is on the vertical axis.
// Colours are comparable between panels.
func Toy(panels []ToyPanel, world ToyWorld) *Figure {
	const width, height = 220 * vg.Length(1), 262 * vg.Length(1)
	counts := make([]toyCounts, len(panels))
	for i, p := range panels {
		counts[i] = countToy(p, world.MinSpacing)
	}
	top := toyColourLimit(counts)
	return &Figure{Width: width * vg.Length(len(panels)), Height: height + 16, draw: func(c draw.Canvas) {
		for i, p := range panels {
			at := vg.Point{X: c.Min.X + width*vg.Length(i), Y: c.Min.Y + 16}
			drawToyPanel(c, at, p, world, counts[i].image(top), i == 0)
		}
		toyLegend(c)
	}}
}

// toyCounts are the pairs per cell, cell (column, row) at row*toyBins+column,
// without and with overlap.
type toyCounts struct{ apart, overlapping []int }

func countToy(p ToyPanel, spacing float64) toyCounts {
	c := toyCounts{make([]int, toyBins*toyBins), make([]int, toyBins*toyBins)}
	cell := func(v float32) int { return int(math.Floor((float64(v) - toyLow) / (toyHigh - toyLow) * toyBins)) }
	for k := range p.Big {
		row, col := cell(p.Big[k]), cell(p.Small[k])
		if row < 0 || col < 0 || row >= toyBins || col >= toyBins {
			continue
		}
		if math.Abs(float64(p.Big[k])-float64(p.Small[k])) < spacing {
			c.overlapping[row*toyBins+col]++
		} else {
			c.apart[row*toyBins+col]++
		}
	}
	return c
}

// toyColourLimit returns the percentile of the positive log-counts of all panels.
func toyColourLimit(counts []toyCounts) float64 {
	var logs []float64
	for _, c := range counts {
		for _, n := range slices.Concat(c.apart, c.overlapping) {
			if n > 1 {
				logs = append(logs, math.Log(float64(n)))
			}
		}
	}
	if len(logs) == 0 {
		return 1
	}
	slices.Sort(logs)
	return logs[int(toyPercentile*float64(len(logs)-1))]
}

// image paints the cells, each four pixels wide so that viewers that smooth keep
// their edges.
func (c toyCounts) image(top float64) image.Image {
	const zoom = 4
	img := image.NewRGBA(image.Rect(0, 0, toyBins*zoom, toyBins*zoom))
	for row := range toyBins {
		for col := range toyBins {
			i := row*toyBins + col
			cell := blend(tint(blue, c.apart[i], top), tint(orange, c.overlapping[i], top))
			for dy := range zoom {
				for dx := range zoom {
					img.SetRGBA(col*zoom+dx, (toyBins-1-row)*zoom+dy, cell)
				}
			}
		}
	}
	return img
}

// tint returns the colour of a count: transparent for none, the full colour at
// the limit of the scale.
func tint(c color.RGBA, n int, top float64) color.RGBA {
	if n == 0 {
		return color.RGBA{}
	}
	share := 0.15 + 0.85*min(math.Log(float64(n))/top, 1)
	mix := func(v uint8) uint8 { return uint8(255 - share*(255-float64(v))) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// blend mixes two tints, or returns the one that is there, or white.
func blend(a, b color.RGBA) color.RGBA {
	switch {
	case a.A == 0 && b.A == 0:
		return white
	case a.A == 0:
		return b
	case b.A == 0:
		return a
	}
	mid := func(x, y uint8) uint8 { return uint8((int(x) + int(y)) / 2) }
	return color.RGBA{mid(a.R, b.R), mid(a.G, b.G), mid(a.B, b.B), 255}
}

func drawToyPanel(c draw.Canvas, at vg.Point, p ToyPanel, world ToyWorld, cells image.Image, first bool) {
	main := frame{canvas: c, x0: toyLow, x1: toyHigh, y0: toyLow, y1: toyHigh,
		rect: vg.Rectangle{Min: vg.Point{X: at.X + 32, Y: at.Y + 30}, Max: vg.Point{X: at.X + 182, Y: at.Y + 180}}}
	c.DrawImage(main.rect, cells)
	drawCorridor(main, world)
	main.border()
	main.ticksX([]float64{0, 3, 6, 9})
	main.ticksY([]float64{0, 3, 6, 9})
	write(c, vg.Point{X: (main.rect.Min.X + main.rect.Max.X) / 2, Y: at.Y + 4}, "centre of the small block", label(8, text.XCenter, text.YBottom))
	if first {
		side := label(8, text.XCenter, text.YTop)
		side.Rotation = math.Pi / 2
		write(c, vg.Point{X: at.X + 4, Y: (main.rect.Min.Y + main.rect.Max.Y) / 2}, "centre of the big block", side)
	}

	above := vg.Rectangle{Min: vg.Point{X: main.rect.Min.X, Y: main.rect.Max.Y + 4}, Max: vg.Point{X: main.rect.Max.X, Y: main.rect.Max.Y + 34}}
	drawMarginal(frame{canvas: c, rect: above}, p.Small, world.Small, false)
	right := vg.Rectangle{Min: vg.Point{X: main.rect.Max.X + 4, Y: main.rect.Min.Y}, Max: vg.Point{X: main.rect.Max.X + 34, Y: main.rect.Max.Y}}
	drawMarginal(frame{canvas: c, rect: right}, p.Big, world.Big, true)

	title := vg.Point{X: main.rect.Min.X, Y: above.Max.Y + 16}
	write(c, title, p.Title, label(10, text.XLeft, text.YBottom))
	write(c, vg.Point{X: title.X, Y: title.Y - 4}, p.Note, label(7.5, text.XLeft, text.YTop))
}

// drawCorridor outlines the feasible rectangle and the band of overlap.
func drawCorridor(f frame, w ToyWorld) {
	f.line(stroke(ink, 1), [2]float64{w.Small[0], w.Big[0]}, [2]float64{w.Small[1], w.Big[0]},
		[2]float64{w.Small[1], w.Big[1]}, [2]float64{w.Small[0], w.Big[1]}, [2]float64{w.Small[0], w.Big[0]})
	dashed := stroke(faint, 0.7, 3, 2)
	f.line(dashed, [2]float64{f.x0 + w.MinSpacing, f.y0}, [2]float64{f.x1, f.y1 - w.MinSpacing})
	f.line(dashed, [2]float64{f.x0, f.y0 + w.MinSpacing}, [2]float64{f.x1 - w.MinSpacing, f.y1})
}

// drawMarginal fills the density of one block over its allowed interval, with
// the density upwards or, vertical, to the right. Projection puts atoms on the
// walls, which would flatten everything else: the peak is that of the inside.
func drawMarginal(f frame, values []float32, allowed [2]float64, vertical bool) {
	x, density := marginal(values, allowed)
	peak := 1.05 * insidePeak(density)
	f.x0, f.x1, f.y0, f.y1 = toyLow, toyHigh, 0, peak
	point := func(v, d float64) [2]float64 { return [2]float64{v, d} }
	if vertical {
		f.x0, f.x1, f.y0, f.y1 = 0, peak, toyLow, toyHigh
		point = func(v, d float64) [2]float64 { return [2]float64{d, v} }
	}
	f.polygon(shade, point(allowed[0], 0), point(allowed[1], 0), point(allowed[1], peak), point(allowed[0], peak))
	var outline [][2]float64
	for i, d := range density {
		v := x[i]
		if v < toyLow || v > toyHigh {
			continue
		}
		if len(outline) == 0 {
			outline = append(outline, point(v, 0))
		}
		outline = append(outline, point(v, min(d, peak)))
		if i+1 == len(density) || x[i+1] > toyHigh {
			outline = append(outline, point(v, 0))
		}
	}
	if len(outline) > 0 {
		f.polygon(blue, outline...)
	}
}

// insidePeak returns the highest density, or twice the highest one away from the
// end bins when an end bin is above even that.
func insidePeak(density []float64) float64 {
	inside := slices.Max(density[1 : len(density)-1])
	if peak := slices.Max(density); inside == 0 || peak < 2*inside {
		return peak
	}
	return 2 * inside
}

// marginal returns bin centres and densities of at most 200 bins over the values
// and the allowed interval, with unit area by the trapezoid rule.
func marginal(values []float32, allowed [2]float64) (x, density []float64) {
	lo := min(float64(slices.Min(values)), allowed[0])
	hi := max(float64(slices.Max(values)), allowed[1])
	x, density = make([]float64, toyMarginalBins), make([]float64, toyMarginalBins)
	width := (hi - lo) / toyMarginalBins
	for i := range x {
		x[i] = lo + (float64(i)+0.5)*width
	}
	for _, v := range values {
		density[min(int((float64(v)-lo)/width), toyMarginalBins-1)]++
	}
	area := 0.0
	for i := 1; i < len(density); i++ {
		area += (density[i] + density[i-1]) / 2 * width
	}
	for i := range density {
		density[i] /= area
	}
	return x, density
}

// toyLegend explains the colours under all panels.
func toyLegend(c draw.Canvas) {
	x, y := c.Min.X+32, c.Min.Y+6
	for _, entry := range []struct {
		colour color.RGBA
		text   string
	}{{blue, "blocks apart"}, {orange, "blocks overlap"}} {
		c.FillPolygon(entry.colour, []vg.Point{{X: x, Y: y}, {X: x + 8, Y: y}, {X: x + 8, Y: y + 6}, {X: x, Y: y + 6}})
		write(c, vg.Point{X: x + 11, Y: y + 3}, entry.text, label(7.5, text.XLeft, text.YCenter))
		x += 66
	}
	note := "darker: more pairs (logarithm of the count)"
	write(c, vg.Point{X: x, Y: y + 3}, note, label(7.5, text.XLeft, text.YCenter))
	c.StrokeLine2(stroke(ink, 1), x+160, y+3, x+176, y+3)
	write(c, vg.Point{X: x + 179, Y: y + 3}, "corridor", label(7.5, text.XLeft, text.YCenter))
}
