package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/internal/recorded"
	"github.com/go-pcd/pcd/internal/settings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/env/nav2d"
	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
)

// nav2dData are the demonstrations of the maps.
func nav2dData() dataEntry {
	return dataEntry{subjects: nav2d.MapNames(), gen: newDataGenMapCommand, imports: newDataImportCommand, info: infoNav2D}
}

// dataSummary is what the data commands print.
type dataSummary struct {
	Map    string                    `json:"map"`
	Report nav2d.DemonstrationReport `json:"report"`
	Files  []string                  `json:"files,omitempty"`
}

// motionSummary is what "pcd data info" prints of trajectories of which it is not known
// where they were made.
type motionSummary struct {
	Map    *string       `json:"map"` // null
	Report nav2d.Motions `json:"report"`
}

func newDataGenMapCommand(name string, invocation []string) *cobra.Command {
	o := nav2dexp.GenerateOptions{}.WithDefaults()
	var dir string
	var asJSON bool
	c := &cobra.Command{
		Use:   name,
		Short: "Generate demonstrations of the motion pattern of the map " + name,
		Long: `Plans, times and smooths trajectories that show the motion pattern of the map
` + name + ` and writes them as trajectories.npz, with a report and a picture of a hundred of
them. An interrupted run continues where it stopped. The
trajectories depend on the seed alone, not on the number of goroutines.

` + exitCodeHelp,
		Example: "  pcd data gen " + name + " -o data/" + name,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Progress = newProgress(cmd.ErrOrStderr(), "generating")
			s, err := runDataGen(cmd.Context(), name, dir, o, invocation, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return printData(cmd.OutOrStdout(), s, asJSON)
		},
	}
	f := c.Flags()
	f.StringVarP(&dir, "output", "o", "", "directory (default: data/"+name+")")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the random field")
	number(f, &o.Contexts, nav2dexp.SpecContexts.With(float64(o.Contexts), "pairs of start and goal"))
	number(f, &o.PerContext, nav2dexp.SpecPerContext.With(float64(o.PerContext), "trajectories per pair"))
	number(f, &o.Workers, settings.Workers)
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

// demonstrationsFile is the picture of some trajectories.
const demonstrationsFile = "trajectories.png"

func runDataGen(ctx context.Context, mapName, dir string, o nav2dexp.GenerateOptions, invocation []string, stderr io.Writer) (dataSummary, error) {
	m, err := nav2d.MapByName(mapName)
	if err != nil {
		return dataSummary{}, usageError{err}
	}
	if err := o.Check(); err != nil {
		return dataSummary{}, usageError{err}
	}
	if dir == "" {
		dir = filepath.Join("data", m.Name)
	}
	set, files, err := generateSet(ctx, m, dir, o, invocation, stderr)
	if err != nil {
		return dataSummary{}, err
	}
	return dataSummary{Map: m.Name, Report: set.Report, Files: files}, nil
}

// generateSet makes demonstrations in a directory, with a picture of some.
func generateSet(ctx context.Context, m *nav2d.Map, dir string, o nav2dexp.GenerateOptions, invocation []string, stderr io.Writer) (*nav2dexp.Set, []string, error) {
	out, err := openOutput(stderr, dir, newRecord("data gen "+m.Name, invocation, o.Seed, o.WithDefaults()), append(nav2dexp.SetFiles(), demonstrationsFile)...)
	if err != nil {
		return nil, nil, err
	}
	defer out.Close()
	set, err := nav2dexp.Generate(ctx, dir, m, o)
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(set.Add(out), out.Add(demonstrationsFile, demonstrationFigure(m, set.Trajectories, set.Report).Save)); err != nil {
		return nil, nil, err
	}
	files, err := deliverOutput(stderr, out)
	if err == nil {
		set.RemovePieces()
	}
	return set, files, err
}

func newDataImportCommand() *cobra.Command {
	var mapName, out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "import DIR",
		Short: "Import a folder of published trajectories (trajs-free.pt)",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := recorded.ImportTrajectories(args[0])
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
			if err := nav2dexp.SaveTrajectories(out, t.Batch, m.Name); err != nil {
				return err
			}
			return printData(cmd.OutOrStdout(), dataSummary{Map: m.Name, Report: nav2d.Describe(m, t.Batch), Files: []string{out}}, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&mapName, "map", "", "map (default: from metadata.yaml)")
	f.StringVarP(&out, "output", "o", nav2dexp.TrajectoriesFile, "npz file")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

// mapOfEnvironment returns the map of a published environment such as
// EnvHighways2D.
func mapOfEnvironment(id string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(id, "Env"), "2D"))
}

// infoNav2D describes a file of trajectories on a map. A file that says that it is of
// another one is refused; of one that says nothing, only the motions are described unless
// the caller says that it is of the map.
func infoNav2D(w io.Writer, name, file string, assume, asJSON bool) error {
	m, err := nav2d.MapByName(name)
	if err != nil {
		return usageError{err}
	}
	x, err := nav2dexp.LoadTrajectories(file)
	if err != nil {
		return err
	}
	origin, err := nav2dexp.Origin(file)
	switch {
	case err != nil:
		return err
	case origin != "" && origin != m.Name:
		return usageError{fmt.Errorf("%s says that it was made on %s, not on %s: want \"pcd data info %s %s\"", file, origin, m.Name, origin, file)}
	case origin == "" && !assume:
		return printMotions(w, file, m.Name, nav2d.DescribeMotions(x), asJSON)
	}
	if origin == "" {
		if err := nav2dexp.CheckInside(m, x); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return printData(w, dataSummary{Map: m.Name, Report: nav2d.Describe(m, x)}, asJSON)
}

// printMotions describes trajectories of which nobody says where they were made.
func printMotions(w io.Writer, file, name string, r nav2d.Motions, asJSON bool) error {
	if asJSON {
		return printJSON(w, motionSummary{Report: r})
	}
	printLine(w, "%s: %s; nothing is known of the map that they were made on", quote.Lines(file), plural.Of(r.Trajectories, "trajectory"))
	if err := printDistributions(w, motionHeaders, motionsOf(r)); err != nil {
		return err
	}
	printLine(w, "with --assume, collisions, adherence and clearance are measured on %s", name)
	return nil
}

func printData(w io.Writer, s dataSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	r := s.Report
	printLine(w, "%s: %s, %.2f %% free of collisions, adherence to the pattern %.4f", s.Map, plural.Of(r.Trajectories, "trajectory"), 100*r.Free, r.Adherence)
	if err := printDistributions(w, motionHeaders+"\tclearance", append(motionsOf(r.Motions), r.Clearance)); err != nil {
		return err
	}
	printWritten(w, s.Files...)
	return nil
}

const motionHeaders = "\tlength\tspeed\ttop speed"

func motionsOf(r nav2d.Motions) []nav2d.Distribution {
	return []nav2d.Distribution{r.Length, r.Speed, r.TopSpeed}
}

// printDistributions prints a table with a column for each distribution.
func printDistributions(w io.Writer, headers string, all []nav2d.Distribution) error {
	t := numbersOf(1, headers)
	row := func(name string, of func(nav2d.Distribution) float64) {
		line := []string{name}
		for _, d := range all {
			line = append(line, fmt.Sprintf("%.3f", of(d)))
		}
		t.Lines = append(t.Lines, line)
	}
	row("mean", func(d nav2d.Distribution) float64 { return d.Mean })
	for i, q := range nav2d.Quantiles {
		row(fmt.Sprintf("%g %%", math.Round(1000*q)/10), func(d nav2d.Distribution) float64 { return d.Quantiles[i] })
	}
	return printTable(w, t)
}
