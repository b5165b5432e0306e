package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/experiment/manipulation"
	"github.com/go-pcd/pcd/push"
	"github.com/go-pcd/pcd/train"
)

// trainPushTOptions are the flags of "pcd train pusht".
type trainPushTOptions struct {
	data       string
	dir        string
	steps      int
	batch      int
	rate       float64
	diffusion  int
	validation float64
	noMirror   bool
	large      bool
	json       bool
}

func newTrainPushTCommand(invocation []string) *cobra.Command {
	var o trainPushTOptions
	c := &cobra.Command{
		Use:   "pusht",
		Short: "Train the policy of PushT",
		Long: `Fits a diffusion policy to human demonstrations of PushT: the published replay
buffer as a zarr folder, or an npz file with the same arrays. A run that is stopped
continues from its last checkpoint and ends with the weights of one that was not
stopped, bit for bit, whatever the number of processors.

Whole episodes are held out. Episodes in which the block keeps off the walls are
learned a second time as their mirror images about the axis of the goal, which is a
symmetry of the physics.

The directory receives the checkpoint, the metrics as JSON lines, the loss curve and
model.safetensors, which "pcd push --model" takes.

` + exitCodeHelp,
		Example: "  pcd train pusht --data pusht_cchi_v7_replay.zarr --steps 20000 -o models/pusht",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := runTrainPushT(cmd.Context(), o, invocation, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return printTraining(cmd.OutOrStdout(), s, o.json)
		},
	}
	f := c.Flags()
	f.StringVar(&o.data, "data", "", "zarr folder or npz file with demonstrations (required)")
	f.StringVarP(&o.dir, "output", "o", filepath.Join("models", "pusht"), "directory")
	f.IntVar(&o.steps, "steps", 20000, "optimiser steps")
	f.IntVar(&o.batch, "batch", 128, "examples per step")
	f.Float64Var(&o.rate, "rate", 1e-3, "highest learning rate")
	f.IntVar(&o.diffusion, "diffusion-steps", push.PublishedSteps, "steps of the noise schedule")
	f.Float64Var(&o.validation, "validation", 0.02, "share of the episodes held out")
	f.BoolVar(&o.noMirror, "no-mirror", false, "do not learn from mirror images")
	f.BoolVar(&o.large, "large", false, "the published network, of 65.8 million parameters")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	return c
}

func (o trainPushTOptions) recipe() manipulation.Recipe {
	r := manipulation.DefaultRecipe(o.steps)
	r.Train.Batch, r.Train.Rate = o.batch, o.rate
	r.Diffusion, r.Validation, r.Mirror = o.diffusion, o.validation, !o.noMirror
	if o.large {
		r.Network = push.PublishedNetwork
	}
	return r
}

func runTrainPushT(ctx context.Context, o trainPushTOptions, invocation []string, stderr io.Writer) (trainSummary, error) {
	if o.data == "" {
		return trainSummary{}, usageError{errors.New("--data is missing: name the demonstrations; \"pcd data fetch pusht\" says where they come from")}
	}
	d, err := pusht.ReadDemonstrations(o.data)
	if err != nil {
		return trainSummary{}, err
	}
	source := fmt.Sprintf("%d episodes, %d steps of %s", d.Episodes(), d.Actions.N, filepath.Base(o.data))
	r := o.recipe()
	t, err := manipulation.NewTraining(o.dir, r, d, push.Card{Data: source, Batch: o.batch, Command: invocation})
	if err != nil {
		var config *train.ConfigError
		if errors.As(err, &config) {
			return trainSummary{}, usageError{err}
		}
		return trainSummary{}, err
	}
	out, err := openOutput(o.dir, invocation, r.Train.Seed, r)
	if err != nil {
		return trainSummary{}, err
	}
	if done := t.Done(); done > 0 {
		fmt.Fprintf(stderr, "continuing at step %d of %d\n", done, o.steps)
	}
	log := func(line train.Metrics) { printMetrics(stderr, line, o.steps) }
	stopped := t.Run(ctx, log, newProgress(stderr, "training"))
	if stopped != nil && !errors.Is(stopped, context.Canceled) {
		return trainSummary{}, stopped
	}
	s, err := finishTrainPushT(t, out)
	return s, errors.Join(stopped, err)
}

func finishTrainPushT(t *manipulation.Training, out *outputDir) (trainSummary, error) {
	s := trainSummary{Task: "pusht", Steps: t.Done()}
	if metrics := t.Metrics(); len(metrics) > 0 {
		s.Metrics = &metrics[len(metrics)-1]
	}
	if _, err := t.Finish(); err != nil {
		return s, err
	}
	figure := lossFigure("Training on PushT", t.Metrics())
	err := errors.Join(
		out.write(manipulation.ModelFile, func(string) error { return nil }),
		out.write("loss.svg", figure.Save), out.write("loss.png", figure.Save),
		out.close())
	s.Files = out.files
	return s, err
}
