package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

func newWeightsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "weights",
		Short: "Inspect and convert files of weights",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(newWeightsInspectCommand(), newWeightsConvertCommand())
	return c
}

func newWeightsInspectCommand() *cobra.Command {
	var asJSON, skip bool
	c := &cobra.Command{
		Use:   "inspect PATH",
		Short: "List the tensors of a file, or the parts of a model folder",
		Long: `Reads safetensors files and PyTorch state dicts (.pth, .pt, .ckpt, .bin), also those
that are divided among files (name their .index.json), and says which network the
tensors belong to. Nothing in a PyTorch file is ever executed; what is neither a tensor
nor plain data is refused by name, or passed over with --skip-objects.

Of a model folder (model_index.json with unet, vae, text_encoder, tokenizer, scheduler
and classifiers) it lists the parts, and compares the weights of each network with its
settings: a tensor that is missing, additional or of another shape is an error that
names it. A folder with one network or classifier is a model of one part.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
				return inspectFolder(cmd.OutOrStdout(), args[0], asJSON)
			}
			s, err := modelfile.Inspect(args[0], weights.Options{SkipObjects: skip})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printWeights(cmd.OutOrStdout(), s)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the summary as JSON")
	c.Flags().BoolVar(&skip, "skip-objects", false, "pass over what is neither a tensor nor plain data")
	return c
}

// inspectFolder prints the parts of a model folder, and returns what is wrong with them.
func inspectFolder(w io.Writer, dir string, asJSON bool) error {
	s, err := modelfile.InspectFolder(dir)
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(w, s)
	} else {
		err = printFolder(w, s)
	}
	return errors.Join(err, s.Err())
}

func printFolder(w io.Writer, s *modelfile.FolderSummary) error {
	fmt.Fprintf(w, "%s: %d parts", s.Path, len(s.Parts))
	if s.Pipeline != "" {
		fmt.Fprintf(w, " of a %s", quote.Text(s.Pipeline))
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "part\tclass\tsettings say\tweights\ttensors\tnumbers\ttypes\tverdict")
	for _, p := range s.Parts {
		verdict := "–"
		switch {
		case p.Problem != "":
			verdict = "refused, see below"
		case p.Weights != "" && p.Expected != "":
			verdict = "fits"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Title(), dash(p.Class), dash(p.Expected), dash(filepath.Base(p.Weights)), countsOf(p), verdict)
	}
	return t.Flush()
}

// countsOf writes tensors, numbers and element types of the weights of a part.
func countsOf(p modelfile.PartSummary) string {
	if p.Weights == "" {
		return "–\t–\t–"
	}
	var types []string
	for _, name := range slices.Sorted(maps.Keys(p.Types)) {
		types = append(types, fmt.Sprintf("%d %s", p.Types[name], name))
	}
	return fmt.Sprintf("%d\t%d\t%s", p.Tensors, p.Elements, dash(strings.Join(types, ", ")))
}

// dash writes text from a file, and a dash for none.
func dash(s string) string {
	if s == "" || s == "." {
		return "–"
	}
	return quote.Text(s)
}

func printWeights(w io.Writer, s *modelfile.Summary) error {
	fmt.Fprintf(w, "%s: %v, %d bytes, %d tensors, %d numbers", s.Path, s.Format, s.FileBytes, len(s.Tensors), s.Elements)
	if s.NaN+s.Inf > 0 {
		fmt.Fprintf(w, ", %d NaN, %d infinite", s.NaN, s.Inf)
	}
	fmt.Fprintln(w)
	for _, a := range s.Architectures {
		switch {
		case a.Temporal != nil:
			fmt.Fprintf(w, "%stemporal U-Net, %d parameters: %+v\n", prefix(a.Prefix), a.Parameters, *a.Temporal)
		case a.Conditional != nil:
			fmt.Fprintf(w, "%sconditional U-Net, %d parameters: %+v\n", prefix(a.Prefix), a.Parameters, *a.Conditional)
		case a.Classifier != nil:
			fmt.Fprintf(w, "%sclassifier, %d parameters: %s\n", prefix(a.Prefix), a.Parameters, headsOf(a.Classifier))
		}
	}
	if s.Unrecognised != "" {
		fmt.Fprintln(w, "not recognised:", s.Unrecognised)
	}
	if len(s.Skipped) > 0 {
		fmt.Fprintln(w, "passed over:", quote.List(s.Skipped, len(s.Skipped)))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "tensor\tshape\ttype\tsmallest\tlargest\tmean")
	for _, x := range s.Tensors {
		fmt.Fprintf(t, "%s\t%v\t%v", quote.Text(x.Name), x.Shape, x.DType)
		if x.Stats != nil {
			fmt.Fprintf(t, "\t%.4g\t%.4g\t%.4g", x.Stats.Min, x.Stats.Max, x.Stats.Mean)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// headsOf writes what a classifier sees and answers.
func headsOf(c *nn.ClassifierConfig) string {
	text := fmt.Sprintf("%d channels in", c.InChannels)
	for _, h := range c.Heads {
		text += fmt.Sprintf(", %s of %d", quote.Text(h.Name), len(h.Classes))
	}
	return text
}

// prefix returns the prefix of a network as it is printed.
func prefix(s string) string {
	if s == "" {
		return ""
	}
	return quote.Text(s)
}

// elementTypes are the types that a conversion can write.
var elementTypes = map[string]weights.DType{"": 0, "f32": weights.F32, "f16": weights.F16, "bf16": weights.BF16}

func newWeightsConvertCommand() *cobra.Command {
	var dtype, prefix string
	var asJSON, skip bool
	c := &cobra.Command{
		Use:     "convert IN OUT",
		Short:   "Write the tensors of a file as safetensors",
		Example: "  pcd weights convert ema_model_current_state_dict.pth \\\n    model.safetensors --prefix model.",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, ok := elementTypes[dtype]
			if !ok {
				return usageError{fmt.Errorf("--dtype is %q, want f32, f16 or bf16", dtype)}
			}
			o := weights.ConvertOptions{Options: weights.Options{SkipObjects: skip}, DType: d}
			if prefix != "" {
				o.Keys = weights.KeyMap{weights.StripPrefix(prefix), weights.DropOthers()}
			}
			s, err := weights.Convert(args[0], args[1], o)
			var option *weights.OptionError
			if errors.As(err, &option) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printConversion(cmd.OutOrStdout(), s)
		},
	}
	f := c.Flags()
	f.StringVar(&dtype, "dtype", "", "element type: f32, f16 or bf16 (default: as in the file)")
	f.StringVar(&prefix, "prefix", "", "keep only tensors with this prefix, without it")
	f.BoolVar(&skip, "skip-objects", false, "pass over what is neither a tensor nor plain data")
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	return c
}

func printConversion(w io.Writer, s *weights.Conversion) error {
	_, err := fmt.Fprintf(w, "wrote %s: %d tensors, %d bytes\n", quote.Lines(s.Out), s.Tensors, s.Bytes)
	for _, list := range []struct {
		what  string
		names []string
	}{{"left out", s.Dropped}, {"passed over", s.Skipped}} {
		if len(list.names) > 0 {
			_, e := fmt.Fprintf(w, "%s: %s\n", list.what, quote.List(list.names, 10))
			err = errors.Join(err, e)
		}
	}
	return err
}
