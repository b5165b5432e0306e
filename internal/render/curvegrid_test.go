package render

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestRowsShareLegends checks which rows of a grid have a legend below and which sets
// keep one of their own.
func TestRowsShareLegends(t *testing.T) {
	set := func(names ...string) (out []Curve) {
		for _, n := range names {
			out = append(out, Curve{Name: n})
		}
		return out
	}
	a, b := set("one", "two"), set("three")
	for _, c := range []struct {
		name    string
		sets    [][]Curve
		shares  []bool   // of each row
		legends []string // first name below each row
	}{
		{"one set", [][]Curve{a}, []bool{false}, []string{""}},
		{"all the same", [][]Curve{a, a, a}, []bool{true, true}, []string{"", "one"}},
		{"row by row", [][]Curve{a, a, b, b}, []bool{true, true}, []string{"one", "three"}},
		{"a row that differs", [][]Curve{a, b, b, b}, []bool{false, true}, []string{"", "three"}},
		{"a change within a row", [][]Curve{a, a, a, b}, []bool{true, false}, []string{"one", ""}},
		{"without names", [][]Curve{set(""), set("")}, []bool{true}, []string{""}},
	} {
		var shares []bool
		var legends []string
		sets := 0
		for _, r := range gridRows(2, c.sets, 100*vg.Centimeter) {
			first := ""
			if len(r.legend) > 0 {
				first = r.legend[0][0].text
			}
			shares, legends, sets = append(shares, r.shares), append(legends, first), sets+len(r.sets)
		}
		if !slices.Equal(shares, c.shares) || !slices.Equal(legends, c.legends) || sets != len(c.sets) {
			t.Errorf("%s: %d sets, rows share %v, legends %q; want %d, %v, %q", c.name, sets, shares, legends, len(c.sets), c.shares, c.legends)
		}
	}
}
