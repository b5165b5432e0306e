package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/experiment/navigation"
)

func newDataCommand(invocation []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "data",
		Short: "Generate, import and describe demonstrations",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(newDataGenCommand(invocation), newDataImportCommand(), newDataInfoCommand(), newDataFetchCommand())
	return c
}

// dataSummary is what the data commands print.
type dataSummary struct {
	Map    string                    `json:"map"`
	Report nav2d.DemonstrationReport `json:"report"`
	Files  []string                  `json:"files,omitempty"`
}

func newDataGenCommand(invocation []string) *cobra.Command {
	var o navigation.GenerateOptions
	var dir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "gen MAP",
		Short: "Generate demonstrations of a map's motion pattern",
		Long: `Plans, times and smooths trajectories that show the motion pattern of a map
(` + strings.Join(mapNames(), ", ") + `) and writes them as trajectories.npz, with a report and a
picture of a hundred of them. An interrupted run continues where it stopped. The
trajectories depend on the seed alone, not on the number of goroutines.

` + exitCodeHelp,
		Example: "  pcd data gen highways -o data/highways",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Progress = newProgress(cmd.ErrOrStderr(), "generating")
			s, err := runDataGen(cmd.Context(), args[0], dir, o, invocation)
			if err != nil {
				return err
			}
			return printData(cmd.OutOrStdout(), s, asJSON)
		},
	}
	f := c.Flags()
	f.StringVarP(&dir, "output", "o", "", "directory (default: data/MAP)")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the random field")
	f.IntVar(&o.Contexts, "contexts", 0, "pairs of start and goal (default: 16000)")
	f.IntVar(&o.PerContext, "per-context", 0, "trajectories per pair (default: 2)")
	f.IntVar(&o.Workers, "workers", 0, "goroutines (default: one per processor)")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

func mapNames() []string {
	var names []string
	for _, m := range nav2d.Maps() {
		names = append(names, m.Name)
	}
	return names
}

func runDataGen(ctx context.Context, mapName, dir string, o navigation.GenerateOptions, invocation []string) (dataSummary, error) {
	m, err := nav2d.MapByName(mapName)
	if err != nil {
		return dataSummary{}, usageError{err}
	}
	if dir == "" {
		dir = filepath.Join("data", m.Name)
	}
	out, err := openOutput(dir, invocation, o.Seed, o.WithDefaults())
	if err != nil {
		return dataSummary{}, err
	}
	x, report, err := navigation.Generate(ctx, dir, m, o)
	if err != nil {
		return dataSummary{}, err
	}
	keep := func(string) error { return nil } // written by Generate
	for _, name := range []string{navigation.TrajectoriesFile, "report.json"} {
		if err := out.write(name, keep); err != nil {
			return dataSummary{}, err
		}
	}
	if err := out.write("trajectories.png", demonstrationFigure(m, x, report).Save); err != nil {
		return dataSummary{}, err
	}
	err = out.close()
	return dataSummary{Map: m.Name, Report: report, Files: out.files}, err
}

func newDataImportCommand() *cobra.Command {
	var mapName, out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "import DIR",
		Short: "Import a folder of published trajectories (trajs-free.pt)",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := dataset.ImportTrajectories(args[0])
			if err != nil {
				return err
			}
			if mapName == "" {
				mapName = mapOfEnvironment(t.Metadata.EnvID)
			}
			m, err := nav2d.MapByName(mapName)
			if err != nil {
				return usageError{fmt.Errorf("the map of environment %q is not known: %w; name it with --map", t.Metadata.EnvID, err)}
			}
			if err := navigation.SaveTrajectories(out, t.Batch); err != nil {
				return err
			}
			return printData(cmd.OutOrStdout(), dataSummary{Map: m.Name, Report: nav2d.Describe(m, t.Batch), Files: []string{out}}, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&mapName, "map", "", "map (default: from metadata.yaml)")
	f.StringVarP(&out, "output", "o", navigation.TrajectoriesFile, "npz file")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

// mapOfEnvironment returns the map of a published environment such as
// EnvHighways2D.
func mapOfEnvironment(id string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(id, "Env"), "2D"))
}

func newDataInfoCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "info MAP|pusht FILE",
		Short: "Describe the demonstrations of a map or of PushT in a file",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "pusht" {
				return infoPushT(cmd.OutOrStdout(), args[1], asJSON)
			}
			m, err := nav2d.MapByName(args[0])
			if err != nil {
				return usageError{err}
			}
			x, err := navigation.LoadTrajectories(args[1])
			if err != nil {
				return err
			}
			return printData(cmd.OutOrStdout(), dataSummary{Map: m.Name, Report: nav2d.Describe(m, x)}, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

func printData(w io.Writer, s dataSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	r := s.Report
	fmt.Fprintf(w, "%s: %d trajectories, %.2f %% free of collisions, adherence to the pattern %.4f\n", s.Map, r.Trajectories, 100*r.Free, r.Adherence)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\tmean")
	for _, q := range nav2d.Quantiles {
		fmt.Fprintf(t, "\t%g %%", math.Round(1000*q)/10)
	}
	fmt.Fprintln(t)
	for _, row := range []struct {
		name string
		d    nav2d.Distribution
	}{{"length", r.Length}, {"speed", r.Speed}, {"top speed", r.TopSpeed}, {"clearance", r.Clearance}} {
		fmt.Fprintf(t, "%s\t%.3f", row.name, row.d.Mean)
		for _, v := range row.d.Quantiles {
			fmt.Fprintf(t, "\t%.3f", v)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range s.Files {
		fmt.Fprintln(w, "wrote", f)
	}
	return nil
}
