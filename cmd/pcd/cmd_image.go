package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

func newImageCommand(invocation []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "image",
		Short: "Encode, decode and generate images with a latent diffusion model",
	}
	c.AddCommand(newImageGenerateCommand(invocation), newImageEncodeCommand(invocation), newImageDecodeCommand(invocation), newImageAssembleCommand(invocation))
	return c
}

const imageModelHelp = `
--model is a folder in the published layout: model_index.json beside unet, vae,
scheduler and, for models that listen to text, text_encoder and tokenizer. Weights may
be safetensors or PyTorch files of any precision. "pcd weights inspect DIR" says what
is in a folder.

`

// openImageModel opens the folder that --model names, with its digest for a manifest.
func openImageModel(dir string, m *experiment.Manifest) (*latent.Model, error) {
	if dir == "" {
		return nil, usageError{errors.New("--model is missing: want the folder of a latent diffusion model")}
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, usageError{fmt.Errorf("--model: %s is a file, want a folder with model_index.json", dir)}
	}
	model, err := latent.Open(dir)
	if err != nil {
		return nil, wrongFile(err)
	}
	return model, m.InputFile("model", dir)
}

// isImageUsage recognises requests for images that cannot be.
func isImageUsage(err error) bool {
	var setting *latent.SettingError
	var shape *nn.ShapeError
	return errors.As(err, &setting) || errors.As(err, &shape)
}

// wrongFile makes the error for a file or folder that is there, and is not what it is
// given for, a mistake of the caller.
func wrongFile(err error) error {
	var picture *dataset.FormatError
	var folder *modelfile.Error
	if errors.Is(err, os.ErrNotExist) || !errors.As(err, &picture) && !errors.As(err, &folder) {
		return err
	}
	return usageError{err}
}

// latentsName is the name of the array of latents in an archive.
const latentsName = "latents"

// writeLatents writes scaled latents as an array [n, channels, height, width].
func writeLatents(path string, b tensor.Batch) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		z := dataset.NewNPZWriter(w, false)
		a, err := dataset.NewArray(latentsName, append([]int{b.N}, b.Shape...), b.Data)
		return errors.Join(err, z.Write(a), z.Close())
	})
}

// readLatents reads what writeLatents wrote. What a file that is there holds instead is a
// mistake of the caller.
func readLatents(path string) (tensor.Batch, error) {
	z, err := dataset.OpenNPZ(path, dataset.ReadOptions{})
	if err != nil {
		return tensor.Batch{}, wrongFile(err)
	}
	defer z.Close()
	b, err := latentsOf(z)
	if err != nil {
		return tensor.Batch{}, usageError{err}
	}
	return b, nil
}

// latentsOf returns the latents of an archive.
func latentsOf(z *dataset.NPZ) (tensor.Batch, error) {
	a, err := z.Read(latentsName)
	if err != nil {
		return tensor.Batch{}, err
	}
	b, err := a.Batch()
	if err != nil {
		return tensor.Batch{}, err
	}
	if len(b.Shape) != 3 {
		return tensor.Batch{}, &dataset.ShapeError{Array: latentsName, Got: a.Shape, Want: "images, channels, height, width"}
	}
	if err := b.CheckFinite(); err != nil {
		return tensor.Batch{}, fmt.Errorf("array %s: %w", latentsName, err)
	}
	return b, nil
}

// gridFile holds all pictures.
const gridFile = "grid.png"

// gridGap is the space between the pictures of a grid, in pixels.
const gridGap = 4

// savePictures writes one file for each picture, and all of them side by side.
func savePictures(o *outputDir, pictures []*dataset.Picture, columns int) error {
	for k, p := range pictures {
		if err := o.write(fmt.Sprintf("image-%03d.png", k), p.WritePNG); err != nil {
			return err
		}
	}
	if columns == 0 {
		for columns*columns < len(pictures) {
			columns++
		}
	}
	return o.write(gridFile, dataset.Grid(pictures, columns, gridGap, 0xff).WritePNG)
}

// least is the smallest value of a flag whose 0 stands for a default: 1 when somebody says
// the flag.
func least(cmd *cobra.Command, flag string) int {
	if cmd.Flags().Changed(flag) {
		return 1
	}
	return 0
}
