package render

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/go-pcd/pcd/dataset"
)

// Lengths of a sheet, in pixels.
const (
	sheetWidth  = 2400 // about, at most: larger images are scaled down
	sheetGap    = 3    // between the images of a tuple
	sheetMargin = 14   // between tuples
	tallest     = 24   // height of a bar, at most
)

// ImageSheet draws all tuples side by side, with a bar of the weights under each image:
// a piece for every exemplar, in the colour that underlines the exemplar in the row
// above.
func ImageSheet(v ImageView) (*dataset.Picture, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	s := newSheet(v)
	draw.Draw(s.to, s.to.Bounds(), image.NewUniform(white), image.Point{}, draw.Src)
	s.exemplars()
	for k, t := range v.Tuples {
		at := image.Pt(sheetMargin+k%s.columns*(s.tuple.X+sheetMargin), s.top+k/s.columns*(s.tuple.Y+sheetMargin))
		for i, p := range t.Images {
			s.paste(at, p, s.side)
			s.bar(image.Rect(at.X, at.Y+s.side.Y+1, at.X+s.side.X, at.Y+s.tuple.Y), t.final(i))
			at.X += s.side.X + sheetGap
		}
	}
	return dataset.FromImage(s.to), nil
}

// sheet is a sheet in progress.
type sheet struct {
	ImageView
	to      *image.NRGBA
	columns int
	side    image.Point // of an image
	tuple   image.Point // with its bars
	thumb   image.Point // of an exemplar
	top     int         // of the tuples
	high    int         // of a bar
}

func newSheet(v ImageView) *sheet {
	s := &sheet{ImageView: v, columns: int(math.Ceil(math.Sqrt(float64(len(v.Tuples)))))}
	first, members := v.Tuples[0].Images[0], len(v.Members)
	s.side = shrunk(image.Pt(first.Width, first.Height), (sheetWidth-sheetMargin)/s.columns/members-sheetGap)
	s.high = min(max(s.side.Y/14, 4), tallest)
	s.tuple = image.Pt(members*(s.side.X+sheetGap)-sheetGap, s.side.Y+1+s.high)
	width := s.columns*(s.tuple.X+sheetMargin) + sheetMargin
	s.top = sheetMargin
	all := 0
	for _, m := range v.Members {
		all += len(m.Exemplars)
	}
	if all > 0 {
		s.thumb = shrunk(s.side, min(s.side.X/2, (width-sheetMargin*(members+1))/all-sheetGap))
		s.top += s.thumb.Y + 1 + s.high/2 + 2*sheetMargin
	}
	rows := (len(v.Tuples) + s.columns - 1) / s.columns
	s.to = image.NewNRGBA(image.Rect(0, 0, width, s.top+rows*(s.tuple.Y+sheetMargin)))
	return s
}

// shrunk scales a size down to a width.
func shrunk(size image.Point, width int) image.Point {
	if size.X <= width {
		return size
	}
	width = max(width, 1)
	return image.Pt(width, max(size.Y*width/size.X, 1))
}

// exemplars draws the row of exemplars.
func (s *sheet) exemplars() {
	at := image.Pt(sheetMargin, sheetMargin)
	for _, m := range s.Members {
		for i, p := range m.Exemplars {
			s.paste(at, p, s.thumb)
			below := image.Rect(at.X, at.Y+s.thumb.Y+1, at.X+s.thumb.X, at.Y+s.thumb.Y+1+max(s.high/2, 3))
			s.fill(below, robotColour(i))
			at.X += s.thumb.X + sheetGap
		}
		at.X += sheetMargin
	}
}

func (s *sheet) paste(at image.Point, p *dataset.Picture, size image.Point) {
	if p.Width != size.X || p.Height != size.Y {
		p = p.Resize(size.X, size.Y)
	}
	draw.Draw(s.to, image.Rectangle{Min: at, Max: at.Add(size)}, p.Image(), image.Point{}, draw.Src)
}

func (s *sheet) fill(r image.Rectangle, c color.RGBA) {
	draw.Draw(s.to, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// bar divides a rectangle as the weights do.
func (s *sheet) bar(r image.Rectangle, weights []float32) {
	sum, left := 0.0, r.Min.X
	for i, w := range weights {
		sum += float64(w)
		right := r.Min.X + int(math.Round(sum*float64(r.Dx())))
		s.fill(image.Rect(left, r.Min.Y, right, r.Max.Y), robotColour(i))
		left = right
	}
}
