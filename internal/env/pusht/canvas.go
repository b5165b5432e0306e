package pusht

import (
	"math"
	"slices"
)

// canvas is a window of Size² pixels that shapes are drawn on as the library pygame does it,
// pixel by pixel.
type canvas struct {
	pix []uint8
	// since26 fills polygons as releases of the library from 2.6 on do it. Data that people have
	// were drawn by earlier ones.
	since26 bool
}

type colour [3]uint8

func newCanvas() *canvas {
	c := &canvas{pix: make([]uint8, 3*Size*Size)}
	for i := range c.pix {
		c.pix[i] = 255
	}
	return c
}

// set paints a pixel; those outside are dropped.
func (c *canvas) set(x, y int, v colour) {
	if x >= 0 && x < Size && y >= 0 && y < Size {
		copy(c.pix[3*(y*Size+x):], v[:])
	}
}

// row paints the pixels of a row from one column to another, both included.
func (c *canvas) row(y, from, to int, v colour) {
	for x := max(from, 0); x <= min(to, Size-1); x++ {
		c.set(x, y, v)
	}
}

// polygon fills a polygon: between the crossings of every row with its edges. Quotients are
// truncated, as in that library.
func (c *canvas) polygon(at []pixel, v colour) {
	top, bottom := at[0].y, at[0].y
	for _, p := range at {
		top, bottom = min(top, p.y), max(bottom, p.y)
	}
	var crossings []int
	for y := top; y <= bottom; y++ {
		crossings = crossings[:0]
		for i, p := range at {
			q := at[(i+1)%len(at)]
			if p.y > q.y {
				p, q = q, p
			}
			if p.y == q.y || y < p.y || y > q.y || y == q.y && y != bottom {
				continue
			}
			if c.since26 {
				crossings = append(crossings, int(float64(y-p.y)*float64(q.x-p.x)/float64(q.y-p.y)+float64(p.x)))
			} else {
				crossings = append(crossings, (y-p.y)*(q.x-p.x)/(q.y-p.y)+p.x)
			}
		}
		slices.Sort(crossings)
		for i := 0; i+1 < len(crossings); i += 2 {
			c.row(y, crossings[i], crossings[i+1], v)
		}
	}
	for i, p := range at {
		if q := at[(i+1)%len(at)]; p.y == q.y && p.y > top && p.y < bottom {
			c.row(p.y, min(p.x, q.x), max(p.x, q.x), v)
		}
	}
}

// disc fills a disc.
func (c *canvas) disc(at pixel, r int, v colour) {
	f, dx, dy, x, y := 1-r, 0, -2*r, 0, r
	for x < y {
		if f >= 0 {
			y--
			dy += 2
			f += dy
		}
		x++
		dx += 2
		f += dx + 1
		if f >= 0 {
			c.row(at.y+y-1, at.x-x, at.x+x-1, v)
			c.row(at.y-y, at.x-x, at.x+x-1, v)
		}
		c.row(at.y+x-1, at.x-y, at.x+y-1, v)
		c.row(at.y-x, at.x-y, at.x+y-1, v)
	}
}

// fatRadius is half the width of edges and walls.
const fatRadius = 2

// fatSegment draws a segment of some width: a line, a rectangle over it and discs at its ends.
func (c *canvas) fatSegment(p, q pixel, v colour) {
	c.line(p, q, v)
	if p == q {
		return
	}
	dx, dy := math.Abs(float64(q.x-p.x)), math.Abs(float64(q.y-p.y))
	length := math.Hypot(dx, dy)
	// Without signs, as in the published drawing: across the segment in two quadrants only.
	ox, oy := int(math.RoundToEven(dy*fatRadius/length)), int(math.RoundToEven(dx*fatRadius/length))
	c.polygon([]pixel{{p.x - ox, p.y - oy}, {p.x + ox, p.y + oy}, {q.x + ox, q.y + oy}, {q.x - ox, q.y - oy}}, v)
	c.disc(p, fatRadius, v)
	c.disc(q, fatRadius, v)
}

// line draws a line of twice the radius of segments: along its way every pixel paints four
// across.
func (c *canvas) line(p, q pixel, v colour) {
	dx, dy := abs(q.x-p.x), abs(q.y-p.y)
	sx, sy := 1, 1
	if q.x < p.x {
		sx = -1
	}
	if q.y < p.y {
		sy = -1
	}
	e := -dy / 2
	if dx > dy {
		e = dx / 2
	}
	for {
		for k := -fatRadius / 2; k < 3*fatRadius/2; k++ {
			if dx <= dy {
				c.set(p.x+k, p.y, v)
			} else {
				c.set(p.x, p.y+k, v)
			}
		}
		if p == q {
			return
		}
		before := e
		if before > -dx {
			e -= dy
			p.x += sx
		}
		if before < dy {
			e += dx
			p.y += sy
		}
	}
}

func abs(n int) int { return max(n, -n) }

// fineSegment draws an antialiased segment: along its longer axis, every step shares its colour
// among the two pixels that it lies between.
func (c *canvas) fineSegment(p, q pixel, v colour) {
	dx, dy := abs(q.x-p.x), abs(q.y-p.y)
	if p == q {
		c.blend(p.x, p.y, 1, v)
		return
	}
	steep := dy > dx
	if steep {
		p, q = pixel{p.y, p.x}, pixel{q.y, q.x}
	}
	if p.x > q.x {
		p, q = q, p
	}
	paint := func(along, across int, weight float32) {
		if steep {
			along, across = across, along
		}
		c.blend(along, across, weight, v)
	}
	paint(p.x, p.y, 1)
	paint(q.x, q.y, 1)
	slope, at := float32(q.y-p.y)/float32(q.x-p.x), float32(p.y)
	for x := p.x + 1; x < q.x; x++ {
		at += slope
		floor := float32(math.Floor(float64(at)))
		paint(x, int(floor), 1-(at-floor))
		if f := at - floor; f > 0 {
			paint(x, int(floor)+1, f)
		}
	}
}

// blend mixes a colour into a pixel.
func (c *canvas) blend(x, y int, weight float32, v colour) {
	if x < 0 || x >= Size || y < 0 || y >= Size {
		return
	}
	p := c.pix[3*(y*Size+x):]
	for k := range v {
		p[k] = uint8(float32(weight*float32(v[k])) + float32((1-weight)*float32(p[k])))
	}
}
