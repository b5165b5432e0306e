package planner

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// EncodeTask turns PNG and JPEG files into latents, in one file.
type EncodeTask struct {
	Model  string   // folder or file; the model that ships without
	Inputs []string // PNG or JPEG files
	Size   *int     // both sides of the images in pixels; those that the model was trained on if left out
	Height *int     // one of them; that of the model if left out, like Width
	Width  *int
	Sample bool   // draw from the posterior of each image instead of taking its mean
	Seed   uint64 // of the draws
	Output string // file for the latents

	model         *pair.Model
	pictures      []*dataset.Picture
	height, width int
	shape         tensor.Shape // of a latent
}

// Check implements [Task]. It reads the pictures and opens the model.
func (t *EncodeTask) Check() (err error) {
	if len(t.Inputs) > maxEncoded {
		return &RequestError{Field: "images", Value: len(t.Inputs), Err: fmt.Errorf("%d files, want at most %d", len(t.Inputs), maxEncoded)}
	}
	if err := first(within(ImageSize, t.Size), within(ImageHeight, t.Height), within(ImageWidth, t.Width)); err != nil {
		return err
	}
	if t.Size != nil && (t.Height != nil || t.Width != nil) {
		return &RequestError{Field: "size", Value: *t.Size, Reason: "which is both sides: want it, or --height and --width"}
	}
	if err := atomicfile.Check(t.Output); err != nil {
		return err
	}
	t.pictures = nil
	for _, file := range t.Inputs {
		p, err := dataset.ReadPicture(file)
		if err != nil {
			return err
		}
		t.pictures = append(t.pictures, p)
	}
	if err := atomicfile.CheckApart(t.Output, t.Inputs...); err != nil {
		return err
	}
	if t.model, err = openLatent(t.Model, map[string]manifest.Input{}); err != nil {
		return err
	}
	t.height, t.width = t.model.Size()
	t.height, t.width = value(t.Size, value(t.Height, t.height)), value(t.Size, value(t.Width, t.width))
	if t.shape, err = t.model.Codec.Latent(t.height, t.width); err != nil {
		return err
	}
	return t.model.CheckRoom(len(t.pictures), 0, t.height, t.width)
}

// Files implements [Task]: a file of its own, in no folder.
func (t *EncodeTask) Files() []string { return nil }

// Run implements [Task]. It writes the file.
func (t *EncodeTask) Run(ctx context.Context, w Watch, _ *Folder) (*Outcome[CodeSummary], error) {
	images := tensor.New(len(t.pictures), 3, t.height, t.width)
	for k, p := range t.pictures {
		p.Resize(t.width, t.height).Unit(images.Sample(k))
	}
	var draws []float32
	if t.Sample {
		draws = latent.PosteriorNoise(noise.New(t.Seed), images.N, t.shape)
	}
	latents, err := t.model.Codec.Encode(ctx, images, draws, func(done, total int) { w.progress("encoding", done, total) })
	if err != nil {
		return nil, err
	}
	s := &CodeSummary{Images: images.N, Image: images.Shape, Latent: latents.Shape, Output: t.Output, Stretched: t.stretched()}
	return &Outcome[CodeSummary]{Name: "image encode", Summary: s, Seed: t.Seed}, writeLatents(t.Output, latents)
}

// Stretched is a picture that was encoded with other proportions than its own, and sides that keep them.
type Stretched struct {
	File   string `json:"file"`
	Height int    `json:"height"`
	Width  int    `json:"width"`
}

// stretched names the pictures whose proportions other sides keep better, with as many pixels, unless both are asked for.
func (t *EncodeTask) stretched() (all []Stretched) {
	if t.Height != nil && t.Width != nil {
		return nil
	}
	for k, p := range t.pictures {
		if p.Width*t.height == p.Height*t.width {
			continue
		}
		scale := math.Sqrt(float64(t.height*t.width) / float64(p.Height*p.Width))
		side := func(pixels int) int { return max(1, int(math.Round(float64(pixels)*scale/sideStep))) * sideStep }
		if h, w := side(p.Height), side(p.Width); h != t.height || w != t.width {
			all = append(all, Stretched{t.Inputs[k], h, w})
		}
	}
	return all
}

// sideStep is what sides are multiples of with the autoencoders of Stable Diffusion.
const sideStep = 8

// DecodeTask turns latents into PNG files.
type DecodeTask struct {
	Model   string // folder or file; the model that ships without
	Decoder string // full, tiny, or the path of a tiny autoencoder; "" is full
	Latents string // file with the array "latents", [images, channels, height, width], scaled
	Columns *int   // of the grid; as many as rows if left out

	model   *pair.Model
	latents tensor.Batch
	inputs  map[string]manifest.Input
}

// Check implements [Task]. It reads the latents and opens the model.
func (t *DecodeTask) Check() (err error) {
	if err := within(ImageColumns, t.Columns); err != nil {
		return err
	}
	t.inputs = map[string]manifest.Input{}
	if t.latents, err = readLatents(t.Latents); err != nil {
		return err
	}
	if err := enterFile(t.inputs, "latents", t.Latents); err != nil {
		return err
	}
	if t.model, err = openLatent(t.Model, t.inputs); err != nil {
		return err
	}
	if err := useDecoder(t.model.Model, t.Decoder, t.inputs); err != nil {
		return err
	}
	if channels, _ := t.model.Codec.Channels(); t.latents.Shape[0] != channels {
		return &RequestError{Field: "latents", Value: quoted(t.Latents), Err: fmt.Errorf("%s holds latents of %s, want %d, those of the model: they are of another one", quote.Text(t.Latents), plural.Of(t.latents.Shape[0], "channel"), channels)}
	}
	return t.model.CheckLatents(t.latents.N, t.latents.Shape)
}

// Files implements [Task].
func (t *DecodeTask) Files() []string { return imageFiles(t.latents.N) }

// Run implements [Task].
func (t *DecodeTask) Run(ctx context.Context, w Watch, f *Folder) (*Outcome[CodeSummary], error) {
	images, err := t.model.Codec.Decode(ctx, t.latents, func(done, total int) { w.progress("decoding", done, total) })
	if err != nil {
		return nil, err
	}
	s := &CodeSummary{Images: images.N, Image: images.Shape, Latent: t.latents.Shape}
	out := &Outcome[CodeSummary]{Name: "image decode", Summary: s, Inputs: t.inputs, setFiles: func([]string) {}}
	out.parts = func() ([]part, error) { return imageParts(latent.Pictures(images), value(t.Columns, 0)), nil }
	if f != nil {
		s.Output = f.out.Path("")
	}
	return out, out.writeTo(f)
}
