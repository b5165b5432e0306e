package nav2d

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/plan"
)

// publishedTables are the eight tables of the paper's appendix as transcribed.
//
//go:embed published.csv
var publishedTables string

// Published returns the published row of a map, number of robots, method and
// limit.
func Published(mapName string, robots int, method plan.Method, limit float64) (Measures, bool) {
	m, ok := published()[publishedKey{mapName, robots, method, limit}]
	return m, ok
}

type publishedKey struct {
	mapName string
	robots  int
	method  plan.Method
	limit   float64
}

// published parses the transcribed tables.
var published = sync.OnceValue(func() map[publishedKey]Measures {
	out := map[publishedKey]Measures{}
	for _, r := range experiment.ReadPublished(publishedTables) {
		key := publishedKey{r[0], int(r.Number(1)), plan.Method(r[3]), r.Number(2)}
		out[key] = Measures{SU: r.Stat(4, 5), RS: r.Stat(6, 7), CS: r.Stats(8, 9), DA: r.Stats(10, 11)}
	}
	return out
})

// columns are those of the tables. The main text of the paper tabulates the
// smallest of the robots' numbers.
var columns = []experiment.Column[Measures]{
	{Key: "su", Header: "SU %", Of: one(func(m Measures) experiment.Stat { return m.SU }), Overall: experiment.SmallestMean,
		Scale: 100, Format: "%.0f", Difference: "%+.0f", Spread: true},
	{Key: "rs", Header: "RS", Of: one(func(m Measures) experiment.Stat { return m.RS }), Overall: experiment.SmallestMean,
		Scale: 1, Format: "%.3f", Difference: "%+.3f", Spread: true},
	{Key: "cs", Header: "CS %", Of: func(m Measures) []experiment.Stat { return m.CS }, Overall: experiment.SmallestMean,
		Scale: 100, Format: "%.3g", Difference: "%+.1f", Guaranteed: true},
	{Key: "da", Header: "DA", Of: func(m Measures) []experiment.Stat { return m.DA }, Overall: experiment.SmallestMean,
		Scale: 1, Format: "%.3f", Difference: "%+.3f"},
}

// one makes a list of a measure that robots share.
func one(of func(Measures) experiment.Stat) func(Measures) []experiment.Stat {
	return func(m Measures) []experiment.Stat { return []experiment.Stat{of(m)} }
}

// Table is one table of the paper with ours beside it.
type Table struct {
	Map    string  `json:"map"`
	Robots int     `json:"robots"`
	Limit  float64 `json:"limit"`
	Rows   []Row   `json:"rows"`
}

// Row compares one method.
type Row struct {
	Method plan.Method `json:"method"`
	Gamma  float64     `json:"gamma,omitempty"`
	Trials int         `json:"trials"` // of ours
	Variant
	experiment.Comparison[Measures]
}

// Tables builds the tables that results fill: by map and number of robots, the
// loosest limit first.
func Tables(results map[string]*CellResult) []Table {
	var out []Table
	for _, m := range nav2d.Maps() {
		for _, robots := range experiment.Distinct(results, func(r *CellResult) []int {
			return only(r.Cell.Map == m.Name, r.Cell.Robots)
		}) {
			limits := experiment.Distinct(results, func(r *CellResult) []float64 {
				return only(r.Trials > 0 && r.Cell.Map == m.Name && r.Cell.Robots == robots, r.Cell.Limits...)
			})
			slices.Reverse(limits)
			for _, limit := range limits {
				t := Table{Map: m.Name, Robots: robots, Limit: limit}
				for _, method := range methodsOf(results) {
					t.Rows = append(t.Rows, rowsOf(results, m.Name, robots, method, limit)...)
				}
				out = append(out, t)
			}
		}
	}
	return out
}

// only returns values on a condition.
func only[T any](condition bool, values ...T) []T {
	if !condition {
		return nil
	}
	return values
}

// methodsOf returns the published methods and any others that there are results
// of.
func methodsOf(results map[string]*CellResult) []plan.Method {
	used := experiment.Distinct(results, func(r *CellResult) []plan.Method { return []plan.Method{r.Cell.Method} })
	out := tableMethods()
	for _, m := range plan.Methods() {
		if slices.Contains(used, m) && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// rowsOf returns the row of a method, or several when it was run with several
// strengths.
func rowsOf(results map[string]*CellResult, mapName string, robots int, method plan.Method, limit float64) []Row {
	var rows []Row
	for _, r := range results {
		c := r.Cell
		if c.Map != mapName || c.Robots != robots || c.Method != method || c.Limit > 0 && c.Limit != limit {
			continue
		}
		if m, ok := r.Limit(limit); ok {
			row := Row{Method: method, Gamma: c.Gamma, Trials: r.Trials, Variant: c.Variant, Comparison: experiment.Comparison[Measures]{Ours: &m}}
			if method.Projected() {
				certified := r.Certified()
				row.Certified = &certified
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		rows = []Row{{Method: method}}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Gamma, b.Gamma), cmp.Compare(a.Sampler, b.Sampler), -cmp.Compare(a.Steps, b.Steps), strings.Compare(a.Variant.String(), b.Variant.String()))
	})
	if p, ok := Published(mapName, robots, method, limit); ok {
		for i := range rows {
			experiment.Compare(&rows[i].Comparison, p, columns)
		}
	}
	return rows
}

// Title names a table.
func (t Table) Title() string {
	return fmt.Sprintf("%s, %s, speed limit %g", t.Map, plural.Of(t.Robots, "robot"), t.Limit)
}

// report makes what is printed of results.
func report(results map[string]*CellResult) (experiment.Report, error) {
	tables := Tables(results)
	out := experiment.Report{Data: tables}
	for _, t := range tables {
		v := experiment.NewView(t.Title(), []string{"method", "γ"}, columns)
		for _, r := range t.Rows {
			name := string(r.Method)
			if v := r.Variant.String(); v != "" {
				name += " " + v
			}
			labels := []string{name, experiment.Strength(r.Gamma)}
			experiment.AddRow(&v, labels, plural.Of(r.Trials, "trial"), r.Comparison, columns)
		}
		out.Views = append(out.Views, v)
	}
	return out, nil
}
