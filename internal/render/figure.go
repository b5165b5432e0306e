package render

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// pngDPI is the resolution of PNG files.
const pngDPI = 144

// Figure is a drawing of a fixed size.
type Figure struct {
	Width, Height vg.Length
	draw          func(c draw.Canvas)
}

// WriteSVG writes the figure as SVG. Images in it fill their rectangles, whatever the shape
// of their pixels, which viewers would keep otherwise.
func (f *Figure) WriteSVG(w io.Writer) error {
	c := vgsvg.New(f.Width, f.Height)
	f.paint(c)
	var drawn bytes.Buffer
	if _, err := c.WriteTo(&drawn); err != nil {
		return err
	}
	out := bytes.ReplaceAll(drawn.Bytes(), []byte("<image "), []byte(`<image preserveAspectRatio="none" `))
	_, err := w.Write(bytes.ReplaceAll(out, []byte("data:image/jpg;base64,iVBOR"), []byte("data:image/png;base64,iVBOR")))
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

// FormatError says that the end of a file's name stands for no format.
type FormatError struct {
	Path  string
	Known []string // the endings
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("render: %s: unknown kind of figure, want a name ending in %s", e.Path, strings.Join(e.Known, " or "))
}

// The formats of [Figure.Save] and of [Animation.Save].
var (
	figureFormats    = []string{".png", ".svg"}
	animationFormats = []string{".gif", ".html"}
)

// CheckFigurePath returns a [FormatError] for a path that [Figure.Save] cannot write:
// before anything is computed.
func CheckFigurePath(path string) error { return checkFormat(path, figureFormats) }

// CheckAnimationPath does so for [Animation.Save].
func CheckAnimationPath(path string) error { return checkFormat(path, animationFormats) }

func checkFormat(path string, known []string) error {
	if !slices.Contains(known, strings.ToLower(filepath.Ext(path))) {
		return &FormatError{path, known}
	}
	return nil
}

// save writes a file in the format that the end of its name stands for. It appears
// whole or not at all, and is drawn before it is begun: drawing may be given up at any
// time, a file that is being written is waited for.
func save(path string, formats map[string]func(io.Writer) error) error {
	if err := checkFormat(path, slices.Sorted(maps.Keys(formats))); err != nil {
		return err
	}
	var drawn bytes.Buffer
	if err := formats[strings.ToLower(filepath.Ext(path))](&drawn); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { _, err := drawn.WriteTo(w); return err })
}
