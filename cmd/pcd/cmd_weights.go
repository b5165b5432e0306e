package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
		Use:   "inspect FILE",
		Short: "List the tensors of a file and name the network they belong to",
		Long: `Reads safetensors files and PyTorch state dicts (.pth, .pt, .ckpt). Nothing in a
PyTorch file is ever executed; what is neither a tensor nor plain data is refused by
name, or passed over with --skip-objects.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := weights.Summarize(args[0], weights.Options{SkipObjects: skip})
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

func printWeights(w io.Writer, s *weights.Summary) error {
	fmt.Fprintf(w, "%s: %v, %d bytes, %d tensors, %d numbers", s.Path, s.Format, s.FileBytes, len(s.Tensors), s.Elements)
	if s.NaN+s.Inf > 0 {
		fmt.Fprintf(w, ", %d NaN, %d infinite", s.NaN, s.Inf)
	}
	fmt.Fprintln(w)
	for _, a := range s.Architectures {
		switch {
		case a.Temporal != nil:
			fmt.Fprintf(w, "%stemporal U-Net, %d parameters: %+v\n", a.Prefix, a.Parameters, *a.Temporal)
		case a.Conditional != nil:
			fmt.Fprintf(w, "%sconditional U-Net, %d parameters: %+v\n", a.Prefix, a.Parameters, *a.Conditional)
		}
	}
	if s.Unrecognised != "" {
		fmt.Fprintln(w, "not recognised:", s.Unrecognised)
	}
	if len(s.Skipped) > 0 {
		fmt.Fprintln(w, "passed over:", strings.Join(s.Skipped, ", "))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "tensor\tshape\ttype\tsmallest\tlargest\tmean")
	for _, x := range s.Tensors {
		fmt.Fprintf(t, "%s\t%v\t%v", x.Name, x.Shape, x.DType)
		if x.Stats != nil {
			fmt.Fprintf(t, "\t%.4g\t%.4g\t%.4g", x.Stats.Min, x.Stats.Max, x.Stats.Mean)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// elementTypes are the types that a conversion can write.
var elementTypes = map[string]weights.DType{"": 0, "f32": weights.F32, "f16": weights.F16, "bf16": weights.BF16}

func newWeightsConvertCommand() *cobra.Command {
	var dtype, prefix string
	var asJSON, skip bool
	c := &cobra.Command{
		Use:     "convert IN OUT",
		Short:   "Write the tensors of a file as safetensors",
		Example: "  pcd weights convert ema_model_current_state_dict.pth model.safetensors --prefix model.",
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
	_, err := fmt.Fprintf(w, "wrote %s: %d tensors, %d bytes\n", s.Out, s.Tensors, s.Bytes)
	for _, list := range []struct {
		what  string
		names []string
	}{{"left out", s.Dropped}, {"passed over", s.Skipped}} {
		if len(list.names) > 0 {
			names := slices.Clone(list.names)
			if len(names) > 10 {
				names = append(names[:10], fmt.Sprintf("and %d more", len(list.names)-10))
			}
			_, e := fmt.Fprintf(w, "%s: %s\n", list.what, strings.Join(names, ", "))
			err = errors.Join(err, e)
		}
	}
	return err
}
