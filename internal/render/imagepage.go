package render

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"image/jpeg"
	"io"
	"math"

	"github.com/go-pcd/pcd/dataset"
)

// ImagePage is a page that shows how tuples of images came about: the images beside
// each other, the step chosen by a slider, and their weights over the steps.
type ImagePage struct{ view ImageView }

// NewImagePage returns the page of a view.
func NewImagePage(v ImageView) (*ImagePage, error) { return &ImagePage{v}, v.check() }

// jpegQuality is that of the images in a page: what it loses is not seen.
const jpegQuality = 88

// Save writes the page to a file whose name ends in .html.
func (p *ImagePage) Save(path string) error {
	return save(path, map[string]func(io.Writer) error{".html": p.WriteHTML})
}

// WriteHTML writes one page that needs nothing else: no other file, no network.
func (p *ImagePage) WriteHTML(w io.Writer) error {
	text, err := p.text()
	if err != nil {
		return err
	}
	return imagePage().Execute(w, text)
}

var imagePage = templateOf("images.html")

// The words and the numbers of a page of images.
type (
	imageText struct {
		Title, Note string
		Members     []imageMemberText
		Tuples      []imageTupleText
		Data        template.JS
	}
	imageMemberText struct {
		Name      string
		Exemplars []imageExemplarText
	}
	imageExemplarText struct {
		Picture template.URL
		Colour  string
	}
	imageTupleText struct {
		Name  string
		Names []string // of the members
		Facts []imageFactText
	}
	imageFactText struct {
		Fact
		Class, Sign string
	}
	imageData struct {
		Timesteps []int            `json:"timesteps"`
		Frames    []int            `json:"frames"`
		Colours   [][2]string      `json:"colours"` // of exemplars, on light and on dark ground
		Tuples    []imageTupleData `json:"tuples"`
	}
	imageTupleData struct {
		Images  []string       `json:"images"`  // by member
		Frames  [][]string     `json:"frames"`  // by member and frame
		Weights [][][]rounded5 `json:"weights"` // by member, step and exemplar; null where nothing was projected
	}
)

func (p *ImagePage) text() (imageText, error) {
	v := p.view
	out := imageText{Title: printable(v.Title), Note: printable(v.Note)}
	data := imageData{Timesteps: v.Timesteps, Frames: append([]int{}, v.Frames...)}
	for _, m := range v.Members {
		member := imageMemberText{Name: printable(m.Name)}
		for i, e := range m.Exemplars {
			url, err := dataURL(e)
			if err != nil {
				return out, err
			}
			member.Exemplars = append(member.Exemplars, imageExemplarText{template.URL(url), hex(robotColour(i))})
			if i == len(data.Colours) {
				data.Colours = append(data.Colours, [2]string{hex(robotColour(i)), hex(lighter(robotColour(i)))})
			}
		}
		out.Members = append(out.Members, member)
	}
	for _, t := range v.Tuples {
		d, err := t.data()
		if err != nil {
			return out, err
		}
		data.Tuples = append(data.Tuples, d)
		out.Tuples = append(out.Tuples, t.text(out.Members))
	}
	raw, err := json.Marshal(data)
	out.Data = template.JS(raw)
	return out, err
}

func (t ImageTuple) text(members []imageMemberText) imageTupleText {
	out := imageTupleText{Name: printable(t.Name)}
	for _, m := range members {
		out.Names = append(out.Names, m.Name)
	}
	for _, f := range t.Facts {
		f.Name, f.Value = printable(f.Name), printable(f.Value)
		out.Facts = append(out.Facts, imageFactText{f, [...]string{"", "good", "bad"}[f.Tone], [...]string{"", "✓ ", "✗ "}[f.Tone]})
	}
	return out
}

// data encodes the images and weights of a tuple.
func (t ImageTuple) data() (d imageTupleData, err error) {
	for i, p := range t.Images {
		url, err := dataURL(p)
		if err != nil {
			return d, err
		}
		frames := []string{}
		for _, f := range t.Frames[i] {
			url, err := dataURL(f)
			if err != nil {
				return d, err
			}
			frames = append(frames, url)
		}
		var history [][]rounded5
		for _, w := range t.Weights[i] {
			history = append(history, roundedWeights(w))
		}
		d.Images, d.Frames, d.Weights = append(d.Images, url), append(d.Frames, frames), append(d.Weights, history)
	}
	return d, nil
}

// roundedWeights returns weights for a page, nil for those that are not numbers.
func roundedWeights(w []float32) (out []rounded5) {
	for _, v := range w {
		if math.IsNaN(float64(v)) {
			return nil
		}
		out = append(out, rounded5(v))
	}
	return out
}

// dataURL returns a picture as a part of a page.
func dataURL(p *dataset.Picture) (string, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p.Image(), &jpeg.Options{Quality: jpegQuality}); err != nil {
		return "", err
	}
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
