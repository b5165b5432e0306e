package main

import (
	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/planner"
)

func newImageEncodeCommand(_ []string) *cobra.Command {
	var t planner.EncodeTask
	var size int
	var asJSON bool
	c := &cobra.Command{
		Use:   "encode FILE.png…",
		Short: "Turn PNG or JPEG files into latents",
		Long: `Encodes PNG and JPEG files of any kind as scaled latents: an .npz file with the array
"latents", [images, channels, height, width]. Transparency is dropped. Files are brought to one
size by the triangle filter, as the published preprocessing does.
` + imageModelHelp + exitCodeHelp,
		Example: "  pcd image encode --model stable-diffusion-2-1-base portrait.png \\\n    -o portrait.npz",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.Output == "" {
				return errNoOutput
			}
			t.Inputs, t.Size = args, given(cmd.Flags(), "size", size)
			return deliver(cmd, delivery{json: asJSON}, nil, &t, printCode)
		},
	}
	f := c.Flags()
	f.StringVar(&t.Model, "model", "", modelHelp)
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	number(f, &size, planner.ImageSize)
	f.BoolVar(&t.Sample, "sample", false, "draw from the posterior of each image instead of taking its mean")
	f.Uint64Var(&t.Seed, "seed", 0, "seed of the draws")
	f.StringVarP(&t.Output, "output", "o", "latents.npz", "file for the latents")
	return c
}
