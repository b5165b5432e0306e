package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
)

// convertImage are the flags of "pcd image convert".
type convertImage struct {
	in, out, settings, predicts string
	json                        bool
}

// convertSummary is what it prints.
type convertSummary struct {
	In       string   `json:"in"`
	Output   string   `json:"output"`
	Predicts string   `json:"predicts"`
	Measured bool     `json:"measured"` // nothing said what the network predicts
	Left     []string `json:"left_out,omitempty"`
	Beside   []string `json:"wanted_beside,omitempty"` // what a file does not hold, without which it is read otherwise
	Files    []string `json:"files"`
}

func newImageConvertCommand(invocation []string) *cobra.Command {
	var o convertImage
	c := &cobra.Command{
		Use:   "convert MODEL",
		Short: "Make one file of a model folder, or a folder of one file",
		Long: `Reads a model folder or a single file (Stable Diffusion 1 and 2, safetensors, .ckpt or
GGUF) and writes it to -o: one safetensors file under the names of its authors where the
name ends in .safetensors, otherwise a folder in the published layout. No number is changed.
A folder takes the parts classifier, judge, guide and vae_tiny along, also where
model_index.json does not name them; what is left out is named.

A file holds neither settings nor a tokenizer. They are taken from a folder, --settings,
which is that of the file by default: unet/config.json or unet.config.json, likewise vae,
text_encoder and scheduler, and the folder tokenizer. Settings that are not there follow
from the shapes of the tensors. --predicts says whether the network of a file predicts the noise or
velocities, which is measured where nothing says it.

` + exitCodeHelp,
		Example: "  pcd image convert v1-5-pruned-emaonly.safetensors -o models/sd15\n  pcd image convert models/sd15 -o sd15.safetensors",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.in = args[0]
			s, err := o.run(cmd.ErrOrStderr(), invocation)
			if err != nil {
				return err
			}
			if o.json {
				return printJSON(cmd.OutOrStdout(), s)
			}
			s.print(cmd.OutOrStdout())
			return nil
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", filepath.Join("out", "model"), "file or folder for the model")
	f.StringVar(&o.settings, "settings", "", "folder with settings and tokenizer of a file")
	f.StringVar(&o.predicts, "predicts", "", "noise or velocity (default: as settings say, or as measured)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	return c
}

// run reads the model and writes it.
func (o convertImage) run(stderr io.Writer, invocation []string) (*convertSummary, error) {
	if o.out == "" {
		return nil, errNoOutput
	}
	if ext := filepath.Ext(o.out); slices.Contains([]string{".ckpt", ".gguf", ".pt", ".pth", ".bin"}, ext) {
		return nil, usageError{fmt.Errorf("-o %s ends in %s: files are written as .safetensors, and any other name is that of a folder", quote.Text(o.out), ext)}
	}
	f, err := o.open()
	if err != nil {
		return nil, err
	}
	s := &convertSummary{In: o.in, Output: o.out, Measured: f.Undecided}
	single := strings.HasSuffix(o.out, ".safetensors")
	unnamed := unnamedFolders(f)
	if !single {
		unnamed = takeAlong(f, unnamed)
	}
	if err := o.apart(f); err != nil {
		return nil, err
	}
	if err := o.decide(f, s); err != nil {
		return nil, err
	}
	if single {
		s.Files = []string{o.out}
		if err := atomicfile.Write(o.out, f.WriteSingle); err != nil {
			return nil, err
		}
		s.Beside, err = o.beside(f)
		s.lacks(f, unnamed)
		return s, err
	}
	s.Left = unnamed
	return s, o.folder(stderr, invocation, f, s)
}

// open lists the parts of the model.
func (o convertImage) open() (*modelfile.Folder, error) {
	info, err := os.Stat(o.in)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if o.settings != "" || o.predicts != "" {
			return nil, usageError{fmt.Errorf("%s is a folder, which has settings of its own: --settings and --predicts (%s) are for files", quote.Text(o.in), quote.Text(cmp.Or(o.settings, o.predicts)))}
		}
		return modelfile.OpenFolder(o.in)
	}
	if o.settings != "" {
		if info, err := os.Stat(o.settings); err != nil {
			return nil, fmt.Errorf("--settings: %w", err)
		} else if !info.IsDir() {
			return nil, usageError{fmt.Errorf("--settings %s is a file, want the folder with unet/config.json, tokenizer and so on", quote.Text(o.settings))}
		}
		return modelfile.OpenSingle(o.in, o.settings)
	}
	return modelfile.OpenFolder(o.in)
}

// apart refuses to write what is read: the model, or into the folder of one of its parts, which a file of its weights may
// lie in.
func (o convertImage) apart(f *modelfile.Folder) error {
	err := atomicfile.CheckApart(o.out, o.in)
	for _, p := range f.Parts {
		for _, to := range []string{o.out, filepath.Dir(o.out)} {
			err = cmp.Or(err, atomicfile.CheckApart(to, p.Path))
		}
	}
	return err
}

// decide says what the network predicts, as it was asked for, or as it is measured.
func (o convertImage) decide(f *modelfile.Folder, s *convertSummary) error {
	switch o.predicts {
	case "":
	case "noise", "velocity":
		s.Measured = false
		if err := f.Decide(o.predicts == "velocity"); err != nil {
			return err
		}
	default:
		return usageError{fmt.Errorf("--predicts is %s, want noise or velocity", quote.Text(o.predicts))}
	}
	noise, err := latent.NoiseOf(f)
	if err != nil {
		return err
	}
	s.Predicts = noise.Prediction.String()
	if want := map[string]string{"noise": "epsilon", "velocity": "v"}[o.predicts]; want != "" && s.Predicts != want {
		return usageError{fmt.Errorf("--predicts is %s, and settings or the file say %s", o.predicts, s.Predicts)}
	}
	return nil
}

// folder writes the parts in a folder, which appears whole.
func (o convertImage) folder(stderr io.Writer, invocation []string, f *modelfile.Folder, s *convertSummary) error {
	record := newRecord("image convert", invocation, 0, nil)
	digest, err := manifest.DigestFile(o.in)
	if err != nil {
		return err
	}
	record.Inputs = map[string]manifest.Input{"model": {Path: o.in, SHA256: digest}}
	out, err := openOutput(stderr, o.out, record, modelfile.PartFiles...)
	if err != nil {
		return err
	}
	defer out.Close()
	err = out.Make(func(dir string) ([]string, error) {
		files, left, err := f.WriteParts(dir)
		s.Left = append(left, s.Left...)
		return files, err
	})
	if err != nil {
		return err
	}
	s.Files, err = deliverOutput(stderr, out)
	return err
}

func (s *convertSummary) print(w io.Writer) {
	how := ""
	if s.Measured {
		how = ", as measured"
	}
	printLine(w, "wrote %s: %s; the network predicts %s%s", quote.Lines(s.Output), plural.Of(len(s.Files), "file"), s.Predicts, how)
	if len(s.Left) > 0 {
		printLine(w, "left out: %s", quote.List(s.Left, 10))
	}
	if len(s.Beside) > 0 {
		printLine(w, "put %s of %s beside the file: it does not hold them, and is read otherwise without them", quote.List(s.Beside, 10), quote.Lines(s.In))
	}
}
