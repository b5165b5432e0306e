package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// hallFlags are the flags of a training on a hall.
type hallFlags struct {
	radius   float64
	from     string
	contexts int
	per      int
	pairs    int
}

// The defaults of "pcd fit": what two cores do in less than ten minutes. Many small steps teach more
// than few large ones of the same cost, and many pairs of ends more than several ways between the same.
const (
	hallContexts = 12000
	hallSteps    = 20000
	hallBatch    = 32
	hallPairs    = 32 // of the report
	hallSamples  = 8  // for each of them
)

func newFitCommand(invocation []string) *cobra.Command {
	return newTrainExperimentCommand(trainEntry{
		verb: "fit", use: "fit SCENE.yaml", short: "Fit a model to your own hall", args: cobra.ExactArgs(1),
		long: `Makes a model of how a robot drives in your hall: demonstrations on the map of the
scene, between its named places and between any two points, or recordings of your own;
then the training; then a report on starts and goals that it never saw: how many of its
samples are clear of obstacles as drawn, beside those of the model of an empty room.

  pcd plan SCENE.yaml --model models/SCENE

plans with it. Recordings are a table (CSV) of t, robot, x, y, a trip for each robot, or
an npz or npy file of shape [n, h, 2] or [n, h, 4], in the units of the scene. The model
keeps the frame of the scene: it fits scenes of the same hall with other bounds.
` + trainHelp + `
The directory receives the demonstrations, the checkpoint, the metrics, the loss curve,
model.safetensors and the report (fit.json).

`,
		example: "  pcd fit hall.yaml\n  pcd fit hall.yaml --data recorded.csv --steps 10000 -o models/hall",
		data:    "file of recordings: csv, npz or npy (default: demonstrations on the map)", dir: "directory (default: models/ and the name of the scene)", steps: hallSteps, batch: hallBatch,
		flags: func(f *pflag.FlagSet) prepareTraining {
			var h hallFlags
			number(f, &h.radius, planner.JudgeRadius.With(0, "radius of the robot that drives, in the units of the scene (default: that of the largest one of the scene)"))
			f.StringVar(&h.from, "from", "", "model whose weights to start from (default: that of an empty room)")
			number(f, &h.contexts, nav2dexp.SpecContexts.With(hallContexts, "pairs of start and goal of demonstrations"))
			number(f, &h.per, settings.Number{Name: "per-context", Default: 1, Low: 1, High: 1 << 10, Whole: true, Help: "demonstrations for each pair"})
			number(f, &h.pairs, settings.Number{Name: "pairs", Default: hallPairs, Low: 1, High: 1 << 16, Whole: true, Help: "pairs of start and goal of the report"})
			return func(ctx context.Context, args []string, o trainOptions, m *manifest.Manifest, stderr io.Writer) (*preparedTraining, error) {
				r := nav2dexp.DefaultRecipe(o.steps)
				r.Train.Batch, r.Train.Rate, r.Train.Seed = o.batch, o.rate, o.seed
				return prepareHall(ctx, args[0], h, r, o, m, stderr)
			}
		},
	}, invocation)
}

