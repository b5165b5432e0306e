package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/render"
)

// experimentEntry is an experiment on the command line: the commands eval, table, plot,
// train and data are made from the list of them. Only its name must be there.
type experimentEntry struct {
	name string // of the verb, and of the folder for results
	// short and example describe "pcd eval", table "pcd table", plot "pcd plot".
	short, long, example string
	table, tableLong     string
	plot                 string
	plots                func() []*cobra.Command // figures that are not drawn from cells; may be nil
	results              results
	// eval adds the flags of a spec, and returns what evaluates it.
	eval func(f *pflag.FlagSet) evaluator
	// allCores says that the networks share every image among all processors: there is no
	// flag for their number.
	allCores bool
	train    *trainEntry
	data     dataEntry
}

// experiments lists the experiments in the order of the help texts.
func experiments() []experimentEntry {
	return []experimentEntry{nav2dEntry(), teamsEntry(), pushTEntry(), toyEntry(), imagesEntry()}
}

// evaluated lists the experiments that have cells.
func evaluated() (out []experimentEntry) {
	for _, e := range experiments() {
		if e.eval != nil {
			out = append(out, e)
		}
	}
	return out
}

// evaluator evaluates what the flags say.
type evaluator func(ctx context.Context, o experiment.Options) (experiment.Summary, error)

// results read what an evaluation of an experiment has written, whatever its cells
// are. *experiment.Experiment implements it.
type results interface {
	Report(path string) (experiment.Report, error)
	Missing(path string) ([]string, error)
	Pack(path string) (archive string, err error)
	Draw(path, figure string, o experiment.FigureOptions) (*render.Figure, error)
	FigureNames() (names, shorts []string)
}

// folder is the default folder for results.
func (e experimentEntry) folder() string { return "results/" + e.name }
