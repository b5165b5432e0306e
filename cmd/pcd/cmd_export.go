package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/told"
)

// exportOptions are the flags of "pcd export".
type exportOptions struct {
	formats []string
	rate    float64
	delivery
}

const formatHelp = `  csv          a table of where every robot is when (motion.csv)
  ros          YAML for "ros2 topic pub": nav_msgs/Path for each robot, and
               trajectory_msgs/MultiDOFJointTrajectory for all
  mcap         a recording for viewers, with messages of the Foxglove schemas
  vda5050      orders of VDA 5050, 3.0.0, zones of the obstacles, and who has
               to wait for whom (releases.json)
  vda5050-2.1  the same orders of version 2.1.0`

func newExportCommand(invocation []string) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export PLAN",
		Short: "Write a plan as tables, ROS messages, recordings or VDA 5050 orders",
		Long: `Writes a certified plan as files that robots and their tools read. PLAN is the folder
of a plan, or plan.json. Every file says of which scene and plan it was made, by their
digests.

` + formatHelp + `

Orders have no times. Their polylines are judged with the deviation that they allow, and
releases.json says who goes first: whoever releases nodes so keeps everybody apart,
however late they are.

-o is a directory, or one file that ends in .csv, .mcap or .yaml (the trajectory of
all robots).

` + exitCodeHelp,
		Example: "  pcd export out/plan -o out/robots\n  pcd export out/plan --format vda5050-2.1 -o out/orders\n  pcd export out/plan -o plan.mcap --rate 30",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.out == "" {
				return usageError{errors.New("-o is missing: say where to write, a directory or a file that ends in .csv, .mcap or .yaml")}
			}
			ending := filepath.Ext(o.out)
			info, statErr := os.Stat(o.out)
			folder := ending == "" || statErr == nil && info.IsDir()
			if folder {
				if err := checkOutputDir(o.out); err != nil {
					return err
				}
			}
			task, err := o.task(cmd, args[0])
			if err != nil {
				return err
			}
			if folder {
				return deliver(cmd, o.delivery, invocation, task, printExport)
			}
			if len(o.formats) > 0 {
				return usageError{fmt.Errorf("--format has no effect on %s: its ending says the format", o.out)}
			}
			if err := task.Check(); err != nil {
				return err
			}
			s, err := task.WriteFile(cmd.Context(), o.out)
			if err != nil {
				return err
			}
			return printExport(cmd.OutOrStdout(), s, o.json)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.formats, "format", nil, "csv, ros, mcap, vda5050, vda5050-2.1, several with commas (default: all)")
	number(f, &o.rate, planner.ExportRate)
	f.BoolVar(&o.json, "json", false, "print what was written as JSON")
	f.StringVarP(&o.out, "output", "o", "", "directory for the files, or one file")
	return c
}

// task reads the plan.
func (o exportOptions) task(cmd *cobra.Command, name string) (*planner.ExportTask, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = strings.TrimSuffix(name, "/") + "/plan.json"
	}
	t := &planner.ExportTask{Name: name, Formats: o.formats, Rate: given(cmd.Flags(), "rate", o.rate)}
	var err error
	if t.Plan, err = regular.ReadFile(name, paths.MaxBytes); err != nil {
		return nil, err
	}
	t.Manifest, err = regular.ReadFile(filepath.Join(filepath.Dir(name), manifest.FileName), paths.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return t, err
}

// printExport says what was written.
func printExport(w io.Writer, s *planner.ExportSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	printLine(w, "%s: %s, %s s, plan sha256 %.12s", quote.Lines(s.Plan), plural.Of(s.Robots, "robot"), told.Seconds(s.Duration), s.Digest)
	for _, file := range s.Files[:min(len(s.Files), fewFiles)] {
		printWritten(w, file)
	}
	if more := len(s.Files) - fewFiles; more > 0 {
		printLine(w, "and %d more files", more)
	}
	return nil
}
