package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/latent"
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

// imageFlags are those of all commands with a model of images.
type imageFlags struct {
	model string
	json  bool
}

func (o *imageFlags) add(f *pflag.FlagSet) {
	f.StringVar(&o.model, "model", "", "folder of the model")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
}

// open opens the folder that --model names, with its digest for a manifest.
func (o *imageFlags) open(m *manifest.Manifest) (*latent.Model, error) {
	if o.model == "" {
		return nil, usageError{errors.New("--model is missing: want the folder of a latent diffusion model")}
	}
	if info, err := os.Stat(o.model); err == nil && !info.IsDir() {
		return nil, usageError{fmt.Errorf("--model: %s is a file, want a folder with model_index.json", o.model)}
	}
	model, err := latent.Open(o.model)
	if err != nil {
		return nil, err
	}
	return model, m.InputFile("model", o.model)
}

// pictureFlags are those of the commands that write pictures.
type pictureFlags struct {
	imageFlags
	columns int
	dir     string
}

func (o *pictureFlags) add(f *pflag.FlagSet) {
	o.imageFlags.add(f)
	f.IntVar(&o.columns, "columns", 0, "columns of the grid (default: as many as rows)")
	f.StringVarP(&o.dir, "output", "o", "out/images", "folder for the images")
}

// check refuses what can be known before anything is computed.
func (o *pictureFlags) check(cmd *cobra.Command) error {
	if err := checkBounds(bound{"columns", o.columns, least(cmd, "columns"), 1000}); err != nil {
		return err
	}
	return wantOutputDir(o.dir)
}

// pictureFiles lists the files of pictures, and others.
func pictureFiles(n int, others ...string) (names []string) {
	for k := range n {
		names = append(names, pictureFile(k))
	}
	return append(append(names, gridFile), others...)
}

func pictureFile(k int) string { return fmt.Sprintf("image-%03d.png", k) }

// save makes one file for each picture, and one with all of them side by side.
func (o *pictureFlags) save(out *manifest.Folder, pictures []*dataset.Picture) error {
	for k, p := range pictures {
		if err := out.Add(pictureFile(k), p.WritePNG); err != nil {
			return err
		}
	}
	columns := o.columns
	if columns == 0 {
		for columns*columns < len(pictures) {
			columns++
		}
	}
	return out.Add(gridFile, dataset.Grid(pictures, columns, gridGap, 0xff).WritePNG)
}

// codeSummary is what "pcd image encode" and "decode" print.
type codeSummary struct {
	Images int    `json:"images"`
	Image  []int  `json:"image"`  // shape: channels, height, width
	Latent []int  `json:"latent"` // likewise
	Output string `json:"output"`
}

// deliver prints the summary, or returns why there is none.
func (s *codeSummary) deliver(cmd *cobra.Command, asJSON bool, err error) error {
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), s)
	}
	printLine(cmd.OutOrStdout(), "%s %v, latents %v: %s", plural.Of(s.Images, "image"), s.Image, s.Latent, s.Output)
	return err
}

// isImageUsage recognises requests for images that cannot be.
func isImageUsage(err error) bool {
	var setting *latent.SettingError
	var shape *nn.ShapeError
	return errors.As(err, &setting) || errors.As(err, &shape)
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
		return tensor.Batch{}, err
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

// least is the smallest value of a flag whose 0 stands for a default: 1 when somebody says
// the flag.
func least(cmd *cobra.Command, flag string) int {
	if cmd.Flags().Changed(flag) {
		return 1
	}
	return 0
}
