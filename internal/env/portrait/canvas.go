package portrait

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// rgb is a colour, each part from 0 to 1, as displays take it.
type rgb [3]float32

// mix returns the colour between c and d: c at 0, d at 1.
func (c rgb) mix(d rgb, t float64) rgb {
	for i := range c {
		c[i] += float32(t) * (d[i] - c[i])
	}
	return c
}

// scale returns the colour with its brightness multiplied.
func (c rgb) scale(f float64) rgb {
	for i := range c {
		c[i] = min(max(c[i]*float32(f), 0), 1)
	}
	return c
}

// paint gives the colour and the opacity of a point.
type paint func(p point) (rgb, float64)

// flat paints everything with one colour.
func flat(c rgb) paint { return func(point) (rgb, float64) { return c, 1 } }

// faint is flat with an opacity.
func faint(c rgb, opacity float64) paint { return func(point) (rgb, float64) { return c, opacity } }

// glow fades from the centre of an ellipse to its edge.
func glow(c rgb, opacity float64, centre, radii point) paint {
	return func(p point) (rgb, float64) {
		x, y := (p.x-centre.x)/radii.x, (p.y-centre.y)/radii.y
		t := 1 - x*x - y*y
		if t <= 0 {
			return c, 0
		}
		return c, opacity * t * t
	}
}

// ramp goes from one colour to another between two points.
func ramp(c, d rgb, from, to point) paint {
	dx, dy := to.x-from.x, to.y-from.y
	n := dx*dx + dy*dy
	return func(p point) (rgb, float64) {
		t := ((p.x-from.x)*dx + (p.y-from.y)*dy) / n
		t = min(max(t, 0), 1)
		return c.mix(d, t*t*(3-2*t)), 1
	}
}

// canvas is a picture in progress.
type canvas struct {
	size  int
	data  []float32 // rows of pixels of three colours
	place transform // from the units of what is drawn to those of the picture
	clip  *image.Alpha
	mask  *image.Alpha
	path  vector.Rasterizer
}

func newCanvas(dst []float32, size int) *canvas {
	return &canvas{size: size, data: dst, place: identity, mask: image.NewAlpha(image.Rect(0, 0, size, size))}
}

// pixel returns where a point lies, in pixels.
func (c *canvas) pixel(p point) (x, y float64) {
	p = c.place.apply(p)
	half := float64(c.size) / 2
	return (p.x + 1) * half, (p.y + 1) * half
}

// cover computes the share of every pixel inside a closed outline, into the mask, and
// returns the part of the picture that it touches.
func (c *canvas) cover(o outline) image.Rectangle {
	box := c.bounds(o)
	if box.Empty() {
		return box
	}
	c.path.Reset(box.Dx(), box.Dy())
	c.path.DrawOp = draw.Src
	trace(&c.path, o, func(p point) (float32, float32) {
		x, y := c.pixel(p)
		return float32(x - float64(box.Min.X)), float32(y - float64(box.Min.Y))
	})
	c.path.Draw(c.mask, box, image.Opaque, image.Point{})
	return box
}

// bounds returns the pixels that an outline may touch.
func (c *canvas) bounds(o outline) image.Rectangle {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range o {
		x, y := c.pixel(p)
		lo[0], lo[1] = min(lo[0], x), min(lo[1], y)
		hi[0], hi[1] = max(hi[0], x), max(hi[1], y)
	}
	margin := 0.15*max(hi[0]-lo[0], hi[1]-lo[1]) + 1 // curves leave the hull of their points
	box := image.Rect(int(lo[0]-margin), int(lo[1]-margin), int(hi[0]+margin)+1, int(hi[1]+margin)+1)
	return box.Intersect(c.mask.Rect)
}

// fill paints the inside of an outline.
func (c *canvas) fill(o outline, with paint) {
	box := c.cover(o)
	back, err := c.place.inverse()
	if err || box.Empty() {
		return
	}
	half := float64(c.size) / 2
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			a := c.coverage(x, y)
			if a == 0 {
				continue
			}
			p := back.apply(point{(float64(x)+0.5)/half - 1, (float64(y)+0.5)/half - 1})
			colour, opacity := with(p)
			c.blend(x, y, colour, a*opacity)
		}
	}
}

// coverage returns how much of a pixel is inside the mask and the clip.
func (c *canvas) coverage(x, y int) float64 {
	a := float64(c.mask.Pix[y*c.mask.Stride+x]) / 255
	if c.clip != nil {
		a *= float64(c.clip.Pix[y*c.clip.Stride+x]) / 255
	}
	return a
}

func (c *canvas) blend(x, y int, colour rgb, opacity float64) {
	pixel := c.data[(y*c.size+x)*3:][:3]
	for i := range pixel {
		pixel[i] += float32(opacity) * (colour[i] - pixel[i])
	}
}

// inside restricts what draw does to the inside of an outline.
func (c *canvas) inside(o outline, draw func()) {
	box := c.cover(o)
	clip := image.NewAlpha(c.mask.Rect)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			clip.Pix[y*clip.Stride+x] = uint8(math.Round(255 * c.coverage(x, y)))
		}
	}
	outer := c.clip
	c.clip = clip
	draw()
	c.clip = outer
}

// with draws in units of its own.
func (c *canvas) with(t transform, draw func()) {
	outer := c.place
	c.place = outer.after(t)
	draw()
	c.place = outer
}

// fillBetween paints the ring between two outlines.
func (c *canvas) fillBetween(outer, inner outline, with paint) {
	box := c.cover(inner)
	hole := image.NewAlpha(c.mask.Rect)
	for i := range hole.Pix {
		hole.Pix[i] = 255
		if c.clip != nil {
			hole.Pix[i] = c.clip.Pix[i]
		}
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			at := y*hole.Stride + x
			hole.Pix[at] = uint8(int(hole.Pix[at]) * int(255-c.mask.Pix[y*c.mask.Stride+x]) / 255)
		}
	}
	before := c.clip
	c.clip = hole
	c.fill(outer, with)
	c.clip = before
}
