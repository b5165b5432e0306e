package manipulation

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/push"
)

// publishedTable is the table of the paper's appendix as transcribed.
//
//go:embed published.csv
var publishedTable string

type publishedKey struct {
	limit  float64
	method push.Method
}

// Published returns the published row of a limit and method.
func Published(limit float64, method push.Method) (Measures, bool) {
	m, ok := published()[publishedKey{limit, method}]
	return m, ok
}

// published parses the transcribed table.
func published() map[publishedKey]Measures {
	rows, err := csv.NewReader(strings.NewReader(publishedTable)).ReadAll()
	if err != nil {
		panic(err) // part of the program
	}
	out := make(map[publishedKey]Measures, len(rows))
	for _, r := range rows[1:] {
		cs, tc := known(r[6], r[7]), known(r[8], r[9])
		out[publishedKey{numbers(r[0])[0], push.Method(r[1])}] = Measures{
			DTW: known(r[2], r[3])[0], DFD: known(r[4], r[5])[0], CS: [2]Stat(cs), TC: [2]Stat(tc),
			Completed: Stat{Mean: (tc[0].Mean + tc[1].Mean) / 2},
		}
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

// Table is the table of a speed limit with ours beside the published one.
type Table struct {
	Limit float64 `json:"limit"`
	Rows  []Row   `json:"rows"`
}

// Title names a table.
func (t Table) Title() string { return fmt.Sprintf("PushT, speed limit %g", t.Limit) }

// Row compares one method.
type Row struct {
	Method     push.Method `json:"method"`
	Gamma      float64     `json:"gamma,omitempty"`
	Scale      push.Scale  `json:"gamma_scale,omitempty"`
	Preset     string      `json:"preset,omitempty"`
	Steps      int         `json:"sampling_steps,omitempty"`
	Conditions int         `json:"conditions"` // of ours
	Pairs      int         `json:"pairs"`
	Ours       *Measures   `json:"ours"`      // nil when the cell is not there
	Published  *Measures   `json:"published"` // nil when the paper has no such row
	Certified  bool        `json:"certified"`
	// Difference is ours less the published means.
	Difference *Difference `json:"difference,omitempty"`
}

// Difference is the difference of two rows, with CS and TC of both members
// together.
type Difference struct {
	DTW float64 `json:"dtw"`
	DFD float64 `json:"dfd"`
	CS  float64 `json:"cs"`
	TC  float64 `json:"tc"`
}

// Tables builds the tables that the results of a directory fill, the lowest limit
// first. Methods without results have a row with the published one alone.
func Tables(results map[string]*CellResult) []Table {
	var limits []float64
	for _, r := range results {
		limits = append(limits, r.Cell.Limits...)
	}
	slices.Sort(limits)
	var out []Table
	for _, limit := range slices.Compact(limits) {
		t := Table{Limit: limit}
		for _, m := range push.Methods() {
			t.Rows = append(t.Rows, rowsOf(results, m, limit)...)
		}
		out = append(out, t)
	}
	return out
}

// rowsOf returns the row of a method, or several when it was run with several
// strengths or numbers of steps.
func rowsOf(results map[string]*CellResult, method push.Method, limit float64) []Row {
	var rows []Row
	for _, r := range results {
		m, ok := r.Limit(limit)
		if c := r.Cell; c.Method == method && ok {
			judged := r.balanced()
			rows = append(rows, Row{
				Method: method, Gamma: c.Gamma, Scale: scaleOf(c), Preset: c.Preset, Steps: c.Steps, Conditions: len(judged), Pairs: len(judged[0]),
				Ours: &m, Certified: r.Certified(),
			})
		}
	}
	if len(rows) == 0 {
		rows = []Row{{Method: method}}
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Or(cmp.Compare(a.Gamma, b.Gamma), cmp.Compare(a.Steps, b.Steps)) })
	if p, ok := Published(limit, method); ok {
		for i := range rows {
			rows[i].Published, rows[i].Difference = &p, difference(rows[i].Ours, &p)
		}
	}
	return rows
}

// scaleOf returns the convention of a cell's strength, "" when it has none.
func scaleOf(c Cell) push.Scale {
	settings, err := push.SettingsByName(c.Preset)
	if err != nil || c.Gamma == 0 {
		return ""
	}
	return settings.ScaleOf(c.Method)
}

func difference(ours, published *Measures) *Difference {
	if ours == nil {
		return nil
	}
	both := func(s [2]Stat) float64 { return (s[0].Mean + s[1].Mean) / 2 }
	return &Difference{
		DTW: ours.DTW.Mean - published.DTW.Mean, DFD: ours.DFD.Mean - published.DFD.Mean,
		CS: both(ours.CS) - both(published.CS), TC: both(ours.TC) - both(published.TC),
	}
}
