package navigation

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/env/nav2d"
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
func published() map[publishedKey]Measures {
	rows, err := csv.NewReader(strings.NewReader(publishedTables)).ReadAll()
	if err != nil {
		panic(err) // part of the program
	}
	out := make(map[publishedKey]Measures, len(rows))
	for _, r := range rows[1:] {
		robots, _ := strconv.Atoi(r[1])
		key := publishedKey{r[0], robots, plan.Method(r[3]), numbers(r[2])[0]}
		m := Measures{SU: known(r[4], r[5])[0], RS: known(r[6], r[7])[0], CS: known(r[8], r[9]), DA: known(r[10], r[11])}
		out[key] = m
	}
	return out
}

// known pairs means with standard deviations; published numbers have no interval.
func known(means, stds string) []Stat {
	var out []Stat
	s := numbers(stds)
	for i, m := range numbers(means) {
		out = append(out, Stat{Mean: m, Std: s[i], Lo: m, Hi: m})
	}
	return out
}

func numbers(s string) []float64 {
	var out []float64
	for _, f := range strings.Fields(s) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			panic(err) // part of the program
		}
		out = append(out, v)
	}
	return out
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
	Method    plan.Method `json:"method"`
	Gamma     float64     `json:"gamma,omitempty"`
	Trials    int         `json:"trials"`    // of ours
	Ours      *Measures   `json:"ours"`      // nil when the cell is not finished
	Published *Measures   `json:"published"` // nil when the paper has no such row
	Certified *bool       `json:"certified,omitempty"`
	// Difference is ours less the published mean: SU, RS, the smallest CS and DA
	// over the robots.
	Difference *Difference `json:"difference,omitempty"`
}

// Difference is the difference of two rows.
type Difference struct {
	SU float64 `json:"su"`
	RS float64 `json:"rs"`
	CS float64 `json:"cs"`
	DA float64 `json:"da"`
}

// Tables builds the tables that the results of a directory fill: by map and
// number of robots, the loosest limit first.
func Tables(results map[string]*CellResult) []Table {
	var out []Table
	for _, m := range nav2d.Maps() {
		for _, robots := range robotNumbers(results, m.Name) {
			for _, limit := range limitsOf(results, m.Name, robots) {
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

func robotNumbers(results map[string]*CellResult, mapName string) []int {
	var out []int
	for _, r := range results {
		if r.Cell.Map == mapName && !slices.Contains(out, r.Cell.Robots) {
			out = append(out, r.Cell.Robots)
		}
	}
	slices.Sort(out)
	return out
}

func limitsOf(results map[string]*CellResult, mapName string, robots int) []float64 {
	var out []float64
	for _, r := range results {
		if r.Cell.Map != mapName || r.Cell.Robots != robots {
			continue
		}
		for _, l := range r.Cell.Limits {
			if !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// methodsOf returns the published methods and any others that there are results
// of.
func methodsOf(results map[string]*CellResult) []plan.Method {
	out := tableMethods()
	for _, m := range plan.Methods() {
		used := false
		for _, r := range results {
			used = used || r.Cell.Method == m
		}
		if used && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// rowsOf returns the row of a method, or several when it was run with several
// strengths.
func rowsOf(results map[string]*CellResult, mapName string, robots int, method plan.Method, limit float64) []Row {
	var rows []Row
	publishedRow, hasPublished := Published(mapName, robots, method, limit)
	for _, r := range results {
		c := r.Cell
		if c.Map != mapName || c.Robots != robots || c.Method != method || c.Limit > 0 && c.Limit != limit {
			continue
		}
		if m, ok := r.Limit(limit); ok {
			row := Row{Method: method, Gamma: c.Gamma, Trials: r.Trials, Ours: &m}
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
	slices.SortFunc(rows, func(a, b Row) int { return compare(a.Gamma, b.Gamma) })
	for i := range rows {
		if hasPublished {
			rows[i].Published = &publishedRow
			rows[i].Difference = difference(rows[i].Ours, &publishedRow)
		}
	}
	return rows
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func difference(ours, published *Measures) *Difference {
	if ours == nil {
		return nil
	}
	return &Difference{
		SU: ours.SU.Mean - published.SU.Mean, RS: ours.RS.Mean - published.RS.Mean,
		CS: smallest(ours.CS) - smallest(published.CS), DA: smallest(ours.DA) - smallest(published.DA),
	}
}

// smallest returns the smallest mean, which is what the main text tabulates.
func smallest(s []Stat) float64 {
	least := math.Inf(1)
	for _, v := range s {
		least = min(least, v.Mean)
	}
	return least
}

// Title names a table.
func (t Table) Title() string {
	return fmt.Sprintf("%s, %d robots, speed limit %g", t.Map, t.Robots, t.Limit)
}
