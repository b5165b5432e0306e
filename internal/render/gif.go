package render

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// How a GIF is played. Viewers do not keep delays much below 5/100 s.
const (
	gifDelay    = 5   // between frames, in 1/100 s
	gifRest     = 150 // after the last frame, in 1/100 s
	gifShortest = 2.0 // seconds; a shorter motion is slowed down
	gifLongest  = 12.0
	gifDPI      = 96
)

// The layout of a GIF, in points.
const (
	gifPanel  = 310 * vg.Length(1)
	gifMargin = 10 * vg.Length(1)
	gifHead   = 34 * vg.Length(1)
	gifFoot   = 18 * vg.Length(1)
)

// WriteGIF writes the first take as a moving picture that repeats, in real time
// unless it lasts less than 2 or more than 12 seconds.
func (a *Animation) WriteGIF(w io.Writer) error {
	duration := a.step * float64(max(a.frames()-1, 0))
	played := min(max(duration, gifShortest), gifLongest)
	pictures := int(math.Round(played*100/gifDelay)) + 1
	film := newFilm(a)
	var g gif.GIF
	for i := range pictures {
		at := float64(i) / float64(pictures-1) // share of the duration
		film.draw(a, at*duration, duration/played)
		g.Image = append(g.Image, film.change())
		g.Delay = append(g.Delay, gifDelay)
		g.Disposal = append(g.Disposal, gif.DisposalNone)
	}
	g.Delay[pictures-1] = gifRest
	g.Config = image.Config{ColorModel: film.palette, Width: film.screen.Rect.Dx(), Height: film.screen.Rect.Dy()}
	return gif.EncodeAll(w, &g)
}

// film turns drawings into the pictures of a GIF.
type film struct {
	canvas  vgdraw.Canvas
	screen  *image.RGBA // what the canvas draws on
	ground  []uint8     // the screen with only what does not move, and
	still   []uint8     // the numbers of its colours
	palette color.Palette
	index   map[color.RGBA]uint8
	shown   []uint8 // what earlier pictures have left on the screen
}

func newFilm(a *Animation) *film {
	width, height := gifPanel*vg.Length(len(a.stages)), vg.Length(0)
	for _, s := range a.stages {
		height = max(height, gifHead+gifFoot+mapRect(vg.Point{}, gifPanel-2*gifMargin, s.shown().Size()).Size().Y)
	}
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(gifDPI))
	f := &film{
		canvas: vgdraw.New(c), screen: c.Image().(*image.RGBA),
		palette: gifPalette(), index: map[color.RGBA]uint8{},
	}
	for i, s := range a.stages {
		gifFrame(f.canvas, i, s).ground(s, a.takes[0].runs[i])
	}
	f.still = f.indexed()
	f.ground = slices.Clone(f.screen.Pix)
	return f
}

// draw paints the moment at a time in seconds.
func (f *film) draw(a *Animation, seconds, rate float64) {
	copy(f.screen.Pix, f.ground)
	c := f.canvas
	for i, s := range a.stages {
		gifFrame(c, i, s).moment(s, a.takes[0].runs[i], seconds/a.step)
	}
	clock := fmt.Sprintf("%.2f s", seconds)
	if rate != 1 && rate != 0 {
		clock += fmt.Sprintf(" (%.2g× speed)", rate)
	}
	write(c, vg.Point{X: c.Min.X + gifMargin, Y: c.Min.Y + gifFoot/2}, clock, label(8.5, text.XLeft, text.YCenter))
}

// change returns the part of the screen that differs from the picture before;
// pixels within it that do not are transparent, which makes files small.
func (f *film) change() *image.Paletted {
	next := f.indexed()
	changed := f.changed(next)
	out := image.NewPaletted(changed, f.palette)
	width := f.screen.Rect.Dx()
	for y := changed.Min.Y; y < changed.Max.Y; y++ {
		for x := changed.Min.X; x < changed.Max.X; x++ {
			if i := y*width + x; f.shown == nil || f.shown[i] != next[i] {
				out.SetColorIndex(x, y, next[i])
			}
		}
	}
	f.shown = next
	return out
}

// changed returns the least rectangle in which all differs that does from what is shown; it is never empty.
func (f *film) changed(next []uint8) (changed image.Rectangle) {
	if f.shown == nil {
		return f.screen.Rect
	}
	width := f.screen.Rect.Dx()
	for at := 0; at < len(next); at += width {
		was, is := f.shown[at:at+width], next[at:at+width]
		if bytes.Equal(was, is) {
			continue
		}
		first, last := 0, width-1
		for was[first] == is[first] {
			first++
		}
		for was[last] == is[last] {
			last--
		}
		changed = changed.Union(image.Rect(first, at/width, last+1, at/width+1))
	}
	if changed.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return changed
}

// indexed returns the numbers of the colours on the screen.
func (f *film) indexed() []uint8 {
	out := make([]uint8, len(f.screen.Pix)/4)
	copy(out, f.still)
	width := f.screen.Rect.Dx()
	for at := 0; at < len(out); at += width {
		row := f.screen.Pix[4*at : 4*(at+width)]
		if f.ground == nil {
			f.number(out[at:at+width], row)
		} else if ground := f.ground[4*at : 4*(at+width)]; !bytes.Equal(row, ground) {
			f.numberBeside(out[at:at+width], row, ground)
		}
	}
	return out
}

// number writes the numbers of the colours of a row.
func (f *film) number(out, row []uint8) {
	for i := range out {
		out[i] = f.nearest(color.RGBA{row[4*i], row[4*i+1], row[4*i+2], 255})
	}
}

// numberBeside is number where a row is not as the ground is.
func (f *film) numberBeside(out, row, ground []uint8) {
	for i := range out {
		if binary.NativeEndian.Uint32(row[4*i:]) != binary.NativeEndian.Uint32(ground[4*i:]) {
			out[i] = f.nearest(color.RGBA{row[4*i], row[4*i+1], row[4*i+2], 255})
		}
	}
}

// nearest returns the number of the palette's colour that is nearest to c.
func (f *film) nearest(c color.RGBA) uint8 {
	i, ok := f.index[c]
	if !ok {
		i = uint8(f.palette[1:].Index(c) + 1)
		f.index[c] = i
	}
	return i
}

// gifPalette returns the colours of a GIF: transparent first, then greys, then
// the colours of robots and marks in steps towards white and black.
func gifPalette() color.Palette {
	p := color.Palette{color.RGBA{}}
	for v := 0; v < 256; v += 15 {
		p = append(p, color.RGBA{uint8(v), uint8(v), uint8(v), 255})
	}
	p = append(p, obstacleColour, ink)
	for _, c := range append([]color.RGBA{overlapColour, speedingColour}, robotColours...) {
		for _, share := range []float64{1, 0.8, 0.6, 0.4, 0.25, 0.12} {
			p = append(p, mix(c, white, share))
		}
		p = append(p, mix(c, obstacleColour, 0.75), mix(c, obstacleColour, 0.4), mix(c, ink, 0.6))
	}
	return p
}

// mix returns a share of one colour with the rest of another.
func mix(a, b color.RGBA, share float64) color.RGBA {
	m := func(a, b uint8) uint8 { return uint8(math.Round(share*float64(a) + (1-share)*float64(b))) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}
