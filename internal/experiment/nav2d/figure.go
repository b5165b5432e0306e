package nav2d

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/plural"
)

// GammaGrid is the figure on coupling strengths. It has a row for every map, number of robots and kind of coupling, and in
// it a line for every method and limit.
var GammaGrid = experiment.Grid[*CellResult]{
	X: "γ", LogX: true,
	Measures: []experiment.Measure[*CellResult]{
		measure("su", "SU", func(m Measures) experiment.Stat { return m.SU }),
		measure("rs", "RS", func(m Measures) experiment.Stat { return m.RS }),
		{Key: "cs", Name: "CS, worst robot", Rate: true, Of: satisfied},
		measure("da", "DA, worst robot", func(m Measures) experiment.Stat { return experiment.Smallest(m.DA) }),
		measure("clear", "obstacle-safe", func(m Measures) experiment.Stat { return m.ObstacleSafe }),
	},
	Shown: []string{"rs", "da", "clear"},
	Place: placeByGamma,
	Group: func(r *CellResult) string { return r.Cell.Map },
	Empty: `no cell couples robots: run "pcd eval nav2d --methods pcd-shd --gammas 0.05,0.1,0.2,0.4" first`,
}

var gammaFigure = experiment.Figure[*CellResult]{
	Name: "gamma", Short: "Measures against the coupling strength, by map", Draw: GammaGrid.Draw,
}

// measure is one of rates at the first limit of a cell.
func measure(key, name string, of func(Measures) experiment.Stat) experiment.Measure[*CellResult] {
	return experiment.Measure[*CellResult]{Key: key, Name: name, Rate: true, Of: func(r *CellResult) (experiment.Stat, bool) {
		m, ok := r.Limit(r.Cell.Limits[0])
		if !ok {
			return experiment.Stat{}, false
		}
		return of(m), true
	}}
}

// satisfied returns the smallest rate of satisfied constraints. Certified rates have
// no interval: they are no estimates.
func satisfied(r *CellResult) (experiment.Stat, bool) {
	m, ok := r.Limit(r.Cell.Limits[0])
	if !ok {
		return experiment.Stat{}, false
	}
	s := experiment.Smallest(m.CS)
	if r.Certified() {
		s = s.Certain()
	}
	return s, true
}

// placeByGamma places the cells that couple: by method, then from the tightest limit
// to the loosest.
func placeByGamma(r *CellResult) (experiment.Place, bool) {
	c := r.Cell
	return experiment.Place{
		Row:    fmt.Sprintf("%s, %s, %s", c.Map, plural.Of(c.Robots, "robot"), c.Method.Coupling()),
		Method: string(c.Method), Limit: c.Limit, X: c.Gamma,
	}, c.Gamma != 0
}
