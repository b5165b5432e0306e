package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/experiment/imitation"
	"github.com/go-pcd/pcd/internal/lerobot"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/policy"
)

func policyTraining() *trainEntry {
	return &trainEntry{
		use: "policy", short: "Train a policy of any robot on a LeRobot data set", args: cobra.NoArgs,
		long: `Fits a diffusion policy to a data set of LeRobot, layouts 2.0 to 3.0: a folder with
meta/info.json and parquet files. The policy learns what to do next, the feature
action, from observation.state and the pictures of all cameras (features of type image,
in the parquet files or beside them), observation.environment_state, or both. Videos are
not read: record pictures.

A policy with cameras sees through ResNet-18, trained with it on random crops. To try
one on a plain processor, take small pictures and few of them: --resize 48 --batch 8.
` + trainHelp + `
Whole episodes are held out.

The directory becomes the folder of a policy, which "pcd act --policy" runs, "pcd push
--policy" couples if it learned PushT, and releases of LeRobot since 0.4 load. It also
receives the checkpoint, the metrics as JSON lines and the loss curve.

`,
		example: "  pcd train policy --data pusht_keypoints --steps 20000 -o models/mine",
		data:    "folder of the data set (required)", large: "the published U-Net, of 251 million parameters",
		dir: "directory", defaultDir: filepath.Join("models", "policy"), steps: 20000,
		flags: func(f *pflag.FlagSet) prepareTraining {
			r := imitation.DefaultRecipe(0)
			number(f, &r.Horizon, settings.Number{Name: "horizon", Default: float64(r.Horizon), Low: 8, High: math.Inf(1), Whole: true, Help: "actions of a plan, a multiple of 8"})
			number(f, &r.Actions, settings.Number{Name: "actions", Default: float64(r.Actions), Low: 1, High: math.Inf(1), Whole: true, Help: "actions of a plan that are executed"})
			number(f, &r.Diffusion, diffusionSteps.With(float64(r.Diffusion), diffusionSteps.Help))
			number(f, &r.Resize, settings.Number{Name: "resize", Default: float64(r.Resize), High: 1 << 13, Whole: true, Help: "height of a picture before the crop, its width in proportion (default: as recorded)"})
			number(f, &r.Crop, settings.Number{Name: "crop", Default: r.Crop, High: 1, Above: true, Help: "share of the sides of a picture that is seen"})
			number(f, &r.Validation, validation.With(r.Validation, validation.Help))
			return func(_ context.Context, _ []string, o trainOptions, m *manifest.Manifest, _ io.Writer) (*preparedTraining, error) {
				r.Train = imitation.DefaultRecipe(o.steps).Train
				r.Train.Batch, r.Train.Rate, r.Train.Seed = o.batch, o.rate, o.seed
				if o.large {
					r.DownDims = imitation.PublishedDims
				}
				return preparePolicy(r, o, m)
			}
		},
	}
}

// preparePolicy opens the training of a policy.
func preparePolicy(r imitation.Recipe, o trainOptions, record *manifest.Manifest) (*preparedTraining, error) {
	if o.data == "" {
		return nil, usageError{errors.New("--data is missing: name the folder of a data set of LeRobot")}
	}
	if err := checkOutputDir(o.dir); err != nil {
		return nil, err
	}
	d, err := lerobot.Open(o.data)
	if err != nil {
		return nil, err
	}
	shown, err := imitation.Read(d)
	if err != nil {
		return nil, err
	}
	t, err := imitation.NewTraining(o.dir, r, shown)
	var bad *policy.ConfigError
	if errors.As(err, &bad) {
		return nil, usageError{fmt.Errorf("%s is %s, want %s", bad.Key, bad.Got, bad.Want)}
	}
	if err != nil {
		return nil, err
	}
	if err := record.InputFile("data", o.data); err != nil {
		return nil, err
	}
	record.Seed, record.Settings = r.Train.Seed, r
	more := slices.DeleteFunc(slices.Clone(policy.Files), func(name string) bool { return name == experiment.ModelFile })
	return &preparedTraining{Training: t, dir: o.dir, title: "Training of a policy", steps: o.steps, more: more, summary: trainSummary{Task: "policy"}}, nil
}
