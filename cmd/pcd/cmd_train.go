package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/experiment/attributes"
	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/train"
)

func newTrainCommand(invocation []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "train",
		Short: "Train models, or resume a training",
		Args:  cobra.ArbitraryArgs,
	}
	for _, e := range experiments() {
		if e.train != nil {
			c.AddCommand(newTrainExperimentCommand(*e.train, invocation))
		}
	}
	c.AddCommand(newTrainExperimentCommand(*policyTraining(), invocation))
	return c
}

// trainEntry is the training of an experiment's models on the command line.
type trainEntry struct {
	verb                      string // of the manifest; "" is "train" and the first word of use
	use, short, long, example string
	args                      cobra.PositionalArgs
	data, large               string // what the flags of these names take; "" is no such flag
	dir, defaultDir           string // what --output takes, and its default; "" depends on the arguments
	steps                     int    // optimiser steps, unless others are asked for
	batch                     int    // examples per step, 128 if 0
	own                       string // whose steps, batch and rate are the default; "" is those of the flags
	// flags adds flags, and returns what prepares a training.
	flags func(f *pflag.FlagSet) prepareTraining
}

// prepareTraining reads the data of a training and opens its directory.
type prepareTraining func(ctx context.Context, args []string, o trainOptions, m *manifest.Manifest, stderr io.Writer) (*preparedTraining, error)

// preparedTraining is a training that is ready to run.
type preparedTraining struct {
	*experiment.Training
	dir     string
	title   string   // of the figure
	steps   int      // optimiser steps
	more    []string // files beside those that all trainings write
	summary trainSummary
	// report judges a finished model and adds to the summary, which the file reportFile then
	// holds; nil for models that nothing judges.
	report     func(ctx context.Context, s *trainSummary) error
	reportFile string
}

// trainOptions are the flags that all trainings have.
type trainOptions struct {
	data       string
	dir        string
	steps      int
	batch      int
	rate       float64
	seed       uint64
	workers    int
	large      bool
	json       bool
	verb       string
	invocation []string
}

// trainSummary is what a training prints at its end.
type trainSummary struct {
	Map     string               `json:"map,omitempty"`
	Task    string               `json:"task,omitempty"`
	Part    string               `json:"part,omitempty"`
	Steps   int                  `json:"steps"`
	Metrics *train.Metrics       `json:"last,omitempty"`
	Hall    *nav2dexp.HallReport `json:"hall,omitempty"`
	// Accuracy is that of a classifier.
	Accuracy []attributes.Accuracy `json:"accuracy,omitempty"`
	Files    []string              `json:"files"`
}

const trainHelp = `
A run that is stopped, by Ctrl-C or otherwise, continues from its last checkpoint and
ends with the weights of one that was not stopped, bit for bit, whatever the number
of processors. Ctrl-C finishes the step and makes a checkpoint, a second one ends the
program at once; others are made every ten minutes, or more often. The model so far
is written with every checkpoint and whenever a run stops.
`

func newTrainExperimentCommand(e trainEntry, invocation []string) *cobra.Command {
	verb, _, _ := strings.Cut(e.use, " ")
	o := trainOptions{verb: "train " + verb, invocation: invocation}
	if e.verb != "" {
		o.verb = e.verb
	}
	c := &cobra.Command{Use: e.use, Short: e.short, Long: e.long + exitCodeHelp, Example: e.example, Args: e.args}
	f := c.Flags()
	prepare := e.flags(f)
	if e.data != "" {
		f.StringVar(&o.data, "data", "", e.data)
	}
	f.StringVarP(&o.dir, "output", "o", e.defaultDir, e.dir)
	batch, rate, trainingSeed, note := float64(cmp.Or(e.batch, 128)), 1e-3, uint64(1), ""
	if e.own != "" {
		batch, rate, trainingSeed, note = 0, 0, 0, " (default: "+e.own+")"
	}
	number(f, &o.steps, settings.TrainSteps.With(float64(e.steps), "optimiser steps"+note))
	number(f, &o.batch, settings.TrainBatch.With(batch, "examples per step"+note))
	number(f, &o.rate, settings.TrainRate.With(rate, "highest learning rate"+note))
	f.Uint64Var(&o.seed, "seed", trainingSeed, "seed of the first weights, of the order of examples and of noise"+note)
	number(f, &o.workers, settings.Workers.With(0, "goroutines that compute, of which results do not depend (default: one per processor)"))
	if e.large != "" {
		f.BoolVar(&o.large, "large", false, e.large)
	}
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if o.workers > 0 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.workers))
		}
		s, err := runTraining(cmd.Context(), args, o, prepare, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return printTraining(cmd.OutOrStdout(), s, o.json)
	}
	return c
}

