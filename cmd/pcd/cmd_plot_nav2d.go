package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment/navigation"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/render"
)

func newPlotNav2DCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "nav2d",
		Short: "Methods side by side, coupling strengths, running times",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(newPlotMethodsCommand(), newPlotGammaCommand(), newPlotRuntimeCommand())
	requireKnownArguments(c)
	return c
}

// figureFlag adds the flag for the file of a figure.
func figureFlag(c *cobra.Command, path *string, name string) {
	c.Flags().StringVarP(path, "output", "o", name, "file, ending in .png or .svg")
}

// saveFigure writes a figure and says where.
func saveFigure(w io.Writer, f *render.Figure, path string) error {
	if dir := filepath.Dir(path); dir != "." {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := f.Save(path); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "wrote", path)
	return err
}

func newPlotMethodsCommand() *cobra.Command {
	var o planOptions
	methods := methodNames(navigation.PublishedSpec().Methods)
	var animate string
	c := &cobra.Command{
		Use:     "methods [MAP|SCENE.yaml]",
		Short:   "Plan one task with several methods and draw the results as panels",
		Example: "  pcd plot nav2d methods highways --robots 4 --trial 3 -o methods.png\n  pcd plot nav2d methods conveyor --methods diffuser,pcd-shd --animation both.html",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.hasSeed = cmd.Flags().Changed("seed")
			task := "highways"
			if len(args) > 0 {
				task = args[0]
			}
			views, err := planWithMethods(cmd.Context(), task, o, methods, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			f, err := render.Plans(panelColumns(len(views)), views...)
			if err != nil {
				return err
			}
			if err := saveFigure(cmd.OutOrStdout(), f, o.out); err != nil || animate == "" {
				return err
			}
			a, err := render.Animate(views...)
			if err != nil {
				return err
			}
			return a.Save(animate)
		},
	}
	f := c.Flags()
	o.addTo(f, "paper")
	f.StringSliceVar(&methods, "methods", methods, "methods")
	f.StringVar(&animate, "animation", "", "also write the methods side by side as an animated page (.html) or .gif")
	figureFlag(c, &o.out, "methods.png")
	return c
}

// panelColumns returns how many panels go side by side.
func panelColumns(n int) int { return min(n, 4) }

// planWithMethods plans a task with every method and returns the first joint
// sample of each: not the best one, which would hide how often a method fails.
func planWithMethods(ctx context.Context, task string, o planOptions, methods []string, stderr io.Writer) ([]render.PlanView, error) {
	var views []render.PlanView
	for _, name := range methods {
		o.method = name
		run, err := o.run(stderr)
		if err != nil {
			return nil, usageError{err}
		}
		team, err := loadTask(task, o, run.Method)
		if err != nil {
			return nil, err
		}
		run.Gamma = plan.DefaultGamma(team.Map, run.Method.Coupling())
		r, err := plan.Run(ctx, team, run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(r.Trajectories) == 0 {
			fmt.Fprintf(stderr, "%s: %v\n", name, r.Search.Err())
			continue
		}
		s := summarisePlan(task, team, run, r)
		r.Best.Sample = 0
		v := planView(team, r, 0)
		v.Title = name
		v.Note = fmt.Sprintf("RS %.2f, obstacle-safe %.2f, CS %s %%", s.Metrics.RS, s.Metrics.ObstacleSafe, percentages(s.Metrics.CS))
		views = append(views, v)
	}
	if len(views) == 0 {
		return nil, fmt.Errorf("none of %s gave a result", strings.Join(methods, ", "))
	}
	return views, nil
}

func newPlotGammaCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "gamma DIR",
		Short: "Measures against the coupling strength, from the cells of an evaluation",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			results, err := navigation.ReadResults(args[0])
			if err != nil {
				return err
			}
			f, err := gammaFigure(results)
			if err != nil {
				return err
			}
			return saveFigure(cmd.OutOrStdout(), f, out)
		},
	}
	figureFlag(c, &out, "gamma.png")
	return c
}

// gammaMeasures are the columns of the figure on coupling strengths.
var gammaMeasures = []struct {
	name string
	of   func(*navigation.CellResult, navigation.Measures) navigation.Stat
}{
	{"SU", func(_ *navigation.CellResult, m navigation.Measures) navigation.Stat { return m.SU }},
	{"RS", func(_ *navigation.CellResult, m navigation.Measures) navigation.Stat { return m.RS }},
	{"CS, worst robot", satisfied},
	{"DA, worst robot", func(_ *navigation.CellResult, m navigation.Measures) navigation.Stat { return worst(m.DA) }},
	{"obstacle-safe", func(_ *navigation.CellResult, m navigation.Measures) navigation.Stat { return m.ObstacleSafe }},
}

// satisfied returns the smallest rate of satisfied constraints. Certified rates have no
// interval: they are no estimates.
func satisfied(r *navigation.CellResult, m navigation.Measures) navigation.Stat {
	s := worst(m.CS)
	if r.Certified() {
		s.Lo, s.Hi = s.Mean, s.Mean
	}
	return s
}

func worst(s []navigation.Stat) navigation.Stat {
	return slices.MinFunc(s, func(a, b navigation.Stat) int { return cmp.Compare(a.Mean, b.Mean) })
}

