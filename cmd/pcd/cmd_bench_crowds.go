package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/experiment/teams"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/plan"
)

// crowdBench is "pcd bench plan --crowds DIR".
type crowdBench struct {
	straight bool
	spec     teams.CrowdSpec
}

// benchCrowdSummary is what it prints.
type benchCrowdSummary struct {
	Machine manifest.Machine `json:"machine"`
	Spec    teams.CrowdSpec  `json:"spec"`
	Rows    []teams.CrowdRow `json:"rows"`
}

// replace adds the flags to the command, which has those of [safeBench], and takes over
// when it is asked for.
func (b *crowdBench) replace(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&b.spec.Dir, "crowds", "", "folder of grid maps (.map) with scenarios (.scen) whose first agents are planned for")
	number(f, &b.spec.Radius, settings.Number{Name: "radius", Default: 0.3, High: 1e6, Above: true, Unit: "cells", Help: "with --crowds: of robots, in cells"})
	number(f, &b.spec.Speed, settings.Number{Name: "speed", Default: 2, High: 1e6, Above: true, Unit: "cells/s", Help: "with --crowds: of robots, in cells per second"})
	f.BoolVar(&b.straight, "polyline", false, "with --crowds: straight ways instead of curves")
	f.DurationVar(&b.spec.Limit, "limit", 2*time.Minute, "with --crowds: processor time of one crowd")
	otherwise := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if b.spec.Dir != "" {
			return b.run(cmd)
		}
		return otherwise(cmd, args)
	}
}

// read takes what is shared with the other benchmarks of the command.
func (b *crowdBench) read(cmd *cobra.Command) (workers int, asJSON bool, err error) {
	f := cmd.Flags()
	workers, err = f.GetInt("workers")
	asJSON, jsonErr := f.GetBool("json")
	var mapsErr, robotsErr error
	if f.Changed("maps") {
		b.spec.Maps, mapsErr = f.GetStringSlice("maps")
	}
	if b.spec.Robots = []int{10, 50, 100, 200, 400}; f.Changed("robots") {
		b.spec.Robots, robotsErr = f.GetIntSlice("robots")
	}
	if b.spec.Motion = plan.Curve; b.straight {
		b.spec.Motion = plan.Polyline
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"radius", b.spec.Radius}, {"speed", b.spec.Speed}, {"limit", b.spec.Limit.Seconds()}} {
		if !(v.value > 0) || math.IsInf(v.value, 0) {
			return 0, false, usageError{fmt.Errorf("--%s is %v, want a positive number", v.name, v.value)}
		}
	}
	return workers, asJSON, errors.Join(err, jsonErr, mapsErr, robotsErr)
}

// run measures and prints row by row.
func (b *crowdBench) run(cmd *cobra.Command) error {
	workers, asJSON, err := b.read(cmd)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	s := benchCrowdSummary{Machine: manifest.ThisMachine(), Spec: b.spec, Rows: []teams.CrowdRow{}}
	if !asJSON {
		printLine(w, "%s", s.Machine)
		fmt.Fprintf(w, "%-20s %6s %-9s %9s %8s %9s %8s %8s\n", "map", "robots", "certified", "processor", "MiB", "waypoints", "makespan", "length")
	}
	s.Rows, err = teams.MeasureCrowds(cmd.Context(), b.spec, func(string) (*plan.Model, error) { return planner.NavigationModel("", "empty") }, workers, func(r teams.CrowdRow) {
		if !asJSON {
			printCrowdRow(w, r)
		}
	})
	if asJSON && len(s.Rows) > 0 {
		return errors.Join(err, printJSON(w, s))
	}
	return err
}

// printCrowdRow prints a row under the names of its columns: makespan and length over what they
// are at least.
func printCrowdRow(w io.Writer, r teams.CrowdRow) {
	certified := "no"
	if r.Certified {
		certified = "yes"
	}
	fmt.Fprintf(w, "%-20s %6d %-9s %7.1f s %8.0f", r.Map, r.Robots, certified, r.Processor, r.Peak)
	if r.Certified {
		fmt.Fprintf(w, " %9d %8.2f %8.2f\n", r.Waypoints, r.Makespan(), r.Detour())
		return
	}
	fmt.Fprintf(w, "\n  %s\n", r.Reason)
}
