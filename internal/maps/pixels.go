package maps

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/bmp"

	"github.com/go-pcd/pcd/internal/memory"
)

// cells fills a grid from an image file. It returns how many pixels have the grey that
// map savers write for unknown, and are free.
func (r reading) cells(name string, data []byte, g *Grid) (weak int, err error) {
	switch {
	case bytes.HasPrefix(data, []byte("P2")), bytes.HasPrefix(data, []byte("P5")):
		return r.ofPGM(name, data, g)
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		return r.ofImage(name, data, g, png.DecodeConfig, png.Decode)
	case bytes.HasPrefix(data, []byte("BM")):
		return r.ofImage(name, data, g, bmp.DecodeConfig, bmp.Decode)
	}
	return 0, broken(name, "no image that is read: want PGM (P2 or P5), PNG or BMP")
}

// setSize makes room for the cells of an image.
func (g *Grid) setSize(name string, width, height int) error {
	switch {
	case width < 1 || height < 1:
		return broken(name, "%d by %d cells, want at least one", width, height)
	case width > maxSide || height > maxSide || width*height > maxCells:
		return broken(name, "%d by %d cells, want at most %d, and no side above %d", width, height, maxCells, maxSide)
	}
	if err := memory.Check(float64(width*height), cellBytes, "the cells of "+name); err != nil {
		return err
	}
	g.Width, g.Height = width, height
	g.Cells = make([]int8, width*height)
	return nil
}

// cellBytes is what a cell takes at the peak of its reading: its pixel, its state and the
// tables that rectangles are made with.
const cellBytes = 16

// pixel is the colour of a cell, each part on 0 … 1 and not multiplied with the alpha.
type pixel struct {
	r, g, b, a float64
	alpha      bool // whether the image has an alpha channel
}

// ofImage reads an image of one of the formats of the standard library's kind.
func (r reading) ofImage(name string, data []byte, g *Grid, config func(io.Reader) (image.Config, error), decode func(io.Reader) (image.Image, error)) (int, error) {
	c, err := config(bytes.NewReader(data))
	if err != nil {
		return 0, broken(name, "the image cannot be read: %v", err)
	}
	if err := g.setSize(name, c.Width, c.Height); err != nil {
		return 0, err
	}
	img, err := decode(bytes.NewReader(data))
	if err != nil {
		return 0, broken(name, "the image cannot be read: %v", err)
	}
	state, weak := r.lookup(img), 0
	low := img.Bounds().Min
	for row := range g.Height {
		out := g.Cells[(g.Height-1-row)*g.Width:][:g.Width]
		for i := range out {
			cell, unknownGrey := state(low.X+i, low.Y+row)
			out[i] = cell
			if unknownGrey && cell == Free {
				weak++
			}
		}
	}
	return weak, nil
}

// lookup returns what tells the state of the pixels of an image, and whether they have the
// grey of unknown cells; where there are few colours, from a table.
func (r reading) lookup(img image.Image) func(x, y int) (cell int8, grey bool) {
	type known struct {
		cell int8
		grey bool
	}
	enter := func(p pixel) known {
		cell := r.state(p)
		return known{cell, p.grey8() == savedUnknown && p.a == 1}
	}
	switch img := img.(type) {
	case *image.Gray:
		var table [256]known
		for v := range table {
			table[v] = enter(greyPixel(float64(v) / 255))
		}
		return func(x, y int) (int8, bool) { k := table[img.GrayAt(x, y).Y]; return k.cell, k.grey }
	case *image.Paletted:
		var table [256]known
		for v := range table {
			if table[v].cell = Unknown; v < len(img.Palette) { // files may have pixels beyond their palette
				table[v] = enter(pixelOf(img.Palette[v], hasAlpha(img)))
			}
		}
		return func(x, y int) (int8, bool) { k := table[img.ColorIndexAt(x, y)]; return k.cell, k.grey }
	}
	alpha, last, before := hasAlpha(img), color.Color(nil), known{}
	return func(x, y int) (int8, bool) {
		if c := img.At(x, y); c != last {
			last, before = c, enter(pixelOf(c, alpha))
		}
		return before.cell, before.grey
	}
}

