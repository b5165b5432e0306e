package pusht

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/render"
)

// figures are those that results can be drawn as.
var figures = []experiment.Figure[*CellResult]{
	{Name: "gamma", Short: "Measures against the coupling strength", Draw: grid("γ", placeByGamma,
		`no cell couples pairs: run "pcd eval pusht --methods cd-dpp,pcd-dpp --gammas 0.02,0.1,0.5" first`)},
	{Name: "steps", Short: "Measures against the number of sampling steps", Draw: grid("sampling steps", placeBySteps,
		`no cell has its own number of sampling steps: run "pcd eval pusht --sampling-steps 15,20,30" first`)},
	{Name: "coverage", Short: "Mean reward over the steps of an episode", Draw: coverageFigure},
}

// grid draws every measure against x.
func grid(x string, place func(*CellResult) (experiment.Place, bool), empty string) func(map[string]*CellResult, experiment.FigureOptions) (*render.Figure, error) {
	return experiment.Grid[*CellResult]{X: x, LogX: true, Columns: 2, Place: place, Empty: empty, Measures: []experiment.Measure[*CellResult]{
		{Key: "dtw", Name: "DTW", Of: atLimit(func(_ *CellResult, m Measures) experiment.Stat { return m.DTW })},
		{Key: "dfd", Name: "DFD", Of: atLimit(func(_ *CellResult, m Measures) experiment.Stat { return m.DFD })},
		{Key: "cs", Name: "CS, worse member", Rate: true, Of: atLimit(satisfied)},
		{Key: "tc", Name: "TC, both members", Rate: true, Of: atLimit(func(_ *CellResult, m Measures) experiment.Stat { return m.Completed })},
	}}.Draw
}

// atLimit is a measure at the first limit of a cell.
func atLimit(of func(*CellResult, Measures) experiment.Stat) func(*CellResult) (experiment.Stat, bool) {
	return func(r *CellResult) (experiment.Stat, bool) {
		m, ok := r.Limit(r.Cell.Limits[0])
		if !ok {
			return experiment.Stat{}, false
		}
		return of(r, m), true
	}
}

// satisfied returns the smaller rate of satisfied constraints. Certified rates have no
// interval: they are no estimates.
func satisfied(r *CellResult, m Measures) experiment.Stat {
	s := experiment.Smallest(m.CS[:])
	if r.Certified() {
		return s.Certain()
	}
	return s
}

func placeByGamma(r *CellResult) (experiment.Place, bool) {
	c := r.Cell
	return experiment.Place{Method: string(c.Method), Limit: c.Limit, X: c.Gamma, Variant: c.Sampler}, c.Gamma != 0
}

func placeBySteps(r *CellResult) (experiment.Place, bool) {
	c := r.Cell
	p := experiment.Place{Method: string(c.Method), Limit: c.Limit, X: float64(c.Steps), Variant: c.Sampler}
	if c.Adjacent { // with the published sampler alone
		p.Variant = "adjacent"
	}
	return p, c.Steps != 0
}

func coverageFigure(results map[string]*CellResult, _ experiment.FigureOptions) (*render.Figure, error) {
	var curves []render.Curve
	for _, name := range slices.Sorted(maps.Keys(results)) {
		c := render.Curve{Name: strings.TrimPrefix(name, namePrefix)}
		for k, v := range results[name].Coverage {
			c.X, c.Y = append(c.X, float64(k+1)/pusht.ActionsPerSecond), append(c.Y, v)
		}
		if len(c.X) > 0 {
			curves = append(curves, c)
		}
	}
	if len(curves) == 0 {
		return nil, &experiment.SpecError{Err: errors.New("no cell has finished pairs")}
	}
	return render.Curves(render.Axes{Title: "PushT", X: "seconds", Y: "mean reward", YRange: [2]float64{-0.02, 1.02}}, curves...), nil
}