func runTraining(ctx context.Context, args []string, o trainOptions, prepare prepareTraining, stderr io.Writer) (trainSummary, error) {
	record := newRecord(o.verb, o.invocation, 0, nil)
	t, err := prepare(ctx, args, o, record, stderr)
	var config *train.ConfigError
	if errors.As(err, &config) {
		return trainSummary{}, usageError{err}
	}
	if err != nil {
		return trainSummary{}, err
	}
	out, err := openOutput(stderr, t.dir, record, t.files()...)
	if err != nil {
		return trainSummary{}, err
	}
	if err := out.Begin(t.Done() > 0, t.files()...); err != nil {
		return trainSummary{}, err
	}
	if done := t.Done(); done > 0 {
		fmt.Fprintf(stderr, "continuing at step %d of %d\n", done, t.steps)
	}
	log := func(line train.Metrics) { printMetrics(stderr, line, t.steps) }
	over := endsByItself(ctx, "interrupted: the step is finished, and saved, before it ends")
	stopped := t.Run(ctx, log, newProgress(stderr, "training"))
	over()
	if stopped != nil && !errors.Is(stopped, context.Canceled) {
		return trainSummary{}, errors.Join(stopped, out.End(stopped))
	}
	s, err := finishTraining(t, out)
	if err == nil && stopped == nil && t.report != nil {
		if err = t.report(ctx, &s); err == nil {
			err = atomicfile.WriteJSON(out.Path(t.reportFile), s)
		}
	}
	err = errors.Join(stopped, err)
	err = errors.Join(err, out.End(err))
	tellReport(stderr, t.dir, &out.Report)
	s.Files = out.Report.Files
	return s, err
}

// The figures of a training.
const (
	lossVector  = "loss.svg"
	lossPicture = "loss.png"
)

// files lists what a training writes to its directory, as it goes on.
func (t *preparedTraining) files() []string {
	return append([]string{train.CheckpointFile, train.MetricsFile, experiment.ModelFile, lossVector, lossPicture}, t.more...)
}

// finishTraining writes the model and the figure of its losses.
func finishTraining(t *preparedTraining, out *manifest.Folder) (trainSummary, error) {
	s := t.summary
	s.Steps = t.Done()
	if metrics := t.Metrics(); len(metrics) > 0 {
		s.Metrics = &metrics[len(metrics)-1]
	}
	if _, err := t.Finish(); err != nil {
		return s, err
	}
	figure := lossFigure(t.title, t.Metrics())
	return s, errors.Join(figure.Save(out.Path(lossVector)), figure.Save(out.Path(lossPicture)))
}

func printMetrics(w io.Writer, m train.Metrics, total int) {
	line := fmt.Sprintf("step %d of %d: loss %.5f", m.Step, total, m.Loss)
	if m.ValidationLoss != nil {
		line += fmt.Sprintf(", held out %.5f", *m.ValidationLoss)
	}
	printLine(w, "%s, gradient %.3f, rate %.2e, %.0f samples/s", line, m.GradientNorm, m.Rate, m.SamplesPerSecond)
}

func printTraining(w io.Writer, s trainSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	if s.Hall != nil {
		printHall(w, s)
	}
	printAccuracy(w, s)
	printWritten(w, s.Files...)
	return nil
}

// The rows of trainings that learn from demonstrations. A recipe refuses what its network
// does not fit.
var (
	diffusionSteps = settings.Number{Name: "diffusion-steps", Low: 1, High: modelfile.MaxSteps, Whole: true, Help: "steps of the noise schedule"}
	validation     = settings.TrainHeldOut.With(0, "share of the episodes held out")
)