// hasAlpha reports whether an image has a channel, or an entry of its palette, that says
// how transparent it is.
func hasAlpha(img image.Image) bool {
	switch img := img.(type) {
	case *image.NRGBA, *image.NRGBA64:
		return true
	case *image.Paletted:
		for _, c := range img.Palette {
			if _, _, _, a := c.RGBA(); a != 0xffff {
				return true
			}
		}
	}
	return false
}

func greyPixel(v float64) pixel { return pixel{v, v, v, 1, false} }

// pixelOf returns a colour as it is stored, where it is transparent as well.
func pixelOf(c color.Color, alpha bool) pixel {
	switch c := c.(type) {
	case color.Gray:
		return greyPixel(float64(c.Y) / 255)
	case color.Gray16:
		return greyPixel(float64(c.Y) / 65535)
	case color.NRGBA:
		return pixel{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255, float64(c.A) / 255, alpha}
	case color.NRGBA64:
		return pixel{float64(c.R) / 65535, float64(c.G) / 65535, float64(c.B) / 65535, float64(c.A) / 65535, alpha}
	}
	r, g, b, a := c.RGBA()
	return pixel{float64(r) / 65535, float64(g) / 65535, float64(b) / 65535, float64(a) / 65535, alpha}
}

// grey8 returns the luminance in 8 bits, as the newer convention has it.
func (p pixel) grey8() int {
	eight := func(v float64) float64 { return math.Round(v * 255) }
	return int(math.Round(0.299*eight(p.r) + 0.587*eight(p.g) + 0.114*eight(p.b)))
}

// state returns the state of a cell: the worse of those that the two conventions give, of
// which occupied is worst and free is best.
func (r reading) state(p pixel) int8 {
	if r.mode == "raw" {
		v := math.Round((p.r + p.g + p.b) / 3 * 255)
		if n := float64(p.grey8()); n != v || v > 100 {
			return Unknown
		}
		return int8(v)
	}
	a, b := r.newer(p), r.older(p)
	if severity(b) > severity(a) {
		return b
	}
	return a
}

// severity orders states: free, unknown, those between, occupied.
func severity(c int8) int {
	switch {
	case c == Free:
		return 0
	case c < 0:
		return 1
	}
	return 1 + int(c)
}

// newer is the convention since jazzy: 8 bits, float32, thresholds included, and nothing
// is known of translucent pixels.
func (r reading) newer(p pixel) int8 {
	if p.a < 1 {
		return Unknown
	}
	shade := float32(p.grey8()) / 255
	occ := float64(1 - shade)
	if r.negate {
		occ = float64(shade)
	}
	return r.between(occ, occ <= r.free, occ >= r.occupied)
}

// older is the convention until humble: the mean of the colours at full depth, thresholds
// excluded; where there is an alpha channel, opacity counts as a colour in mode trinary.
func (r reading) older(p pixel) int8 {
	shade := (p.r + p.g + p.b) / 3
	switch {
	case r.mode == "scale" && p.a < 1:
		return Unknown
	case r.mode == "trinary" && p.alpha:
		shade = (p.r + p.g + p.b + p.a) / 4
	}
	occ := 1 - shade
	if r.negate {
		occ = shade
	}
	return r.between(occ, occ < r.free, occ > r.occupied)
}

// between returns the state for an occupancy that is free, occupied or neither. Free wins.
func (r reading) between(occ float64, free, occupied bool) int8 {
	switch {
	case free:
		return Free
	case occupied:
		return Occupied
	case r.mode == "trinary":
		return Unknown
	case r.occupied == r.free: // and so is the occupancy
		return 50
	}
	v := math.Round((occ - r.free) / (r.occupied - r.free) * 100)
	return int8(min(max(v, 1), 99)) // at a threshold itself the conventions differ
}
