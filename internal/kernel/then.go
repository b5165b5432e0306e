package kernel

import "math"

// Then is what follows a convolution or a linear map before its result leaves the cache: a sum,
// and then a rectifier. It has the bits that passes of their own would have.
type Then struct {
	// Plus is nothing, or has as many pixels as the result. One pixel an image is added to all
	// of its pixels, and one image to all images.
	Plus      Images
	Rectified bool
}

// least returns what no number of the result is below.
func (t *Then) least() float32 {
	if t.Rectified {
		return 0
	}
	return float32(math.Inf(-1))
}

func (t *Then) none() bool { return t.Plus.Data == nil && !t.Rectified }

func (t *Then) check(dst Images) {
	if g := t.Plus; g.Data != nil {
		if g.N != 1 && g.N != dst.N || g.pixels() != 1 && (g.Height != dst.Height || g.Width != dst.Width) {
			panic("kernel: sum of images of different sizes")
		}
		g.check(dst.Channels)
	}
}

// thenRows is how many pixels a task has that does what follows in a pass of its own.
const thenRows = 64

// pass does what follows in a pass of its own.
func (t Then) pass(c *Crew, dst Images) {
	if t.none() {
		return
	}
	parts := (dst.pixels() + thenRows - 1) / thenRows
	share(c, dst.N*parts, thenPass{t, dst}, func(p *thenPass, task int, _ *Hand) {
		parts := (p.dst.pixels() + thenRows - 1) / thenRows
		p.rows(p.dst.Image(task/parts).part(task%parts*thenRows, thenRows), task/parts, task%parts*thenRows)
	})
}

// thenPass is what follows under way.
type thenPass struct {
	Then
	dst Images
}

// rows does what follows for rows of an image, from the given one on.
func (t *Then) rows(m Matrix, image, from int) {
	if g := t.Plus; g.Data != nil {
		if g.N == 1 {
			image = 0
		}
		other := g.Image(image)
		if other.Rows == 1 {
			other.Rows, other.Stride = m.Rows, 0
		} else {
			other = other.part(from, m.Rows)
		}
		Add(m, m, other)
	}
	if !t.Rectified {
		return
	}
	if m.Stride == m.Cols {
		m = Vector(m.Data[:m.Rows*m.Cols])
	}
	for i := range m.Rows {
		Rectify(m.row(i), m.row(i))
	}
}
