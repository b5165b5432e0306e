package pusht

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/push"
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
var published = sync.OnceValue(func() map[publishedKey]Measures {
	out := map[publishedKey]Measures{}
	for _, r := range experiment.ReadPublished(publishedTable) {
		cs, tc := r.Stats(6, 7), r.Stats(8, 9)
		out[publishedKey{r.Number(0), push.Method(r[1])}] = Measures{
			DTW: r.Stat(2, 3), DFD: r.Stat(4, 5), CS: [2]experiment.Stat(cs), TC: [2]experiment.Stat(tc),
			Completed: experiment.Stat{Mean: experiment.AverageMean(tc)},
		}
	}
	return out
})

// columns are those of the tables.
var columns = []experiment.Column[Measures]{
	{Key: "dtw", Header: "DTW", Of: func(m Measures) []experiment.Stat { return []experiment.Stat{m.DTW} }, Overall: experiment.AverageMean,
		Scale: 1, Format: "%.2f", Difference: "%+.2f", Spread: true},
	{Key: "dfd", Header: "DFD", Of: func(m Measures) []experiment.Stat { return []experiment.Stat{m.DFD} }, Overall: experiment.AverageMean,
		Scale: 1, Format: "%.3f", Difference: "%+.3f", Spread: true},
	{Key: "cs", Header: "CS %", Of: func(m Measures) []experiment.Stat { return m.CS[:] }, Overall: experiment.AverageMean,
		Scale: 100, Format: "%.3g", Difference: "%+.1f", Guaranteed: true},
	{Key: "tc", Header: "TC", Of: func(m Measures) []experiment.Stat { return m.TC[:] }, Overall: experiment.AverageMean,
		Scale: 1, Format: "%.3f", Difference: "%+.3f", Interval: func(m Measures) experiment.Stat { return m.Completed }},
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
	Sampler    string      `json:"sampler,omitempty"`
	Steps      int         `json:"sampling_steps,omitempty"`
	Conditions int         `json:"conditions"` // of ours
	Pairs      int         `json:"pairs"`
	adjacent   bool        // respaced with the slip of the reference code: after the row without
	experiment.Comparison[Measures]
}

// Tables builds the tables that the results of a directory fill, the lowest limit
// first. Methods without results have a row with the published one alone.
func Tables(results map[string]*CellResult) []Table {
	var out []Table
	for _, limit := range experiment.Distinct(results, (*CellResult).limits) {
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
		c := r.Cell
		if c.Method != method {
			continue
		}
		if m, ok := r.Limit(limit); ok {
			judged, certified := r.balanced(), r.Certified()
			rows = append(rows, Row{
				Method: method, Gamma: c.Gamma, Scale: scaleOf(c), Preset: c.Preset, Sampler: c.Sampler, Steps: c.Steps, Conditions: len(judged), Pairs: len(judged[0]), adjacent: c.Adjacent,
				Comparison: experiment.Comparison[Measures]{Ours: &m, Certified: &certified},
			})
		}
	}
	if len(rows) == 0 {
		rows = []Row{{Method: method, Comparison: experiment.Comparison[Measures]{Certified: new(bool)}}}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Gamma, b.Gamma), cmp.Compare(a.Sampler, b.Sampler), cmp.Compare(a.Steps, b.Steps), cmp.Compare(number(a.adjacent), number(b.adjacent)))
	})
	if p, ok := Published(limit, method); ok {
		for i := range rows {
			experiment.Compare(&rows[i].Comparison, p, columns)
		}
	}
	return rows
}

// number is 1 for true.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scaleOf returns the convention of a cell's strength, "" when it has none.
func scaleOf(c Cell) push.Scale {
	settings, err := push.SettingsByName(c.Preset)
	if err != nil || c.Gamma == 0 {
		return ""
	}
	return settings.ScaleOf(c.Method)
}

// report makes what is printed of results.
func report(results map[string]*CellResult) (experiment.Report, error) {
	data := struct {
		Tables    []Table         `json:"tables"`
		Quantiles []SpeedQuantile `json:"quantiles,omitempty"`
	}{Tables(results), quantiles(results)}
	out := experiment.Report{Data: data, Footer: footer(data.Quantiles)}
	for _, t := range data.Tables {
		v := experiment.NewView(t.Title(), []string{"method", "γ"}, columns)
		for _, r := range t.Rows {
			experiment.AddRow(&v, r.labels(), fmt.Sprintf("%d × %s", r.Conditions, plural.Of(r.Pairs, "pair")), r.Comparison, columns)
		}
		out.Views = append(out.Views, v)
	}
	return out, nil
}

// labels say what a row is of.
func (r Row) labels() []string {
	name := string(r.Method)
	if r.Sampler != "" {
		name += ", " + r.Sampler
	}
	if r.Steps > 0 {
		name += ", " + plural.Of(r.Steps, "step")
	}
	gamma := experiment.Strength(r.Gamma)
	if gamma != "" {
		gamma = strings.Replace(string(r.Scale), "gamma", gamma, 1)
	}
	return []string{name, gamma}
}
