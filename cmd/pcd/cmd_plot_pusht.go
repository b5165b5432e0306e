package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/experiment/manipulation"
	"github.com/go-pcd/pcd/render"
)

func newPlotPushTCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "pusht",
		Short: "Coupling strengths, sampling steps, reward over time",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(
		newPlotPushTFigure("gamma", "Measures against the coupling strength", pushTGammaFigure),
		newPlotPushTFigure("steps", "Measures against the number of sampling steps", pushTStepsFigure),
		newPlotPushTFigure("coverage", "Mean reward over the steps of an episode", pushTCoverageFigure),
	)
	requireKnownArguments(c)
	return c
}

func newPlotPushTFigure(name, short string, draw func(map[string]*manipulation.CellResult) (*render.Figure, error)) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   name + " DIR",
		Short: short + ", from the cells of an evaluation",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			results, err := manipulation.ReadResults(args[0])
			if err != nil {
				return err
			}
			f, err := draw(results)
			if err != nil {
				return err
			}
			return saveFigure(cmd.OutOrStdout(), f, out)
		},
	}
	figureFlag(c, &out, name+".png")
	return c
}

// pushTMeasures are the columns of the figures.
var pushTMeasures = []struct {
	name string
	rate bool // between 0 and 1
	of   func(*manipulation.CellResult, manipulation.Measures) manipulation.Stat
}{
	{"DTW", false, func(_ *manipulation.CellResult, m manipulation.Measures) manipulation.Stat { return m.DTW }},
	{"DFD", false, func(_ *manipulation.CellResult, m manipulation.Measures) manipulation.Stat { return m.DFD }},
	{"CS, worse member", true, worseMember},
	{"TC, both members", true, func(_ *manipulation.CellResult, m manipulation.Measures) manipulation.Stat { return m.Completed }},
}

// worseMember returns the smaller rate of satisfied constraints. Certified rates have no
// interval: they are no estimates.
func worseMember(r *manipulation.CellResult, m manipulation.Measures) manipulation.Stat {
	s := slices.MinFunc(m.CS[:], func(a, b manipulation.Stat) int { return cmp.Compare(a.Mean, b.Mean) })
	if r.Certified() {
		s.Lo, s.Hi = s.Mean, s.Mean
	}
	return s
}

// pushTGrid draws every measure of the chosen cells against x, with one line for
// each name.
func pushTGrid(results map[string]*manipulation.CellResult, xName string, logX bool, line func(manipulation.Cell) (name string, x float64)) *render.Figure {
	lines := map[string][]*manipulation.CellResult{}
	at := func(r *manipulation.CellResult) float64 { _, x := line(r.Cell); return x }
	for _, r := range results {
		if name, _ := line(r.Cell); name != "" {
			lines[name] = append(lines[name], r)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		x, y := lines[a][0].Cell, lines[b][0].Cell
		return cmp.Or(cmp.Compare(x.Method, y.Method), cmp.Compare(x.Limit, y.Limit), cmp.Compare(a, b))
	})
	var axes []render.Axes
	var curves [][]render.Curve
	for _, m := range pushTMeasures {
		a := render.Axes{X: xName, Y: m.name, LogX: logX}
		if m.rate {
			a.YRange = [2]float64{-0.02, 1.02}
		}
		axes = append(axes, a)
		var all []render.Curve
		for _, name := range names {
			cells := lines[name]
			slices.SortFunc(cells, func(a, b *manipulation.CellResult) int { return cmp.Compare(at(a), at(b)) })
			c := render.Curve{Name: name}
			for _, r := range cells {
				if measures, ok := r.Limit(r.Cell.Limits[0]); ok {
					s := m.of(r, measures)
					c.X, c.Y, c.Lo, c.Hi = append(c.X, at(r)), append(c.Y, s.Mean), append(c.Lo, s.Lo), append(c.Hi, s.Hi)
				}
			}
			all = append(all, c)
		}
		curves = append(curves, all)
	}
	return render.CurveGrid(2, axes, curves)
}

// lineName names a method with its limit.
func lineName(c manipulation.Cell) string {
	if c.Limit > 0 {
		return fmt.Sprintf("%s ≤ %g", c.Method, c.Limit)
	}
	return string(c.Method)
}

func pushTGammaFigure(results map[string]*manipulation.CellResult) (*render.Figure, error) {
	f := pushTGrid(results, "γ", true, func(c manipulation.Cell) (string, float64) {
		if c.Gamma == 0 {
			return "", 0
		}
		return lineName(c), c.Gamma
	})
	if f == nil {
		return nil, fmt.Errorf("no cell couples pairs: run \"pcd eval pusht --methods cd-dpp,pcd-dpp --gammas 0.02,0.1,0.5\" first")
	}
	return f, nil
}

func pushTStepsFigure(results map[string]*manipulation.CellResult) (*render.Figure, error) {
	f := pushTGrid(results, "sampling steps", true, func(c manipulation.Cell) (string, float64) {
		if c.Steps == 0 {
			return "", 0
		}
		name := lineName(c)
		if c.Adjacent {
			name += ", adjacent"
		}
		return name, float64(c.Steps)
	})
	if f == nil {
		return nil, fmt.Errorf("no cell has its own number of sampling steps: run \"pcd eval pusht --sampling-steps 15,20,30\" first")
	}
	return f, nil
}

func pushTCoverageFigure(results map[string]*manipulation.CellResult) (*render.Figure, error) {
	var curves []render.Curve
	for _, name := range slices.Sorted(maps.Keys(results)) {
		r := results[name]
		c := render.Curve{Name: name[len("pusht-"):]}
		for k, v := range r.Coverage {
			c.X, c.Y = append(c.X, float64(k+1)/pusht.ActionsPerSecond), append(c.Y, v)
		}
		curves = append(curves, c)
	}
	return render.Curves(render.Axes{Title: "PushT", X: "seconds", Y: "mean reward", YRange: [2]float64{-0.02, 1.02}}, curves...), nil
}
