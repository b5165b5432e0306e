package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
)

// pairOptions are the flags of "pcd pair".
type pairOptions struct {
	planner.PairRequest
	drawn, variables, pairs, steps, iterations, frames int
	gamma, noise, rate, box, guidance, sync, control   float64
	json                                               bool
	out                                                string
}

func newPairCommand(invocation []string) *cobra.Command {
	var o pairOptions
	c := &cobra.Command{
		Use:   "pair",
		Short: "Draw pairs of images inside the hulls of exemplars, with an attribute that differs",
		Long: `Draws pairs of images with a latent diffusion model: each image inside the convex hull
of a few exemplars in latent space, and of each pair exactly one is old. Nothing is
trained for it: a coupling drives the two apart while they are drawn, and a projection
keeps every latent a mixture of its exemplars, at every step.

The methods:
` + pairMethodHelp() + `
--model is a folder in the published layout, which "pcd weights inspect" shows; methods
that couple want the part classifier beside the others, and a part judge says what the
images show. sync wants the part guide, a classifier of pictures that is not the judge, and
cnet-xs the part controlnet, an adapter of the denoising network. Without --model, the model that ships draws portraits.

--exemplars-a and --exemplars-b are PNG or JPEG files of one size, 2 to ` + fmt.Sprint(pair.MaxExemplars) + ` each, with commas, or
folders of them. Without any, a man and a woman are drawn, young and old; --exemplars 6
draws each in three clothings. --model-a and --model-b draw the two images by different
models, which share the latents and the noise of --model; its classifiers couple and judge
them. Without --model, those of --model-a do; of those that it has not, those of the model
that ships, if it shares their latents. The summary says whose. With --variables 3 three people are drawn together, with 4
four, so that any two differ in age: 83 and 59 of 100 did, by the judge.

What is not given is chosen by rules that carry the published settings to latents of
any size: gamma is 3.5 times the root of their dimension, the noise is scaled by 0.4 of
the distance between exemplars. --timesteps says after which timesteps latents are
projected: all, x, x:, :x or x:y, where T is the first. Gamma and the noise scale are of
those steps; all others are the model's own, and begin at the projected latent as the
model would see it, with the noise of their timestep.

The directory -o receives a sheet of all pairs with the weights of the exemplars as a
bar under each image (pair.png), a page with the steps that led there (pair.html),
latents and weights (pair.npz), the summary (pair.json) and a manifest. Pairs that are
done are kept when a run is interrupted, in the folder unfinished-… of -o: the same command
continues. One with other settings is refused until that folder is removed. Pair 17 of a
seed is the same whatever else is drawn; --first begins later.

` + exitCodeHelp,
		Example: "  pcd pair -o out/pair --pairs 25\n  pcd pair --method sd-p --noise-scale 1\n  pcd pair --model stable-diffusion-2-1-base \\\n    --exemplars-a men --exemplars-b women",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd, invocation) },
	}
	o.addTo(c.Flags())
	return c
}

// pairMethodHelp lists the methods.
func pairMethodHelp() string {
	var b strings.Builder
	for _, m := range pair.Methods() {
		fmt.Fprintf(&b, "  %-12s %s\n", m, m.About())
	}
	return b.String()
}

func (o *pairOptions) addTo(f *pflag.FlagSet) {
	f.StringVar(&o.Model, "model", "", "folder or file of the model (default: the one that ships)")
	f.StringVar(&o.ModelA, "model-a", "", "another model that draws the first image")
	f.StringVar(&o.ModelB, "model-b", "", "another model that draws the second image")
	f.StringVar(&o.Decoder, "decoder", "full", decoderHelp)
	f.StringSliceVar(&o.ExemplarsA, "exemplars-a", nil, "PNG or JPEG files or folders: exemplars of the first image")
	f.StringSliceVar(&o.ExemplarsB, "exemplars-b", nil, "PNG or JPEG files or folders: exemplars of the second image")
	number(f, &o.drawn, planner.PairExemplars)
	f.StringVar(&o.Method, "method", string(pair.PCD), "how to draw")
	number(f, &o.variables, planner.PairVariables)
	number(f, &o.pairs, planner.PairPairs)
	number(f, &o.First, settings.First.With(0, "number of the first pair"))
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the noise")
	number(f, &o.steps, planner.PairSteps)
	renamed(f, "steps", "sampling-steps")
	number(f, &o.gamma, planner.PairGamma)
	number(f, &o.noise, planner.PairNoise)
	number(f, &o.sync, planner.PairSyncWeight)
	f.BoolVar(&o.SyncTogether, "sync-together", false, "sync moves all images; otherwise the anchor, the middle one, is drawn as if alone")
	number(f, &o.control, planner.PairControl)
	f.StringVar(&o.Attribute, "attribute", string(pair.Age), "what is to differ: age or gender")
	number(f, &o.Rotation, planner.PairRotation)
	f.StringVar(&o.Projection, "projection", planner.ExactProjection, "exact, or the published mirror-descent")
	number(f, &o.rate, planner.PairMDRate)
	number(f, &o.iterations, planner.PairMDIterations)
	f.StringVar(&o.Timesteps, "timesteps", "all", "timesteps after which latents are projected")
	number(f, &o.box, planner.PairBox)
	f.StringVar(&o.Posterior, "posterior", "mean", "latents of exemplars: mean, or the published sample")
	f.StringVar(&o.Prompt, "prompt", "", "what prompted methods are told (default: that of the model)")
	number(f, &o.guidance, planner.PairGuidance)
	number(f, &o.frames, planner.PairFrames)
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.StringVarP(&o.out, "output", "o", "out/pair", "directory for the pairs")
}

// request returns the request that the flags make. Flags that were not given are left
// to the task.
func (o *pairOptions) request(f *pflag.FlagSet) planner.PairRequest {
	r := o.PairRequest
	r.Pairs = &o.pairs
	r.Drawn, r.Variables, r.Steps = given(f, "exemplars", o.drawn), given(f, "variables", o.variables), given(f, "sampling-steps", o.steps)
	r.Frames, r.MDIterations, r.MDRate = given(f, "frames", o.frames), given(f, "md-iterations", o.iterations), given(f, "md-rate", o.rate)
	r.Gamma, r.NoiseScale = given(f, "gamma", o.gamma), given(f, "noise-scale", o.noise)
	r.Box, r.Guidance = given(f, "box", o.box), given(f, "guidance", o.guidance)
	r.SyncWeight, r.Control = given(f, "sync-weight", o.sync), given(f, "control", o.control)
	for name, word := range map[string]*string{"projection": &r.Projection, "timesteps": &r.Timesteps} {
		if !f.Changed(name) {
			*word = ""
		}
	}
	return r
}

func (o *pairOptions) run(cmd *cobra.Command, invocation []string) error {
	if err := wantOutputDir(o.out); err != nil {
		return err
	}
	return deliver(cmd, delivery{json: o.json, out: o.out}, invocation, &planner.PairTask{Request: o.request(cmd.Flags())}, printPair)
}

// announced is from how many seconds on a run is announced.
const announced = 120

// tellEstimate says how long a run will take, if it is long.
func tellEstimate(w io.Writer, run, published float64) {
	if run < announced && published < 10*announced {
		return
	}
	fmt.Fprintf(w, "this will take about %s; 25 pairs and 100 steps, as published, %s\n", inWords(run), inWords(published))
}

// inWords rounds a time to what matters.
func inWords(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	}
	return fmt.Sprintf("%.1f hours", d.Hours())
}
