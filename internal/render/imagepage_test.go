package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/color"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
)

// plain returns a picture of one grey.
func plain(grey uint8) *dataset.Picture {
	p := dataset.NewPicture(32, 32)
	for i := range p.Pix {
		p.Pix[i] = grey
	}
	return p
}

// imageView returns two pairs of three steps, with a step that was not projected.
func imageView() ImageView {
	v := ImageView{Title: "pairs <of> images", Timesteps: []int{20, 10, 1}, Frames: []int{0}, Members: []ImageMember{
		{Name: "male", Exemplars: []*dataset.Picture{plain(1), plain(2)}}, {Name: "female", Exemplars: []*dataset.Picture{plain(3), plain(4)}},
	}}
	for k := range 2 {
		v.Tuples = append(v.Tuples, ImageTuple{
			Name: "pair", Images: []*dataset.Picture{plain(100), plain(200)}, Facts: []Fact{{"age", "differs", Good}},
			Weights: [][][]float32{{nil, {0.5, 0.5}, {0.25, 0.75}}, {nil, {0, 1}, {float32(k), 1 - float32(k)}}},
			Frames:  [][]*dataset.Picture{{plain(7)}, {plain(8)}},
		})
	}
	return v
}

func TestImageSheetShowsWeights(t *testing.T) {
	p, err := ImageSheet(imageView())
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) color.RGBA {
		i := 3 * (y*p.Width + x)
		return color.RGBA{p.Pix[i], p.Pix[i+1], p.Pix[i+2], 255}
	}
	s := newSheet(imageView())
	bar := s.top + s.side.Y + 2
	for _, c := range []struct {
		x, y int
		want color.RGBA
	}{
		{sheetMargin + 5, s.top + 5, color.RGBA{100, 100, 100, 255}},
		{sheetMargin + 6, bar, robotColour(0)}, {sheetMargin + 9, bar, robotColour(1)}, // a quarter of 32 pixels
		{sheetMargin + 32 + sheetGap + 1, bar, robotColour(1)},
		{2*sheetMargin + s.tuple.X + 32 + sheetGap + 1, bar, robotColour(0)},
		{sheetMargin + 1, sheetMargin + s.thumb.Y + 2, robotColour(0)},
		{1, 1, white},
	} {
		if got := at(c.x, c.y); got != c.want {
			t.Errorf("pixel %d, %d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func TestImageSheetOfLargeImages(t *testing.T) {
	v := imageView()
	for k := range v.Tuples {
		v.Tuples[k].Images = []*dataset.Picture{dataset.NewPicture(3000, 1500), dataset.NewPicture(3000, 1500)}
	}
	p, err := ImageSheet(v)
	if err != nil || p.Width > sheetWidth+4*sheetMargin {
		t.Errorf("%d pixels wide, %v", p.Width, err)
	}
}

func TestImagePage(t *testing.T) {
	page, err := NewImagePage(imageView())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := page.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	source := b.String()
	if strings.Contains(source, "ZgotmplZ") || strings.Contains(source, "<of>") || strings.Contains(source, "http://") || strings.Contains(source, "https://") {
		t.Error("the page holds what it should not")
	}
	_, rest, _ := strings.Cut(source, `id="data">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var data imageData
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	w := data.Tuples[1].Weights
	if w[0][0] != nil || w[0][2][1] != 0.75 || w[1][2][0] != 1 || len(data.Colours) != 2 || !strings.HasPrefix(data.Tuples[0].Frames[1][0], "data:image/jpeg;base64,") {
		t.Errorf("weights %v, colours %v", w, data.Colours)
	}
}

func TestImageViewRefusals(t *testing.T) {
	for name, change := range map[string]func(*ImageView){
		"nobody":   func(v *ImageView) { v.Members = nil },
		"an image": func(v *ImageView) { v.Tuples[1].Images = v.Tuples[1].Images[:1] },
		"a size":   func(v *ImageView) { v.Tuples[1].Images[1] = dataset.NewPicture(3, 3) },
		"weights":  func(v *ImageView) { v.Tuples[1].Weights[0] = v.Tuples[1].Weights[0][:2] },
		"a weight": func(v *ImageView) { v.Tuples[0].Weights[1][2] = []float32{1} },
		"a frame":  func(v *ImageView) { v.Frames = []int{0, 1} },
	} {
		v := imageView()
		change(&v)
		var view *ImageViewError
		if _, err := ImageSheet(v); !errors.As(err, &view) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