// gammaFigure has a row for every map, number of robots and kind of coupling,
// and in it a line for every method and limit.
func gammaFigure(results map[string]*navigation.CellResult) (*render.Figure, error) {
	rows := gammaRows(results)
	if len(rows) == 0 {
		return nil, fmt.Errorf("no cell couples robots: run \"pcd eval nav2d --methods pcd-shd --gammas 0.05,0.1,0.2,0.4\" first")
	}
	var axes []render.Axes
	var curves [][]render.Curve
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		for _, m := range gammaMeasures {
			axes = append(axes, render.Axes{Title: row, X: "γ", Y: m.name, LogX: true, YRange: [2]float64{-0.02, 1.02}})
			curves = append(curves, gammaCurves(rows[row], m.of))
		}
	}
	return render.CurveGrid(len(gammaMeasures), axes, curves), nil
}

// gammaRows sorts the coupled cells by the row of the figure and the line in it.
func gammaRows(results map[string]*navigation.CellResult) map[string]map[string][]*navigation.CellResult {
	rows := map[string]map[string][]*navigation.CellResult{}
	for _, r := range results {
		c := r.Cell
		if c.Gamma == 0 {
			continue
		}
		row := fmt.Sprintf("%s, %d robots, %s", c.Map, c.Robots, c.Method.Coupling())
		line := string(c.Method)
		if c.Limit > 0 {
			line += fmt.Sprintf(" ≤ %g", c.Limit)
		}
		if rows[row] == nil {
			rows[row] = map[string][]*navigation.CellResult{}
		}
		rows[row][line] = append(rows[row][line], r)
	}
	return rows
}

// gammaCurves returns the lines of a panel by method, then from the tightest limit
// to the loosest.
func gammaCurves(lines map[string][]*navigation.CellResult, of func(*navigation.CellResult, navigation.Measures) navigation.Stat) []render.Curve {
	var curves []render.Curve
	for _, name := range slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		x, y := lines[a][0].Cell, lines[b][0].Cell
		return cmp.Or(cmp.Compare(x.Method, y.Method), cmp.Compare(x.Limit, y.Limit))
	}) {
		curves = append(curves, gammaCurve(name, lines[name], of))
	}
	return curves
}

func gammaCurve(name string, cells []*navigation.CellResult, of func(*navigation.CellResult, navigation.Measures) navigation.Stat) render.Curve {
	slices.SortFunc(cells, func(a, b *navigation.CellResult) int { return cmp.Compare(a.Cell.Gamma, b.Cell.Gamma) })
	c := render.Curve{Name: name}
	for _, r := range cells {
		m, ok := r.Limit(r.Cell.Limits[0])
		if !ok {
			continue
		}
		s := of(r, m)
		c.X, c.Y, c.Lo, c.Hi = append(c.X, r.Cell.Gamma), append(c.Y, s.Mean), append(c.Lo, s.Lo), append(c.Hi, s.Hi)
	}
	return c
}

func newPlotRuntimeCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "runtime FILE",
		Short: "Time against the number of robots, from \"pcd bench plan --json\"",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			var s benchPlanSummary
			if err := json.Unmarshal(data, &s); err != nil {
				return fmt.Errorf("%s is not the output of \"pcd bench plan --json\": %w", args[0], err)
			}
			if len(s.Rows) == 0 {
				return fmt.Errorf("%s holds no rows", args[0])
			}
			return saveFigure(cmd.OutOrStdout(), runtimeFigure(s), out)
		},
	}
	figureFlag(c, &out, "runtime.png")
	return c
}

// runtimeFigure shows the time of the methods, and where that of the last goes.
func runtimeFigure(s benchPlanSummary) *render.Figure {
	totals := map[plan.Method]*render.Curve{}
	var order []plan.Method
	for _, r := range s.Rows {
		if totals[r.Method] == nil {
			totals[r.Method] = &render.Curve{Name: string(r.Method)}
			order = append(order, r.Method)
		}
		c := totals[r.Method]
		c.X, c.Y = append(c.X, float64(r.Robots)), append(c.Y, r.Seconds.Total)
	}
	var lines []render.Curve
	for _, m := range order {
		lines = append(lines, *totals[m])
	}
	last := order[len(order)-1]
	parts := []render.Curve{{Name: "model"}, {Name: "coupling"}, {Name: "projection"}, {Name: "other"}}
	for _, r := range s.Rows {
		if r.Method != last {
			continue
		}
		for i, v := range []float64{r.Seconds.Model, r.Seconds.Coupling, r.Seconds.Projection, r.Seconds.Other} {
			if v > 0 {
				parts[i].X, parts[i].Y = append(parts[i].X, float64(r.Robots)), append(parts[i].Y, v)
			}
		}
	}
	return render.CurveGrid(2, []render.Axes{
		{Title: fmt.Sprintf("%d joint samples", s.Spec.Samples), X: "robots", Y: "seconds", LogX: true, LogY: true},
		{Title: "parts of " + string(last), X: "robots", Y: "seconds", LogX: true, LogY: true},
	}, [][]render.Curve{lines, slices.DeleteFunc(parts, func(c render.Curve) bool { return len(c.X) == 0 })})
}