// openHall reads the hall of a scene.
func openHall(file string, radius float64, record *manifest.Manifest) (*nav2dexp.Hall, error) {
	text, err := readScene(file)
	if err != nil {
		return nil, err
	}
	refuse := func(err error) error { return usageError{fmt.Errorf("%s: %w", file, err)} }
	scene, err := nav2d.ReadScene(strings.NewReader(text))
	if err != nil {
		return nil, refuse(err)
	}
	digests := manifest.DigestBytes([]byte(text))
	record.Input("scene", manifest.Input{Path: file, SHA256: digests})
	open := filesBeside(file)
	err = scene.LoadMap(func(name string, most int64) ([]byte, error) {
		data, err := open(name, most)
		if err == nil {
			digest := manifest.DigestBytes(data)
			digests += digest
			record.Input("file "+name, manifest.Input{Path: name, SHA256: digest})
		}
		return data, err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	task, err := scene.Workspace()
	if err != nil {
		return nil, refuse(err)
	}
	h, err := nav2dexp.NewHall(task, radius)
	if err != nil {
		return nil, refuse(err)
	}
	// Demonstrations are those of this scene, and no other of its name.
	h.Map.Name = fmt.Sprintf("%s %.8s", h.Name, manifest.DigestBytes([]byte(digests)))
	return h, nil
}

// prepareHall opens the training of the model of a hall.
func prepareHall(ctx context.Context, file string, f hallFlags, r nav2dexp.Recipe, o trainOptions, record *manifest.Manifest, stderr io.Writer) (*preparedTraining, error) {
	h, err := openHall(file, f.radius, record)
	if err != nil {
		return nil, err
	}
	if o.dir == "" {
		o.dir = filepath.Join("models", strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	}
	if err := checkOutputDir(o.dir); err != nil {
		return nil, err
	}
	x, source, err := hallExamples(ctx, h, f, o, record, stderr)
	if err != nil {
		return nil, err
	}
	var from *plan.Model
	if f.from != "" {
		if from, err = plan.OpenModel(f.from); err == nil {
			err = record.InputFile("start", f.from)
		}
	} else {
		from, err = plan.Bundled("empty")
	}
	if err != nil {
		return nil, err
	}
	t, err := nav2dexp.NewTraining(o.dir, r, x, from, plan.Card{Map: h.Name, Data: source, Command: o.invocation, Hall: h.Card()})
	if err != nil {
		return nil, err
	}
	record.Seed, record.Settings = r.Train.Seed, r
	p := &preparedTraining{Training: t, dir: o.dir, title: "Training on " + h.Name, steps: o.steps, summary: trainSummary{Map: h.Name}, more: []string{reportName}, reportFile: reportName}
	p.report = func(ctx context.Context, s *trainSummary) error {
		m, err := plan.OpenModel(o.dir)
		if err != nil {
			return err
		}
		report, err := h.Report(ctx, m, f.pairs, hallSamples, newProgress(stderr, "judging"))
		s.Hall = &report
		return err
	}
	return p, nil
}

// reportName is the file of the report on a hall.
const reportName = "fit.json"

// hallExamples reads recordings, or makes demonstrations in the directory of the training.
// source says what they are, for the card of the model.
func hallExamples(ctx context.Context, h *nav2dexp.Hall, f hallFlags, o trainOptions, record *manifest.Manifest, stderr io.Writer) (x tensor.Batch, source string, err error) {
	path := o.data
	if path != "" {
		x, err = h.LoadRecording(path)
		source = fmt.Sprintf("%d recorded trips of %s", x.N, filepath.Base(path))
	} else {
		dir := filepath.Join(o.dir, "demonstrations")
		path = filepath.Join(dir, nav2dexp.TrajectoriesFile)
		x, err = hallDemonstrations(ctx, h, dir, f, o, stderr)
		source = fmt.Sprintf("%d trajectories generated by this program", x.N)
	}
	if err == nil && x.N < 8 {
		err = usageError{fmt.Errorf("there are %s, want 8 or more to learn from", plural.Of(x.N, "example"))}
	}
	if err == nil {
		_, err = dataset.FitLimits(x)
	}
	if err != nil {
		return x, "", ofFile(path, err)
	}
	return x, source, record.InputFile("data", path)
}

// hallDemonstrations returns those of a hall that are there, or makes them.
func hallDemonstrations(ctx context.Context, h *nav2dexp.Hall, dir string, f hallFlags, o trainOptions, stderr io.Writer) (tensor.Batch, error) {
	path := filepath.Join(dir, nav2dexp.TrajectoriesFile)
	opts := nav2dexp.GenerateOptions{
		Contexts: f.contexts, PerContext: f.per, Seed: o.seed, Radius: f.radius, Workers: o.workers, Progress: newProgress(stderr, "generating demonstrations"),
	}
	if x, err := nav2dexp.LoadTrajectories(path); err == nil {
		if on, err := nav2dexp.Origin(path); err == nil && on == h.Map.Name {
			return x, opts.CheckHeld(dir, h.Map)
		}
		return tensor.Batch{}, usageError{errors.New("the demonstrations there are of another scene; choose another directory (-o), or remove them")}
	}
	set, _, err := generateSet(ctx, h.Map, dir, opts, o.invocation, stderr)
	if err != nil {
		return tensor.Batch{}, err
	}
	return set.Trajectories, nil
}

// printHall says what a model of a hall is good for.
func printHall(w io.Writer, s trainSummary) {
	r := s.Hall
	printLine(w, "%s: %.1f %% of %s between %s it never saw are clear of obstacles as drawn; of the model empty %.1f %%",
		s.Map, 100*r.Clear, plural.Of(r.Samples, "sample"), plural.Of(r.Pairs, "pair"), 100*r.Empty)
	if s.Metrics != nil && s.Metrics.ValidationLoss != nil {
		printLine(w, "loss on held-out demonstrations %.4f after %s", *s.Metrics.ValidationLoss, plural.Of(s.Steps, "step"))
	}
}
