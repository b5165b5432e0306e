package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/latent"
)

// generateOptions are the flags of "pcd image generate".
type generateOptions struct {
	latent.Request
	pictureFlags
	sampler string
	edges   string
	control float64
}

// The files beside the pictures.
const (
	latentsFile = "latents.npz"
	edgesFile   = "edges.png"
)

// generateSummary is what "pcd image generate" prints.
type generateSummary struct {
	Images   int      `json:"images"`
	Height   int      `json:"height"`
	Width    int      `json:"width"`
	Steps    int      `json:"steps"`
	Sampler  string   `json:"sampler"`
	Prompt   string   `json:"prompt"`
	Negative string   `json:"negative_prompt,omitempty"`
	Guidance float64  `json:"guidance"`
	Edges    string   `json:"edges,omitempty"`
	Control  float64  `json:"control,omitempty"`
	Lost     int      `json:"tokens_lost"` // of the prompts, which were too long
	Seed     uint64   `json:"seed"`
	Seconds  float64  `json:"seconds"` // of sampling
	Files    []string `json:"files"`
}

func newImageGenerateCommand(invocation []string) *cobra.Command {
	var o generateOptions
	c := &cobra.Command{
		Use:   "generate",
		Short: "Draw images from a model",
		Long: `Draws images from noise with a latent diffusion model: every image is a PNG file in
the folder -o, beside all of them in grid.png, the latents in latents.npz and a manifest.
` + imageModelHelp + `Image 17 of a seed is the same whatever else is drawn; --first begins later.

--guidance 0 listens to the negative prompt alone, 1 to the prompt alone, more
exaggerates what distinguishes them. --sampler ddpm adds noise at every step,
--noise-scale times as much as the model was trained for; ddim adds --eta of it.

--edges draws along the edges of a picture, which Canny's detector finds between the
thresholds 100 and 250 (edges.png). The model needs an adapter for it, the part controlnet.

` + exitCodeHelp,
		Example: "  pcd image generate --model stable-diffusion-2-1-base \\\n    --prompt \"a lighthouse\" --guidance 7.5 --sampler ddim --sampling-steps 25 \\\n    -o out/lighthouse",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := o.run(cmd, invocation)
			if err != nil {
				return err
			}
			if o.json {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return s.print(cmd.OutOrStdout(), o.dir)
		},
	}
	f := c.Flags()
	o.add(f)
	f.IntVar(&o.Images, "images", 1, "images to draw")
	f.IntVar(&o.First, "first", 0, "number of the first image")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the noise")
	f.StringVar(&o.Prompt, "prompt", "", "what the images show")
	f.StringVar(&o.Negative, "negative-prompt", "", "what they do not show")
	f.Float64Var(&o.Guidance, "guidance", 7.5, "how far the prompt is exaggerated")
	f.StringVar(&o.sampler, "sampler", "ddpm", "ddpm or ddim")
	f.IntVar(&o.Steps, "sampling-steps", 50, "steps of sampling")
	renamed(f, "steps", "sampling-steps")
	f.Float64Var(&o.Eta, "eta", 0, "noise of ddim, 0 to 1")
	f.Float64Var(&o.NoiseScale, "noise-scale", 1, "factor of the noise of ddpm")
	f.StringVar(&o.edges, "edges", "", "PNG file to draw along the edges of")
	f.Float64Var(&o.control, "control", latent.PublishedControl, "how strongly edges steer, 0 to 1 or more")
	f.IntVar(&o.Height, "height", 0, "pixels (default: what the model was trained on)")
	f.IntVar(&o.Width, "width", 0, "pixels (default: what the model was trained on)")
	return c
}

