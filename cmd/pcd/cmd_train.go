package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/experiment/navigation"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

func newTrainCommand(invocation []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "train",
		Short: "Train models, or resume a training",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(newTrainNav2DCommand(invocation), newTrainPushTCommand(invocation))
	return c
}

// trainOptions are the flags of "pcd train nav2d".
type trainOptions struct {
	data     string
	dir      string
	from     string
	steps    int
	batch    int
	rate     float64
	emphasis float64
	large    bool
	json     bool
}

// trainSummary is what a training prints at its end.
type trainSummary struct {
	Map     string         `json:"map,omitempty"`
	Task    string         `json:"task,omitempty"`
	Steps   int            `json:"steps"`
	Metrics *train.Metrics `json:"last,omitempty"`
	Files   []string       `json:"files"`
}

func newTrainNav2DCommand(invocation []string) *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "nav2d MAP",
		Short: "Train the single-robot model of a map",
		Long: `Fits a temporal U-Net to the demonstrations of a map, which are generated first
when they are not there. A run that is stopped, by Ctrl-C or otherwise, continues
from its last checkpoint and ends with the weights of one that was not stopped, bit
for bit, whatever the number of processors. The model so far is written whenever it
stops.

The directory receives the checkpoint, the metrics as JSON lines, the loss curve and
model.safetensors, which "pcd plan --model" takes.

` + exitCodeHelp,
		Example: "  pcd train nav2d highways --steps 40000 -o models/highways",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := runTrainNav2D(cmd.Context(), args[0], o, invocation, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return printTraining(cmd.OutOrStdout(), s, o.json)
		},
	}
	f := c.Flags()
	f.StringVar(&o.data, "data", "", "npz file with trajectories (default: data/MAP/trajectories.npz)")
	f.StringVarP(&o.dir, "output", "o", "", "directory (default: models/MAP)")
	f.StringVar(&o.from, "from", "", "model whose weights to start from (default: random ones)")
	f.IntVar(&o.steps, "steps", 40000, "optimiser steps")
	f.IntVar(&o.batch, "batch", 128, "examples per step")
	f.Float64Var(&o.rate, "rate", 1e-3, "highest learning rate")
	f.Float64Var(&o.emphasis, "emphasis", 6, "draw noise levels up to this much more often where there is more noise than signal (0: uniformly)")
	f.BoolVar(&o.large, "large", false, "the larger published network (option 1)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	return c
}

func runTrainNav2D(ctx context.Context, mapName string, o trainOptions, invocation []string, stderr io.Writer) (trainSummary, error) {
	m, err := nav2d.MapByName(mapName)
	if err != nil {
		return trainSummary{}, usageError{err}
	}
	if o.dir == "" {
		o.dir = filepath.Join("models", m.Name)
	}
	x, source, err := demonstrations(ctx, m, o.data, stderr)
	if err != nil {
		return trainSummary{}, err
	}
	r := navigation.DefaultRecipe(o.steps)
	r.Train.Batch, r.Train.Rate, r.Train.Emphasis = o.batch, o.rate, o.emphasis
	if o.large {
		r.Network = plan.LargeNetwork
	}
	var from *plan.Model
	if o.from != "" {
		if from, err = plan.OpenModel(o.from); err != nil {
			return trainSummary{}, err
		}
	}
	t, err := navigation.NewTraining(o.dir, r, x, from, plan.Card{Map: m.Name, Data: source, Command: invocation})
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
	s, err := finishTraining(m, t, out)
	return s, errors.Join(stopped, err)
}

// demonstrations reads the examples, or generates them in data/MAP. source says
// what they are, for the card of the model.
func demonstrations(ctx context.Context, m *nav2d.Map, path string, stderr io.Writer) (x tensor.Batch, source string, err error) {
	if path != "" {
		x, err = navigation.LoadTrajectories(path)
		return x, fmt.Sprintf("%d trajectories of %s", x.N, filepath.Base(path)), err
	}
	dir := filepath.Join("data", m.Name)
	if x, err = navigation.LoadTrajectories(filepath.Join(dir, navigation.TrajectoriesFile)); err != nil {
		x, _, err = navigation.Generate(ctx, dir, m, navigation.GenerateOptions{Progress: newProgress(stderr, "generating demonstrations")})
	}
	return x, fmt.Sprintf("%d trajectories generated by this program", x.N), err
}

func finishTraining(m *nav2d.Map, t *navigation.Training, out *outputDir) (trainSummary, error) {
	s := trainSummary{Map: m.Name, Steps: t.Done()}
	if metrics := t.Metrics(); len(metrics) > 0 {
		s.Metrics = &metrics[len(metrics)-1]
	}
	if _, err := t.Finish(); err != nil {
		return s, err
	}
	figure := lossFigure("Training on "+m.Name, t.Metrics())
	err := errors.Join(
		out.write(navigation.ModelFile, func(string) error { return nil }),
		out.write("loss.svg", figure.Save), out.write("loss.png", figure.Save),
		out.close())
	s.Files = out.files
	return s, err
}

func printMetrics(w io.Writer, m train.Metrics, total int) {
	fmt.Fprintf(w, "step %d of %d: loss %.5f", m.Step, total, m.Loss)
	if m.ValidationLoss != nil {
		fmt.Fprintf(w, ", held out %.5f", *m.ValidationLoss)
	}
	fmt.Fprintf(w, ", gradient %.3f, rate %.2e, %.0f samples/s\n", m.GradientNorm, m.Rate, m.SamplesPerSecond)
}

func printTraining(w io.Writer, s trainSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	for _, f := range s.Files {
		fmt.Fprintln(w, "wrote", f)
	}
	return nil
}
