package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/env/pusht"
	pushtexp "github.com/go-pcd/pcd/internal/experiment/pusht"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/push"
)

func pushTTraining() *trainEntry {
	return &trainEntry{
		use: "pusht", short: "Train the policy of PushT", args: cobra.NoArgs,
		long: `Fits a diffusion policy to human demonstrations of PushT: the published replay
buffer as a zarr folder, or an npz file with the same arrays.
` + trainHelp + `
Whole episodes are held out. Episodes in which the block keeps off the walls are
learned a second time as their mirror images about the axis of the goal, which is a
symmetry of the physics.

The directory receives the checkpoint, the metrics as JSON lines, the loss curve and
model.safetensors, which "pcd push --model" takes.

`,
		example: "  pcd train pusht --data pusht_cchi_v7_replay.zarr --steps 20000 -o models/pusht",
		data:    "zarr folder or npz file with demonstrations (required)", large: "the published network, of 65.8 million parameters",
		dir: "directory", defaultDir: filepath.Join("models", "pusht"), steps: 20000,
		flags: func(f *pflag.FlagSet) prepareTraining {
			r := pushtexp.DefaultRecipe(0)
			var noMirror bool
			number(f, &r.Diffusion, diffusionSteps.With(float64(r.Diffusion), diffusionSteps.Help))
			number(f, &r.Validation, validation.With(r.Validation, validation.Help))
			f.BoolVar(&noMirror, "no-mirror", false, "do not learn from mirror images")
			return func(_ context.Context, _ []string, o trainOptions, m *manifest.Manifest, _ io.Writer) (*preparedTraining, error) {
				r.Mirror, r.Train = !noMirror, pushtexp.DefaultRecipe(o.steps).Train
				r.Train.Batch, r.Train.Rate, r.Train.Seed = o.batch, o.rate, o.seed
				if o.large {
					r.Network = push.PublishedNetwork
				}
				return preparePushT(r, o, m)
			}
		},
	}
}

// preparePushT opens the training of a policy.
func preparePushT(r pushtexp.Recipe, o trainOptions, record *manifest.Manifest) (*preparedTraining, error) {
	if o.data == "" {
		return nil, usageError{errors.New("--data is missing: name the demonstrations; \"pcd data fetch pusht\" says where they come from")}
	}
	if err := checkOutputDir(o.dir); err != nil {
		return nil, err
	}
	d, err := pusht.ReadDemonstrations(o.data)
	if err != nil {
		return nil, err
	}
	source := fmt.Sprintf("%d episodes, %d steps of %s", d.Episodes(), d.Actions.N, filepath.Base(o.data))
	t, err := pushtexp.NewTraining(o.dir, r, d, push.Card{Data: source, Batch: o.batch, Command: o.invocation})
	if err != nil {
		return nil, err
	}
	if err := record.InputFile("data", o.data); err != nil {
		return nil, err
	}
	record.Seed, record.Settings = r.Train.Seed, r
	return &preparedTraining{Training: t, dir: o.dir, title: "Training on PushT", steps: o.steps, summary: trainSummary{Task: "pusht"}}, nil
}
