package main

import (
	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/planner"
)

func newImageDecodeCommand(invocation []string) *cobra.Command {
	var t planner.DecodeTask
	var columns int
	var d delivery
	c := &cobra.Command{
		Use:   "decode FILE.npz",
		Short: "Turn latents into PNG files",
		Long: `Decodes the array "latents" of an .npz file, [images, channels, height, width], scaled: one
PNG file for each image in the folder -o, all of them in grid.png, and a manifest.
` + imageModelHelp + exitCodeHelp,
		Example: "  pcd image decode --model stable-diffusion-2-1-base portrait.npz \\\n    -o out/portrait",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := wantOutputDir(d.out); err != nil {
				return err
			}
			t.Latents, t.Columns = args[0], given(cmd.Flags(), "columns", columns)
			return deliver(cmd, d, invocation, &t, printCode)
		},
	}
	f := c.Flags()
	f.StringVar(&t.Model, "model", "", modelHelp)
	f.StringVar(&t.Decoder, "decoder", "full", decoderHelp)
	f.BoolVar(&d.json, "json", false, "print the summary as JSON")
	number(f, &columns, planner.ImageColumns)
	f.StringVarP(&d.out, "output", "o", defaultDir, folderHelp)
	return c
}
