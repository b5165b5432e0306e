package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
)

func newImageCommand(invocation []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "image",
		Short: "Encode, decode and generate images with a latent diffusion model",
	}
	c.AddCommand(newImageGenerateCommand(invocation), newImageEncodeCommand(invocation), newImageDecodeCommand(invocation), newImageAssembleCommand(invocation),
		newImageConvertCommand(invocation), newTrainExperimentCommand(*classifierTraining(), invocation))
	return c
}

const imageModelHelp = `
--model is a folder in the published layout: model_index.json beside unet, vae,
scheduler and, for models that listen to text, text_encoder and tokenizer. Weights may
be safetensors or PyTorch files of any precision. "pcd weights inspect DIR" says what
is in a folder. It may also be one file of Stable Diffusion 1 or 2 (.safetensors, .ckpt,
.gguf), with the folder tokenizer beside it: see "pcd image convert". Without it, the
model that ships draws portraits.

`

// mostNamed bounds how many pictures are named.
const mostNamed = 5

// printCode prints what encoding or decoding amounts to.
func printCode(w io.Writer, s *planner.CodeSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	for i, x := range s.Stretched {
		if i == mostNamed {
			printLine(w, "%s more are stretched", plural.Of(len(s.Stretched)-i, "picture"))
			break
		}
		printLine(w, "%s is stretched; --height %d --width %d keep its proportions", quote.Text(x.File), x.Height, x.Width)
	}
	printLine(w, "%s %v, latents %v: %s", plural.Of(s.Images, "image"), s.Image, s.Latent, s.Output)
	return nil
}

// Help of the flags that several commands have.
const (
	modelHelp   = "folder or file of the model (default: the one that ships, of portraits)"
	folderHelp  = "folder for the images"
	decoderHelp = "full, tiny (the folder vae_tiny of the model), or the path of a tiny autoencoder"
	defaultDir  = "out/images"
)
