package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/weights"
)

// elementTypes are the types that a conversion can write.
var elementTypes = map[string]weights.DType{"": 0, "f32": weights.F32, "f16": weights.F16, "bf16": weights.BF16}

// convertOptions are the flags of a conversion.
type convertOptions struct {
	dtype, prefix, description string
	skip, json                 bool
}

const convertHelp = `Reads what "pcd weights inspect" reads, or a folder: that of a training, whose
model.safetensors is taken, or that of a published model of one robot (args.yaml and
checkpoints), which becomes one file with its description.

A model is weights with a description, which safetensors files of this program hold.
Other weights of a model of one robot get theirs by --description: that of another
model, or a JSON file with the limits of the data that the network was trained on, of
x, y, vx and vy, and what the tensors do not tell (here with the defaults):

  {"limits": {"min": [-1, -1, -2, -2], "max": [1, 1, 2, 2]},
   "network": {"horizon": 64}, "schedule": {"steps": 25, "start": 0.0001, "end": 1},
   "card": {"map": "empty", "data": "where they come from"}}

Only steps have no default: they are those in the file where it holds its schedule.
The new file is what "pcd plan --model" takes.

The folder of a LeRobot diffusion policy of any layout is written as a folder of the
newest, which current releases of the library load without a migration.

`

func newWeightsConvertCommand() *cobra.Command {
	var o convertOptions
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write the tensors of a file as safetensors",
		Long:  convertHelp,
		Example: `  pcd weights convert ema_model_current_state_dict.pth \
    model.safetensors --description hall.json
  pcd weights convert data_trained_models/EnvHighways2D-RobotPlanarDisk \
    highways.safetensors
  pcd weights convert models/hall hall.safetensors --dtype f16
  pcd weights convert diffusion_pusht diffusion_pusht_new`,
		Args: cobra.ExactArgs(2),
		RunE: o.run,
	}
	f := c.Flags()
	f.StringVar(&o.dtype, "dtype", "", "element type: f32, f16 or bf16 (default: as in the file)")
	f.StringVar(&o.prefix, "prefix", "", "keep only tensors with this prefix, without it")
	f.StringVar(&o.description, "description", "", "JSON file, or model, that describes a model of one robot")
	f.BoolVar(&o.skip, "skip-objects", false, "pass over what is neither a tensor nor plain data")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	return c
}

// run converts, and says what was made.
func (o *convertOptions) run(cmd *cobra.Command, args []string) error {
	if policy.IsFolder(args[0]) {
		return o.convertPolicy(cmd.OutOrStdout(), args[0], args[1])
	}
	s, described, err := o.convert(args[0], args[1])
	var option *weights.OptionError
	if errors.As(err, &option) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(cmd.OutOrStdout(), s)
	}
	printConversion(cmd.OutOrStdout(), s)
	if described {
		return nil
	}
	return noteUndescribed(cmd.ErrOrStderr(), args[1])
}

// convert writes a file, and reports whether it was given a description.
func (o convertOptions) convert(in, out string) (s *weights.Conversion, described bool, err error) {
	as, ok := elementTypes[o.dtype]
	if !ok {
		return nil, false, usageError{fmt.Errorf("--dtype is %q, want f32, f16 or bf16", o.dtype)}
	}
	in = modelfile.File(in)
	w, err := o.describe(in)
	if err != nil {
		return nil, false, err
	}
	if w != nil {
		s, err = w.Convert(out, as)
		return s, true, err
	}
	options := weights.ConvertOptions{Options: weights.Options{SkipObjects: o.skip}, DType: as}
	if o.prefix != "" {
		options.Keys = weights.KeyMap{weights.StripPrefix(o.prefix), weights.DropOthers()}
	}
	s, err = weights.Convert(in, out, options)
	return s, false, err
}

// convertPolicy writes the folder of a policy in the newest layout.
func (o convertOptions) convertPolicy(w io.Writer, in, out string) error {
	if o.dtype != "" && o.dtype != "f32" || o.prefix != "" || o.description != "" {
		return usageError{errors.New("the folder of a policy is written whole, as f32: --dtype, --prefix and --description are not for it")}
	}
	if err := checkOutputDir(out); err != nil {
		return err
	}
	p, err := policy.Open(in, policy.Options{})
	if err != nil {
		return err
	}
	if err := p.Save(out); err != nil {
		return err
	}
	if o.json {
		d, err := policy.Inspect(out)
		if err != nil {
			return err
		}
		return printJSON(w, d)
	}
	printLine(w, "wrote %s: layout %s, from layout %s, %d parameters", quote.Lines(out), policy.VintageC, p.Config().Vintage, p.Shape().Parameters)
	return nil
}

// describe returns weights with the description that is asked for or that a published
// folder has, nil where there is none.
func (o convertOptions) describe(in string) (*plan.Weights, error) {
	if o.description != "" {
		spec, err := plan.ReadSpec(o.description)
		if err != nil {
			return nil, fmt.Errorf("--description: %w", err)
		}
		return plan.Describe(in, o.prefix, spec, weights.Options{SkipObjects: o.skip})
	}
	if info, err := os.Stat(in); err != nil || !info.IsDir() {
		return nil, nil
	}
	w, err := plan.Published(in)
	if err == nil {
		_, err = w.Open()
	}
	return w, err
}

// noteUndescribed says that "pcd plan" does not open a file that holds the network of a
// model of one robot without its description.
func noteUndescribed(w io.Writer, out string) error {
	robot, err := plan.Undescribed(out)
	if robot {
		printLine(w, "note: it holds the network of a model of one robot without a description, which \"pcd plan --model\" needs: see --description")
	}
	return err
}

func printConversion(w io.Writer, s *weights.Conversion) {
	printLine(w, "wrote %s: %s, %s", quote.Lines(s.Out), plural.Of(s.Tensors, "tensor"), plural.Of(int(s.Bytes), "byte"))
	for _, list := range []struct {
		what  string
		names []string
	}{{"left out", s.Dropped}, {"passed over", s.Skipped}} {
		if len(list.names) > 0 {
			printLine(w, "%s: %s", list.what, quote.List(list.names, 10))
		}
	}
}