// check returns an error for flags that make no request.
func (o *generateOptions) check(cmd *cobra.Command) error {
	switch o.sampler {
	case "ddpm":
		if cmd.Flags().Changed("eta") {
			return usageError{fmt.Errorf("--eta is of --sampler ddim; the noise of ddpm is --noise-scale")}
		}
	case "ddim":
		if cmd.Flags().Changed("noise-scale") {
			return usageError{fmt.Errorf("--noise-scale is of --sampler ddpm; the noise of ddim is --eta")}
		}
	default:
		return usageError{fmt.Errorf("--sampler is %q, want ddpm or ddim", o.sampler)}
	}
	o.Deterministic = o.sampler == "ddim"
	if o.edges == "" && cmd.Flags().Changed("control") {
		return usageError{fmt.Errorf("--control steers by --edges, which is missing")}
	}
	if err := checkBounds(bound{"images", o.Images, 1, 100_000}, bound{"sampling-steps", o.Steps, 1, 100_000},
		bound{"height", o.Height, least(cmd, "height"), 16384}, bound{"width", o.Width, least(cmd, "width"), 16384}); err != nil {
		return err
	}
	return o.pictureFlags.check(cmd)
}

func (o *generateOptions) run(cmd *cobra.Command, invocation []string) (*generateSummary, error) {
	if err := o.check(cmd); err != nil {
		return nil, err
	}
	record := newRecord("image generate", invocation, o.Seed, nil)
	model, err := o.open(record)
	if err != nil {
		return nil, err
	}
	edges, err := o.steer(model, record)
	if err != nil {
		return nil, err
	}
	stderr := cmd.ErrOrStderr()
	out, err := openOutput(stderr, o.dir, record, pictureFiles(o.Images, latentsFile, edgesFile)...)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	bars := map[string]func(done, total int){"denoise": newProgress(stderr, "denoising"), "decode": newProgress(stderr, "decoding")}
	o.Progress = func(stage string, done, total int) { bars[stage](done, total) }
	result, err := model.Generate(cmd.Context(), o.Request)
	if err != nil {
		return nil, err
	}
	s := &generateSummary{
		Images: o.Images, Height: result.Images.Shape[1], Width: result.Images.Shape[2], Steps: o.Steps, Sampler: o.sampler, Prompt: o.Prompt,
		Negative: o.Negative, Guidance: o.Guidance, Edges: o.edges, Lost: result.Lost, Seed: o.Seed, Seconds: result.Sampling.Seconds.Total,
	}
	if edges != nil {
		s.Control = o.control
	}
	record.Settings = s
	if err := o.save(out, result.Pictures); err != nil {
		return nil, err
	}
	if edges != nil {
		if err := out.Add(edgesFile, edges.WritePNG); err != nil {
			return nil, err
		}
	}
	if err := out.Add(latentsFile, func(path string) error { return writeLatents(path, result.Latents) }); err != nil {
		return nil, err
	}
	s.Files, err = deliverOutput(stderr, out)
	return s, err
}

// steer makes the edges of --edges steer the request, and returns them; nil without.
func (o *generateOptions) steer(model *latent.Model, record *manifest.Manifest) (*dataset.Picture, error) {
	if o.edges == "" {
		return nil, nil
	}
	picture, err := dataset.ReadPicture(o.edges)
	if err != nil {
		return nil, err
	}
	net, err := model.OpenControl()
	if err != nil {
		return nil, err
	}
	if err := record.InputFile("edges", o.edges); err != nil {
		return nil, err
	}
	height, width := model.Size()
	if o.Height > 0 {
		height = o.Height
	}
	if o.Width > 0 {
		width = o.Width
	}
	picture = picture.Resize(width, height)
	o.Steer = &latent.Steering{Net: net, Hint: latent.Edges(picture), Scale: o.control}
	return picture.Canny(latent.PublishedEdgesLow, latent.PublishedEdgesHigh), nil
}

// print writes the summary for people.
func (s *generateSummary) print(w io.Writer, dir string) error {
	if s.Lost > 0 {
		printLine(w, "%s of the prompts did not fit and were left out", plural.Of(s.Lost, "token"))
	}
	printLine(w, "%s of %d x %d pixels by %s of %s in %.1f s: %s", plural.Of(s.Images, "image"), s.Width, s.Height, plural.Of(s.Steps, "step"), s.Sampler, s.Seconds, filepath.Join(dir, gridFile))
	return nil
}
