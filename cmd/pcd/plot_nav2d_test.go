package main

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/experiment/navigation"
	"github.com/go-pcd/pcd/plan"
)

// Limits sort as numbers, strengths too, and a certified rate is no estimate.
func TestGammaCurves(t *testing.T) {
	results := map[string]*navigation.CellResult{}
	for _, c := range []navigation.Cell{
		{Method: plan.PCDSHD, Limit: 10, Gamma: 0.3},
		{Method: plan.PCDSHD, Limit: 10, Gamma: 0.05},
		{Method: plan.PCDSHD, Limit: 8.5, Gamma: 0.3},
		{Method: plan.CDSHD, Gamma: 0.3},
		{Method: plan.Diffuser},
	} {
		c.Map, c.Robots, c.Limits = "empty", 2, []float64{8.5}
		results[c.Name()] = &navigation.CellResult{
			Cell: c, Trials: 3, CertifiedTrials: 3,
			Measures: map[string]navigation.Measures{"8.5": {CS: []navigation.Stat{{Mean: 1, Lo: 1, Hi: 1}, {Mean: 0.9, Lo: 0.4, Hi: 1}}}},
		}
	}
	rows := gammaRows(results)
	if len(rows) != 1 {
		t.Fatalf("%d rows instead of 1, the cells without coupling make none", len(rows))
	}
	for _, row := range rows {
		curves := gammaCurves(row, satisfied)
		var names []string
		for _, c := range curves {
			names = append(names, c.Name)
		}
		if want := []string{"cd-shd", "pcd-shd ≤ 8.5", "pcd-shd ≤ 10"}; !slices.Equal(names, want) {
			t.Fatalf("lines %q, want %q", names, want)
		}
		if x := curves[2].X; !slices.Equal(x, []float64{0.05, 0.3}) {
			t.Errorf("strengths %v", x)
		}
		if c := curves[0]; c.Y[0] != 0.9 || c.Lo[0] != 0.4 || c.Hi[0] != 1 {
			t.Errorf("an estimated rate is %v in [%v, %v]", c.Y, c.Lo, c.Hi)
		}
		if c := curves[1]; c.Lo[0] != 0.9 || c.Hi[0] != 0.9 {
			t.Errorf("a certified rate has the interval [%v, %v]", c.Lo, c.Hi)
		}
	}
}
