package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// maxImageFiles bounds how many images are held at a time.
const maxImageFiles = 10_000

// codeSummary is what "pcd image encode" and "decode" print.
type codeSummary struct {
	Images int    `json:"images"`
	Image  []int  `json:"image"`  // shape: channels, height, width
	Latent []int  `json:"latent"` // likewise
	Output string `json:"output"`
}

// encodeOptions are the flags of "pcd image encode".
type encodeOptions struct {
	model  string
	size   int
	sample bool
	seed   uint64
	json   bool
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
		Example: "  pcd image encode --model stable-diffusion-2-1-base portrait.png -o portrait.npz",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.run(cmd, args)
			if err != nil {
				return err
			}
			return printCode(cmd, s, o.json)
		},
	}
	f := c.Flags()
	f.StringVar(&o.model, "model", "", "folder of the model")
	f.IntVar(&o.size, "size", 0, "sides of the images in pixels (default: what the model was trained on)")
	f.BoolVar(&o.sample, "sample", false, "draw from the posterior of each image instead of taking its mean")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the draws")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
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
	model, err := openImageModel(o.model, experiment.NewManifest(nil, o.seed, nil))
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
	latents, err := model.Codec.Encode(cmd.Context(), images, draws)
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
			return nil, wrongFile(err)
		}
		out = append(out, p)
	}
	return out, nil
}

func printCode(cmd *cobra.Command, s *codeSummary, asJSON bool) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), s)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%d images %v, latents %v: %s\n", s.Images, s.Image, s.Latent, s.Output)
	return err
}

// decodeOptions are the flags of "pcd image decode".
type decodeOptions struct {
	model   string
	columns int
	json    bool
	dir     string
}

func newImageDecodeCommand(invocation []string) *cobra.Command {
	var o decodeOptions
	c := &cobra.Command{
		Use:   "decode FILE.npz",
		Short: "Turn latents into PNG files",
		Long: `Decodes the array "latents" of an .npz file, [images, channels, height, width], scaled: one
PNG file for each image in the folder -o, all of them in grid.png, and a manifest.
` + imageModelHelp + exitCodeHelp,
		Example: "  pcd image decode --model stable-diffusion-2-1-base portrait.npz -o out/portrait",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.run(cmd, args[0], invocation)
			if err != nil {
				return err
			}
			return printCode(cmd, s, o.json)
		},
	}
	f := c.Flags()
	f.StringVar(&o.model, "model", "", "folder of the model")
	f.IntVar(&o.columns, "columns", 0, "columns of the grid (default: as many as rows)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.StringVarP(&o.dir, "output", "o", "out/images", "folder for the images")
	return c
}

func (o *decodeOptions) run(cmd *cobra.Command, file string, invocation []string) (*codeSummary, error) {
	if err := checkBounds(bound{"columns", o.columns, least(cmd, "columns"), 1000}); err != nil {
		return nil, err
	}
	if err := wantOutputDir(o.dir); err != nil {
		return nil, err
	}
	manifest := experiment.NewManifest(invocation, 0, nil)
	latents, err := readLatents(file)
	if err != nil {
		return nil, err
	}
	if err := manifest.InputFile("latents", file); err != nil {
		return nil, err
	}
	model, err := openImageModel(o.model, manifest)
	if err != nil {
		return nil, err
	}
	if err := model.CheckLatents(latents.N, latents.Shape); err != nil {
		return nil, err
	}
	images, err := model.Codec.Decode(cmd.Context(), latents, newProgress(cmd.ErrOrStderr(), "decoding"))
	if err != nil {
		return nil, err
	}
	out, err := newOutput(o.dir, manifest)
	if err != nil {
		return nil, err
	}
	if err := savePictures(out, latent.Pictures(images), o.columns); err != nil {
		return nil, err
	}
	return &codeSummary{images.N, images.Shape, latents.Shape, o.dir}, out.close()
}
