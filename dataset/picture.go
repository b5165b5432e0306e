package dataset

import (
	"image"
	"image/color"
	"image/png"
	"io"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// Picture is an image of 8-bit colours: rows from the top of pixels from the left of
// red, green and blue.
type Picture struct {
	Width, Height int
	Pix           []uint8 // Height × Width × 3
}

// NewPicture returns a black picture.
func NewPicture(width, height int) *Picture {
	return &Picture{Width: width, Height: height, Pix: make([]uint8, width*height*3)}
}

// FromImage copies an image. Transparency is dropped, as the published preprocessing
// does: a pixel keeps the colour that the file gives it, whatever its opacity.
func FromImage(m image.Image) *Picture {
	b := m.Bounds()
	p := NewPicture(b.Dx(), b.Dy())
	at := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			p.Pix[at], p.Pix[at+1], p.Pix[at+2] = colour(m.At(x, y))
			at += 3
		}
	}
	return p
}

// colour returns the 8-bit colour of a pixel without its opacity. An invisible pixel
// has one, too, where the file keeps them apart.
func colour(c color.Color) (r, g, b uint8) {
	switch c := c.(type) {
	case color.NRGBA:
		return c.R, c.G, c.B
	case color.NRGBA64:
		return eight(c.R), eight(c.G), eight(c.B)
	case color.RGBA64:
		return eight(c.R), eight(c.G), eight(c.B)
	case color.Gray16:
		return eight(c.Y), eight(c.Y), eight(c.Y)
	default:
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		return n.R, n.G, n.B
	}
}

// eight rounds 16 bits of brightness to 8.
func eight(v uint16) uint8 { return uint8((uint32(v)*255 + 32767) / 65535) }

// Image returns the picture as an opaque image of the standard library.
func (p *Picture) Image() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, p.Width, p.Height))
	for i := range p.Width * p.Height {
		copy(m.Pix[4*i:], p.Pix[3*i:3*i+3])
		m.Pix[4*i+3] = 0xff
	}
	return m
}

// Unit writes the picture to dst as [3, Height, Width] numbers in [-1, 1]: the input
// of networks for images. Black is -1.
func (p *Picture) Unit(dst []float32) {
	plane := p.Width * p.Height
	for i := range plane {
		for c := range 3 {
			dst[c*plane+i] = float32(p.Pix[3*i+c])/255*2 - 1
		}
	}
}

// PictureOf returns the picture of [3, height, width] numbers: 0 where they are lo or
// less, 255 where they are hi or more, rounded to the nearest in between. Numbers that
// are not a number become 0.
func PictureOf(x []float32, height, width int, lo, hi float32) *Picture {
	p := NewPicture(width, height)
	plane := width * height
	for i := range plane {
		for c := range 3 {
			v := (x[c*plane+i] - lo) / (hi - lo)
			if v > 0 { // not for NaN
				p.Pix[3*i+c] = uint8(min(v, 1)*255 + 0.5)
			}
		}
	}
	return p
}

// Grid puts pictures of one size side by side, columns in a row, with a gap of pixels
// of one grey between and around them.
func Grid(pictures []*Picture, columns, gap int, grey uint8) *Picture {
	if len(pictures) == 0 {
		return NewPicture(0, 0)
	}
	w, h := pictures[0].Width+gap, pictures[0].Height+gap
	columns = max(1, min(columns, len(pictures)))
	rows := (len(pictures) + columns - 1) / columns
	g := NewPicture(columns*w+gap, rows*h+gap)
	for i := range g.Pix {
		g.Pix[i] = grey
	}
	for k, p := range pictures {
		g.paste(p, gap+k%columns*w, gap+k/columns*h)
	}
	return g
}

// paste copies p into g, its upper left pixel at (x, y).
func (g *Picture) paste(p *Picture, x, y int) {
	for row := range p.Height {
		copy(g.Pix[((y+row)*g.Width+x)*3:], p.Pix[row*p.Width*3:(row+1)*p.Width*3])
	}
}

// encodePNG writes the picture as PNG.
func (p *Picture) encodePNG(w io.Writer) error { return png.Encode(w, p.Image()) }

// WritePNG writes the picture to a file, which appears whole or not at all.
func (p *Picture) WritePNG(path string) error { return atomicfile.Write(path, p.encodePNG) }
