package render

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pngDPI is the resolution of PNG files.
const pngDPI = 144

// Figure is a drawing of a fixed size.
type Figure struct {
	Width, Height vg.Length
	draw          func(c draw.Canvas)
}

// WriteSVG writes the figure as SVG.
func (f *Figure) WriteSVG(w io.Writer) error {
	c := vgsvg.New(f.Width, f.Height)
	f.paint(c)
	_, err := c.WriteTo(w)
	return err
}

// WritePNG writes the figure as PNG.
func (f *Figure) WritePNG(w io.Writer) error {
	c := vgimg.NewWith(vgimg.UseWH(f.Width, f.Height), vgimg.UseDPI(pngDPI))
	f.paint(c)
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
	return err
}

func (f *Figure) paint(c vg.CanvasSizer) {
	dc := draw.New(c)
	dc.SetColor(white)
	dc.Fill(dc.Rectangle.Path())
	f.draw(dc)
}

// Save writes the figure to a file whose name ends in .svg or .png.
func (f *Figure) Save(path string) error {
	return save(path, map[string]func(io.Writer) error{".svg": f.WriteSVG, ".png": f.WritePNG})
}

// save writes a file in the format that the end of its name stands for.
func save(path string, formats map[string]func(io.Writer) error) (err error) {
	write := formats[strings.ToLower(filepath.Ext(path))]
	if write == nil {
		known := strings.Join(slices.Sorted(maps.Keys(formats)), " or ")
		return fmt.Errorf("render: %s: unknown kind of figure, want a name ending in %s", path, known)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := file.Close(); err == nil {
			err = e
		}
	}()
	return write(file)
}
