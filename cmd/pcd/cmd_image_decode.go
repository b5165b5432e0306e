package main

import (
	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/latent"
)

// decodeOptions are the flags of "pcd image decode".
type decodeOptions struct{ pictureFlags }

func newImageDecodeCommand(invocation []string) *cobra.Command {
	var o decodeOptions
	c := &cobra.Command{
		Use:   "decode FILE.npz",
		Short: "Turn latents into PNG files",
		Long: `Decodes the array "latents" of an .npz file, [images, channels, height, width], scaled: one
PNG file for each image in the folder -o, all of them in grid.png, and a manifest.
` + imageModelHelp + exitCodeHelp,
		Example: "  pcd image decode --model stable-diffusion-2-1-base portrait.npz \\\n    -o out/portrait",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.run(cmd, args[0], invocation)
			return s.deliver(cmd, o.json, err)
		},
	}
	o.add(c.Flags())
	return c
}

func (o *decodeOptions) run(cmd *cobra.Command, file string, invocation []string) (*codeSummary, error) {
	if err := o.check(cmd); err != nil {
		return nil, err
	}
	record := newRecord("image decode", invocation, 0, nil)
	latents, err := readLatents(file)
	if err != nil {
		return nil, err
	}
	if err := record.InputFile("latents", file); err != nil {
		return nil, err
	}
	model, err := o.open(record)
	if err != nil {
		return nil, err
	}
	if err := model.CheckLatents(latents.N, latents.Shape); err != nil {
		return nil, err
	}
	stderr := cmd.ErrOrStderr()
	out, err := openOutput(stderr, o.dir, record, pictureFiles(latents.N)...)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	images, err := model.Codec.Decode(cmd.Context(), latents, newProgress(stderr, "decoding"))
	if err != nil {
		return nil, err
	}
	if err := o.save(out, latent.Pictures(images)); err != nil {
		return nil, err
	}
	_, err = deliverOutput(stderr, out)
	return &codeSummary{images.N, images.Shape, latents.Shape, o.dir}, err
}
