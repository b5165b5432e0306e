package main

import (
	"errors"
	"io"

	"github.com/go-pcd/pcd/env/nav2d"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/experiment/teams"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
)

// safeBench is "pcd bench plan --latency".
type safeBench struct {
	on   bool
	spec teams.Spec
}

// benchSafeSummary is what it prints.
type benchSafeSummary struct {
	Machine manifest.Machine `json:"machine"`
	Spec    teams.Spec       `json:"spec"`
	Rows    []teams.Row      `json:"rows"`
}

func (b *safeBench) addTo(f *pflag.FlagSet) {
	f.BoolVar(&b.on, "latency", false, "time from task to plans that are certified in continuous time")
	f.StringSliceVar(&b.spec.Maps, "maps", append(nav2d.MapNames(), teams.Ring), "with --latency: maps, and ring for ring swaps")
	number(f, &b.spec.Trials, teams.SpecTrials.With(100, "with --latency: trials of each"))
	f.Uint32Var(&b.spec.TrialSeed, "seed", 1, "with --latency: seed of the trials")
}

// replace adds the flags to the command and takes over when it is asked for.
func (b *safeBench) replace(c *cobra.Command) {
	b.addTo(c.Flags())
	runtime := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if b.on {
			return b.run(cmd)
		}
		return runtime(cmd, args)
	}
}

// read takes what is shared with the other benchmarks of the command.
func (b *safeBench) read(f *pflag.FlagSet) (workers int, asJSON bool, err error) {
	workers, err = f.GetInt("workers")
	asJSON, jsonErr := f.GetBool("json")
	var robotsErr, samplesErr error
	if b.spec.Robots = []int{4}; f.Changed("robots") {
		b.spec.Robots, robotsErr = f.GetIntSlice("robots")
	}
	if f.Changed("samples") {
		b.spec.Samples, samplesErr = f.GetInt("samples")
	}
	return workers, asJSON, errors.Join(err, jsonErr, robotsErr, samplesErr)
}

// run measures and prints row by row.
func (b *safeBench) run(cmd *cobra.Command) error {
	workers, asJSON, err := b.read(cmd.Flags())
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	s := benchSafeSummary{Machine: manifest.ThisMachine(), Spec: b.spec}
	if !asJSON {
		printLine(w, "%s", s.Machine)
	}
	s.Rows, err = teams.Measure(cmd.Context(), b.spec, func(name string) (*plan.Model, error) { return planner.NavigationModel("", name) }, workers, func(r teams.Row) {
		if !asJSON {
			printSafeRow(w, r)
		}
	})
	if err == nil && asJSON {
		return printJSON(w, s)
	}
	return err
}

// printSafeRow prints a row under the names of its columns.
func printSafeRow(w io.Writer, r teams.Row) {
	v := teams.View(r.Map, []teams.Row{r})
	_ = experiment.Report{Views: []experiment.View{v}}.Write(w, "text")
}
