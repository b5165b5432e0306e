package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/latent"
)

// generateOptions are the flags of "pcd image generate".
type generateOptions struct {
	planner.GenerateRequest
	eta, noise, control    float64
	height, width, columns int
	preview                bool
	delivery
}

const generateHelp = `Draws images from noise with a latent diffusion model: every image is a PNG file in
the folder -o, beside all of them in grid.png, the latents in latents.npz and a manifest.
` + imageModelHelp + `Image 17 of a seed is the same whatever else is drawn; --first begins later.

A few images are drawn at a time. Those that are done are kept when a run is interrupted,
as PNG files in the folder unfinished-… of -o: the same command continues, and may ask for
more images. One with other settings is refused until that folder is removed.

--guidance 0 listens to the negative prompt alone, 1 to the prompt alone, more
exaggerates what distinguishes them. --sampler published, the default, is the one that the
model's scheduler names, with its settings; for a scheduler that is not sampled as it is
(UniPC, DEIS, …) its nearest relative, which is named; ddpm where there is no scheduler.
ddpm adds noise at every step, --noise-scale times as much as the model was trained for; ddim
adds --eta of it. dpm++2m needs 15 to 25 steps, models distilled for few steps 1 to 8 of
euler, lcm or tcd. --spacing (leading, linspace, trailing) and --sigmas (timestep, karras,
exponential, beta) replace those of the scheduler.

--preview shows about eight times how the first images are going to be: on a page that
reloads itself, whose place is printed, and in terminals that show pictures (kitty, iTerm2,
WezTerm, Ghostty). With --decoder tiny that takes little time.

--edges draws along the edges of a picture, which Canny's detector finds between the
thresholds 100 and 250 (edges.png). The model needs an adapter for it, the part controlnet.

` + exitCodeHelp

func newImageGenerateCommand(invocation []string) *cobra.Command {
	var o generateOptions
	c := &cobra.Command{
		Use:     "generate",
		Short:   "Draw images from a model",
		Long:    generateHelp,
		Example: "  pcd image generate --model stable-diffusion-2-1-base \\\n    --prompt \"a lighthouse\" --guidance 7.5 --sampler ddim --sampling-steps 25 \\\n    -o out/lighthouse",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := wantOutputDir(o.out); err != nil {
				return err
			}
			return o.run(cmd, invocation)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Model, "model", "", modelHelp)
	f.StringVar(&o.Decoder, "decoder", "full", decoderHelp)
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	number(f, &o.columns, planner.ImageColumns)
	f.StringVarP(&o.out, "output", "o", defaultDir, folderHelp)
	f.BoolVar(&o.preview, "preview", false, "show the first images while they are sampled")
	number(f, &o.Images, planner.ImageImages)
	number(f, &o.First, settings.First.With(0, "number of the first image"))
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the noise")
	f.StringVar(&o.Prompt, "prompt", "", "what the images show")
	f.StringVar(&o.Negative, "negative-prompt", "", "what they do not show")
	number(f, &o.Guidance, planner.ImageGuidance)
	f.StringVar(&o.Sampler, "sampler", latent.Published, strings.Join(append(latent.Methods(), latent.Published), ", "))
	f.StringVar(&o.Spacing, "spacing", "", "timesteps visited (default: as the scheduler says)")
	f.StringVar(&o.Sigmas, "sigmas", "", "spacing of noise levels (default: as the scheduler says)")
	number(f, &o.Steps, planner.ImageSteps)
	renamed(f, "steps", "sampling-steps")
	number(f, &o.eta, planner.ImageEta)
	number(f, &o.noise, planner.ImageNoise)
	f.StringVar(&o.Edges, "edges", "", "PNG or JPEG file to draw along the edges of")
	number(f, &o.control, planner.ImageControl)
	number(f, &o.height, planner.ImageHeight)
	number(f, &o.width, planner.ImageWidth)
	return c
}

// run draws the images, and shows them on the way if that was asked for.
func (o *generateOptions) run(cmd *cobra.Command, invocation []string) error {
	task := &planner.GenerateTask{Request: o.request(cmd.Flags())}
	if o.preview {
		p, err := newPreview(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer p.Close()
		task.Preview = p.show
	}
	return deliver(cmd, o.delivery, invocation, task, o.print)
}

// request returns the request that the flags make. Flags that were not given are left to
// the task.
func (o *generateOptions) request(f *pflag.FlagSet) planner.GenerateRequest {
	r := o.GenerateRequest
	r.Eta, r.NoiseScale, r.Control = given(f, "eta", o.eta), given(f, "noise-scale", o.noise), given(f, "control", o.control)
	if o.Model == "" && !f.Changed("guidance") {
		r.Guidance = planner.PortraitsGuidance
	}
	r.Height, r.Width, r.Columns = given(f, "height", o.height), given(f, "width", o.width), given(f, "columns", o.columns)
	return r
}

// print writes the summary.
func (o *generateOptions) print(w io.Writer, s *planner.GenerateSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	if o.Model == "" {
		printLine(w, "portraits, by the model that ships; --model names another")
	}
	printLost(w, s.Lost)
	switch s.Unheard {
	case "":
	case "prompt":
		printLine(w, "guidance 0 does not listen to the prompt: 1 listens to it alone, which other programs call 0")
	default:
		printLine(w, "guidance %g does not listen to the %s", s.Guidance, s.Unheard)
	}
	if s.Measured != "" {
		printLine(w, "nothing says what the network predicts: %s, as measured; pcd image convert --predicts makes a folder that says otherwise", s.Measured)
	}
	if s.Named != "" {
		other := ""
		if s.Instead != "" {
			other = ", which is --sampler " + s.Instead
		}
		printLine(w, "the scheduler's file names %s, which counts; model_index.json names %s%s", s.Named, s.Indexed, other)
	}
	if s.Stands != "" {
		printLine(w, "the model's scheduler %s is not sampled as it is: %s stands for it", s.Stands, s.Sampler)
	}
	printClip(w, s.Clip)
	if s.Visited > 0 {
		printLine(w, "%s visit %s, of which steps_offset of the scheduler leaves no more", plural.Of(s.Steps, "step"), plural.Of(s.Visited, "timestep"))
	}
	printLine(w, "%s of %d x %d pixels by %s of %s in %.1f s: %s", plural.Of(s.Images, "image"), s.Width, s.Height, plural.Of(s.Steps, "step"), s.Sampler, s.Seconds, filepath.Join(o.out, "grid.png"))
	return nil
}

// printLost says how many tokens of prompts were left out, if some were.
func printLost(w io.Writer, tokens int) {
	if tokens > 0 {
		printLine(w, "%s of the prompts did not fit and were left out", plural.Of(tokens, "token"))
	}
}

// printClip says what the scheduler limits estimates of latents to, if it does.
func printClip(w io.Writer, limit float64) {
	if limit > 0 {
		printLine(w, "the scheduler limits estimates of latents to %g (clip_sample), which pipelines of Stable Diffusion switch off: \"clip_sample\": false in its file does so", limit)
	}
}
