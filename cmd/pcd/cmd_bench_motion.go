package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/experiment/teams"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/plan"
)

// motionBench is "pcd bench plan --motion".
type motionBench struct {
	on     bool
	scenes []string
	spec   teams.Spec
}

// benchMotionSummary is what it prints.
type benchMotionSummary struct {
	Machine manifest.Machine  `json:"machine"`
	Spec    teams.Spec        `json:"spec"`
	Scenes  []string          `json:"scenes"`
	Rows    []teams.MotionRow `json:"rows"`
}

// replace adds the flags to the command, which has those of [safeBench], and takes over when
// it is asked for.
func (b *motionBench) replace(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&b.on, "motion", false, "straight motion beside curves and curves in the shortest time, with a judge that samples them")
	f.StringSliceVar(&b.scenes, "scenes", nil, "with --motion: scene files with a duration")
	otherwise := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if b.on {
			return b.run(cmd)
		}
		if len(b.scenes) > 0 {
			return usageError{fmt.Errorf("--scenes %s has an effect with --motion only", quote.List(b.scenes, 8))}
		}
		return otherwise(cmd, args)
	}
}

// read takes what is shared with --latency.
func (b *motionBench) read(cmd *cobra.Command) (workers int, asJSON bool, err error) {
	f := cmd.Flags()
	workers, err = f.GetInt("workers")
	asJSON, jsonErr := f.GetBool("json")
	seed, seedErr := f.GetUint32("seed")
	trials, trialsErr := f.GetInt("trials")
	mapsOf, mapsErr := f.GetStringSlice("maps")
	b.spec = teams.Spec{Methods: []plan.Method{plan.PCDSHD}, Preset: "default", Trials: trials, TrialSeed: seed, Robots: []int{4}}
	var robotsErr error
	if f.Changed("robots") {
		b.spec.Robots, robotsErr = f.GetIntSlice("robots")
	}
	if f.Changed("maps") || len(b.scenes) == 0 {
		b.spec.Maps = mapsOf
	}
	return workers, asJSON, errors.Join(err, jsonErr, seedErr, trialsErr, mapsErr, robotsErr)
}

// run measures and prints row by row.
func (b *motionBench) run(cmd *cobra.Command) error {
	workers, asJSON, err := b.read(cmd)
	if err != nil {
		return err
	}
	var scenes []teams.Named
	for _, file := range b.scenes {
		text, err := readScene(file)
		if err != nil {
			return err
		}
		task, err := planner.PlanRequest{Task: file, Scene: &text, Files: filesBeside(file)}.Check()
		if err != nil {
			return err
		}
		scenes = append(scenes, teams.Named{Name: file, Teams: []plan.Team{task.Team}})
	}
	w := cmd.OutOrStdout()
	s := benchMotionSummary{Machine: manifest.ThisMachine(), Spec: b.spec, Scenes: b.scenes}
	if !asJSON {
		printLine(w, "%s", s.Machine)
	}
	models := func(name string) (*plan.Model, error) { return planner.NavigationModel("", name) }
	s.Rows, err = teams.MeasureMotion(cmd.Context(), b.spec, scenes, models, workers, func(r teams.MotionRow) {
		if !asJSON {
			printMotionRow(w, r)
		}
	})
	if err == nil && asJSON {
		return printJSON(w, s)
	}
	return err
}

// printMotionRow prints what the plans of a row are like.
func printMotionRow(w io.Writer, r teams.MotionRow) {
	var t terminal.Fields
	t.Add("certified", "straight %d, curves %d, in the shortest time %d of %d", r.Certified[0], r.Certified[1], r.Certified[2], r.Trials)
	t.Add("processor", "medians %.2f, %.2f and %.2f s", r.Processor[0].Median, r.Processor[1].Median, r.Processor[2].Median)
	t.Add("moved by", "medians %.3f straight, %.3f curves; adherence %.3f, %.3f", r.Moved[0].Median, r.Moved[1].Median, r.DA[0].Median, r.DA[1].Median)
	t.Add("shortest time", "median %.2f of the time that is given, %.2f to %.2f; arrivals at %.2f of it in the mean", r.Factor.Median, r.Factor.Least, r.Factor.Most, r.Arrival.Median)
	t.Add("curves sampled", "gap %.1e, speed %.5f and acceleration %.5f of the limits; %d plans denied", r.Sampled.Gap, r.Sampled.Speed, r.Sampled.Acceleration, r.Denied)
	fmt.Fprintf(w, "\n%s\n", r.Name)
	_ = printFields(w, &t) // nobody is there to be told
}
