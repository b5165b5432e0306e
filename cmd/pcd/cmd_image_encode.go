package main

import (
	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/planner"
)

func newImageEncodeCommand(_ []string) *cobra.Command {
	var t planner.EncodeTask
	var size, height, width int
	var asJSON bool
	c := &cobra.Command{
		Use:   "encode FILE.png…",
		Short: "Turn PNG or JPEG files into latents",
		Long: `Encodes PNG and JPEG files of any kind as scaled latents: an .npz file with the array
"latents", [images, channels, height, width]. Transparency is dropped. Files are brought to one
size by the triangle filter, as the published preprocessing does: to the square that the
model was trained on, unless --size says another one, or --height and --width other sides,
multiples of 8 pixels for models of Stable Diffusion. Files of other proportions are
stretched, which is said.
` + imageModelHelp + exitCodeHelp,
		Example: "  pcd image encode --model stable-diffusion-2-1-base portrait.png \\\n    -o portrait.npz",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.Output == "" {
				return errNoOutput
			}
			t.Inputs, t.Size = args, given(cmd.Flags(), "size", size)
			t.Height, t.Width = given(cmd.Flags(), "height", height), given(cmd.Flags(), "width", width)
			return deliver(cmd, delivery{json: asJSON}, nil, &t, printCode)
		},
	}
	f := c.Flags()
	f.StringVar(&t.Model, "model", "", modelHelp)
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	number(f, &size, planner.ImageSize)
	number(f, &height, planner.ImageHeight)
	number(f, &width, planner.ImageWidth)
	f.BoolVar(&t.Sample, "sample", false, "draw from the posterior of each image instead of taking its mean")
	f.Uint64Var(&t.Seed, "seed", 0, "seed of the draws")
	f.StringVarP(&t.Output, "output", "o", "latents.npz", "file for the latents")
	return c
}
