package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// maxImageFiles bounds how many images are held at a time.
const maxImageFiles = 10_000

// encodeOptions are the flags of "pcd image encode".
type encodeOptions struct {
	imageFlags
	size   int
	sample bool
	seed   uint64
	out    string
}

func newImageEncodeCommand(_ []string) *cobra.Command {
	var o encodeOptions
	c := &cobra.Command{
		Use:   "encode FILE.png…",
		Short: "Turn PNG files into latents",
		Long: `Encodes PNG files of any kind as scaled latents: an .npz file with the array
"latents", [images, channels, height, width]. Transparency is dropped. Files are brought to one
size by the triangle filter, as the published preprocessing does.
` + imageModelHelp + exitCodeHelp,
		Example: "  pcd image encode --model stable-diffusion-2-1-base portrait.png \\\n    -o portrait.npz",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.run(cmd, args)
			return s.deliver(cmd, o.json, err)
		},
	}
	f := c.Flags()
	o.add(f)
	f.IntVar(&o.size, "size", 0, "sides of the images in pixels (default: what the model was trained on)")
	f.BoolVar(&o.sample, "sample", false, "draw from the posterior of each image instead of taking its mean")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the draws")
	f.StringVarP(&o.out, "output", "o", "latents.npz", "file for the latents")
	return c
}

func (o *encodeOptions) run(cmd *cobra.Command, files []string) (*codeSummary, error) {
	if len(files) > maxImageFiles {
		return nil, usageError{fmt.Errorf("%d files, want at most %d", len(files), maxImageFiles)}
	}
	if err := checkBounds(bound{"size", o.size, least(cmd, "size"), 16384}); err != nil {
		return nil, err
	}
	if o.out == "" {
		return nil, errNoOutput
	}
	if err := atomicfile.Check(o.out); err != nil {
		return nil, err
	}
	pictures, err := readPictures(files)
	if err != nil {
		return nil, err
	}
	model, err := o.open(newRecord("image encode", nil, o.seed, nil))
	if err != nil {
		return nil, err
	}
	height, width := model.Size()
	if o.size > 0 {
		height, width = o.size, o.size
	}
	shape, err := model.Codec.Latent(height, width)
	if err != nil {
		return nil, err
	}
	if err := model.CheckRoom(len(pictures), height, width); err != nil {
		return nil, err
	}
	images := tensor.New(len(pictures), 3, height, width)
	for k, p := range pictures {
		p.Resize(width, height).Unit(images.Sample(k))
	}
	var draws []float32
	if o.sample {
		draws = latent.PosteriorNoise(noise.New(o.seed), images.N, shape)
	}
	latents, err := model.Codec.Encode(cmd.Context(), images, draws, newProgress(cmd.ErrOrStderr(), "encoding"))
	if err != nil {
		return nil, err
	}
	return &codeSummary{images.N, images.Shape, latents.Shape, o.out}, writeLatents(o.out, latents)
}

func readPictures(files []string) ([]*dataset.Picture, error) {
	var out []*dataset.Picture
	for _, file := range files {
		p, err := dataset.ReadPicture(file)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
