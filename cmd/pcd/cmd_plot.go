package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/render"
)

func newPlotCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "plot",
		Short: "Draw the figures of an experiment",
		Args:  cobra.ArbitraryArgs,
	}
	for _, e := range evaluated() {
		if e.plot != "" {
			c.AddCommand(newPlotExperimentCommand(e))
		}
	}
	return c
}

// newPlotExperimentCommand has a verb for every figure of an experiment, and for
// those that are not drawn from cells.
func newPlotExperimentCommand(e experimentEntry) *cobra.Command {
	c := &cobra.Command{Use: e.name, Short: e.plot, Args: cobra.ArbitraryArgs}
	names, shorts := e.results.FigureNames()
	for i, name := range names {
		c.AddCommand(newPlotFigureCommand(e.results, name, shorts[i]))
	}
	if e.plots != nil {
		c.AddCommand(e.plots()...)
	}
	return c
}

func newPlotFigureCommand(r results, name, short string) *cobra.Command {
	var out string
	var o experiment.FigureOptions
	c := &cobra.Command{
		Use:   name + " DIR",
		Short: short + ", from the cells of an evaluation",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkPicture(out, render.CheckFigurePath); err != nil {
				return err
			}
			f, err := r.Draw(args[0], name, o)
			if err != nil {
				return err
			}
			return saveFigure(cmd.OutOrStdout(), f, out)
		},
	}
	c.Flags().StringSliceVar(&o.Groups, "rows", nil, "rows of panels, such as maps, or all (default: the first)")
	c.Flags().StringSliceVar(&o.Measures, "measures", nil, "measures, or all (default: those that matter most)")
	figureFlag(c, &out, name+".png")
	return c
}

// figureFlag adds the flag for the file of a figure.
func figureFlag(c *cobra.Command, path *string, name string) {
	c.Flags().StringVarP(path, "output", "o", name, "file, ending in .png or .svg")
}

// checkPicture refuses a file of an unknown kind, and one that cannot be written, before
// anything is computed for it.
// check is that of the kinds that can be written.
func checkPicture(path string, check func(path string) error) error {
	if err := check(path); err != nil {
		return usageError{err}
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return usageError{fmt.Errorf("%s is a directory, want the name of a picture", path)}
	}
	if err == nil {
		return atomicfile.Check(path)
	}
	return atomicfile.CheckFolder(filepath.Dir(path))
}

// saveFigure writes a figure and says where.
func saveFigure(w io.Writer, f *render.Figure, path string) error {
	return savePictures(w, atomicfile.Output{Path: path, Save: f.Save})
}

// savePictures writes pictures, all or none, and says where.
func savePictures(w io.Writer, outputs ...atomicfile.Output) error {
	var paths []string
	for _, o := range outputs {
		if dir := filepath.Dir(o.Path); dir != "." {
			if err := atomicfile.MkdirAll(dir); err != nil {
				return err
			}
		}
		paths = append(paths, o.Path)
	}
	if err := atomicfile.Together(outputs...); err != nil {
		return err
	}
	printWritten(w, paths...)
	return nil
}
