package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"

	"github.com/spf13/cobra"

	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/terminal"
)

// replanBench is "pcd bench plan --replan".
type replanBench struct {
	on       bool
	deadline time.Duration
	spec     nav2dexp.ReplanSpec
}

// benchReplanSummary is what it prints.
type benchReplanSummary struct {
	Machine manifest.Machine     `json:"machine"`
	Spec    nav2dexp.ReplanSpec  `json:"spec"`
	Rows    []nav2dexp.ReplanRow `json:"rows"`
}

// replace adds the flags to the command, which has those of [safeBench], and takes over
// when it is asked for.
func (b *replanBench) replace(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&b.on, "replan", false, "plan again and again for a team on its way to goals that move")
	number(f, &b.spec.Replans, nav2dexp.SpecReplans)
	number(f, &b.spec.Rate, nav2dexp.SpecRate)
	f.DurationVar(&b.deadline, "deadline", 0, "with --replan: time that every plan takes to get better (default 0: the first that is certified)")
	otherwise := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if b.on {
			return b.run(cmd)
		}
		return otherwise(cmd, args)
	}
}

// read takes what is shared with --latency.
func (b *replanBench) read(cmd *cobra.Command) (workers int, asJSON bool, err error) {
	f := cmd.Flags()
	workers, err = f.GetInt("workers")
	asJSON, jsonErr := f.GetBool("json")
	var seedErr, mapsErr, robotsErr error
	b.spec.Seed, seedErr = f.GetUint32("seed")
	if b.spec.Maps = nav2d.MapNames(); f.Changed("maps") {
		b.spec.Maps, mapsErr = f.GetStringSlice("maps")
	}
	if b.spec.Robots = []int{4}; f.Changed("robots") {
		b.spec.Robots, robotsErr = f.GetIntSlice("robots")
	}
	return workers, asJSON, errors.Join(err, jsonErr, seedErr, mapsErr, robotsErr)
}

// run measures and prints row by row.
func (b *replanBench) run(cmd *cobra.Command) error {
	b.spec.Preset, b.spec.Deadline = "default", b.deadline.Seconds()
	workers, asJSON, err := b.read(cmd)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	s := benchReplanSummary{Machine: manifest.ThisMachine(), Spec: b.spec}
	if !asJSON {
		printLine(w, "%s", s.Machine)
	}
	s.Rows, err = nav2dexp.MeasureReplans(cmd.Context(), b.spec, workers, func(r nav2dexp.ReplanRow) {
		if !asJSON {
			printReplanRow(w, r)
		}
	})
	if err == nil && asJSON {
		return printJSON(w, s)
	}
	return err
}

// printReplanRow prints what the plans of a team amount to.
func printReplanRow(w io.Writer, r nav2dexp.ReplanRow) {
	var t terminal.Fields
	t.Add("new plans", "%d of %d, %.0f %% of them from the one before, %.1f draws each", r.Planned, r.Planned+r.Continued+r.Stopped,
		100*float64(r.Warm)/float64(max(r.Planned, 1)), r.Draws)
	t.Add("otherwise", "%d continued, %d stopped", r.Continued, r.Stopped)
	t.Add("paths", "adherence to the pattern %.3f, length %.2f", r.Adherence, r.Length)
	t.Add("time", "median %.3f s, 99th percentile %.3f s, longest %.3f s; %d too late", r.Median, r.Late, r.Longest, r.Missed)
	times := map[string]int{}
	for _, reason := range r.Reasons {
		times[reason]++
	}
	for _, reason := range slices.Sorted(maps.Keys(times)) {
		t.Add("", "stopped %s: %s", plural.Of(times[reason], "time"), reason)
	}
	fmt.Fprintf(w, "\n%s, %s\n", r.Map, plural.Of(r.Robots, "robot"))
	_ = printFields(w, &t) // nobody is there to be told
}
