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

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/policy"
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
names it. Parts that lie there and that model_index.json does not name follow. A folder
with one network or classifier is a model of one part.

Of the folder of a LeRobot diffusion policy it says what the policy is told and says,
how it sees, plans and was trained, and compares weights and statistics likewise.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if policy.IsFolder(args[0]) {
				return inspectPolicy(cmd.OutOrStdout(), args[0], asJSON)
			}
			path := modelfile.File(args[0])
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				return inspectFolder(cmd.OutOrStdout(), path, asJSON)
			}
			s, err := modelfile.Inspect(path, weights.Options{SkipObjects: skip})
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
	wrong := errors.Join(s.Err(), inspectNoise(dir, s))
	read, others, more := inspectUnnamed(s)
	if asJSON {
		err = printJSON(w, struct {
			*modelfile.FolderSummary
			Unnamed []string `json:"unnamed,omitempty"` // parts that model_index.json does not name
			Unread  []string `json:"unread,omitempty"`  // folders of others, which nothing reads
		}{s, read, others})
	} else {
		err = printFolder(w, s)
		for _, list := range []struct {
			what  string
			names []string
		}{{"not named by model_index.json, and read by name", read}, {"not named by model_index.json, and not read", others}} {
			if len(list.names) > 0 {
				printLine(w, "%s: %s", list.what, quote.List(list.names, 10))
			}
		}
	}
	return errors.Join(err, wrong, more)
}

func printFolder(w io.Writer, s *modelfile.FolderSummary) error {
	of := ""
	if s.Pipeline != "" {
		of = " of a " + quote.Text(s.Pipeline)
	}
	printLine(w, "%s: %s%s", quote.Lines(s.Path), plural.Of(len(s.Parts), "part"), of)
	t := tableOf(1, "part\tclass\tsettings say\tweights\ttensors\tnumbers\ttypes\tverdict")
	for _, p := range s.Parts {
		verdict := "–"
		switch {
		case p.Problem != "":
			verdict = "refused, see below"
		case p.Weights != "" && p.Expected != "":
			verdict = "fits"
		}
		t.Add("%s\t%s\t%s\t%s\t%s\t%s", p.Title(), dash(p.Class), dash(p.Expected), dash(filepath.Base(p.Weights)), countsOf(p), verdict)
	}
	return printTable(w, t)
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
	line := fmt.Sprintf("%s: %v, %s, %s, %s", quote.Lines(s.Path), s.Format, plural.Of(int(s.FileBytes), "byte"), plural.Of(len(s.Tensors), "tensor"), plural.Of(s.Elements, "number"))
	if s.NaN+s.Inf > 0 {
		line += fmt.Sprintf(", %d NaN, %d infinite", s.NaN, s.Inf)
	}
	printLine(w, "%s", line)
	for _, a := range s.Architectures {
		printLine(w, "%s", describeNetwork(a))
	}
	if s.Unrecognised != "" {
		printLine(w, "not recognised: %s", s.Unrecognised)
	}
	if len(s.Skipped) > 0 {
		printLine(w, "passed over: %s", quote.List(s.Skipped, len(s.Skipped)))
	}
	return printTensors(w, s.Tensors)
}

// printTensors lists tensors. Where all does not fit beside their names, what the numbers
// are stays together.
func printTensors(w io.Writer, all []weights.TensorSummary) error {
	t := tableOf(1, "tensor\tshape\ttype\tsmallest\tlargest\tmean")
	for _, x := range all {
		stats := "\t\t"
		if x.Stats != nil {
			stats = fmt.Sprintf("%.4g\t%.4g\t%.4g", x.Stats.Min, x.Stats.Max, x.Stats.Mean)
		}
		t.Add("%s\t%s\t%v\t%s", terminal.Join(quote.Text(x.Name)), terminal.Join(fmt.Sprint(x.Shape)), x.DType, stats)
	}
	t.Together = 3
	return printTable(w, t)
}

// describeNetwork says what a network is, where its tensors are and how large it is.
func describeNetwork(a nn.Architecture) string {
	kind, sizes := "classifier", ""
	switch {
	case a.Temporal != nil:
		c := a.Temporal
		kind, sizes = "temporal U-Net", fmt.Sprintf("states of %s, levels of %d × %v channels, convolutions of %d, timesteps embedded in %d",
			plural.Of(c.StateDim, "number"), c.UNetInputDim, c.DimMults, c.KernelSize, c.TimeDim)
		if c.Steps > 0 {
			sizes += ", " + plural.Of(c.Steps, "diffusion step")
		}
	case a.Conditional != nil:
		c := a.Conditional
		kind, sizes = "conditional U-Net", fmt.Sprintf("actions of %s, a condition of %d, levels of %v channels, convolutions of %d, timesteps embedded in %d",
			plural.Of(c.InputDim, "number"), c.GlobalCondDim, c.DownDims, c.KernelSize, c.StepEmbedDim)
		if !c.CondPredictScale {
			sizes += ", the condition shifts and does not scale"
		}
	case a.Classifier != nil:
		sizes = headsOf(a.Classifier)
	}
	if a.Prefix != "" {
		kind += " under " + quote.Text(a.Prefix+"*")
	}
	return fmt.Sprintf("%s, %s: %s", kind, plural.Of(a.Parameters, "parameter"), sizes)
}

// headsOf writes what a classifier sees and answers.
func headsOf(c *nn.ClassifierConfig) string {
	text := plural.Of(c.InChannels, "channel") + " in"
	for _, h := range c.Heads {
		text += fmt.Sprintf(", %s of %d", quote.Text(h.Name), len(h.Classes))
	}
	return text
}
