package images

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/plural"
)

// publishedTable are both tables of the paper as transcribed.
//
//go:embed published.csv
var publishedTable string

type publishedKey struct {
	exemplars int
	method    pair.Method
}

// Published returns the published row of a method with some exemplars.
func Published(exemplars int, method pair.Method) (Measures, bool) {
	m, ok := published()[publishedKey{exemplars, method}]
	return m, ok
}

// published parses the transcribed tables.
var published = sync.OnceValue(func() map[publishedKey]Measures {
	out := map[publishedKey]Measures{}
	for _, r := range experiment.ReadPublished(publishedTable) {
		out[publishedKey{int(r.Number(0)), pair.Method(r[1])}] = Measures{
			XOR: means(r, 2)[0], Gender: [2]experiment.Stat(means(r, 3)), Similarity: [2]experiment.Stat(r.Stats(4, 5)),
			Distance: [2]experiment.Stat(r.Stats(6, 7)), Frechet: [2]experiment.Stat(means(r, 8)), Diversity: [2]experiment.Stat(r.Stats(9, 10)),
		}
	}
	return out
})

// means returns a field of means that have no deviations.
func means(r experiment.PublishedRow, field int) []experiment.Stat {
	out := r.Stats(field, field)
	for i := range out {
		out[i].Std = 0
	}
	return out
}

// columnsOf returns the columns of tables of what was measured with some networks.
func columnsOf(l Networks) []experiment.Column[Measures] {
	header := func(published, by string) string {
		if by == ByJudge {
			return published + " (ours: by the judge)"
		}
		return published
	}
	average := experiment.AverageMean
	return []experiment.Column[Measures]{
		{Key: "xor", Header: "XOR %", Of: func(m Measures) []experiment.Stat { return []experiment.Stat{m.XOR} }, Overall: average,
			Scale: 100, Format: "%.1f", Difference: "%+.1f", Each: true},
		{Key: "gender", Header: "M / F %", Of: func(m Measures) []experiment.Stat { return m.Gender[:] }, Overall: average,
			Scale: 100, Format: "%.1f", Difference: "%+.1f", Each: true},
		{Key: "se_similarity", Header: header("SE-CLIP", l.Similarity), Of: func(m Measures) []experiment.Stat { return m.Similarity[:] }, Overall: average,
			Scale: 1, Format: "%.3f", Difference: "%+.3f", Spread: true},
		{Key: "se_distance", Header: header("SE-LPIPS", l.Distance), Of: func(m Measures) []experiment.Stat { return m.Distance[:] }, Overall: average,
			Scale: 1, Format: "%.3f", Difference: "%+.3f", Spread: true},
		{Key: "se_frechet", Header: header("SE-FID", l.Frechet), Of: func(m Measures) []experiment.Stat { return m.Frechet[:] }, Overall: average,
			Scale: 1, Format: "%.3g", Difference: "%+.3g", Each: true},
		{Key: "is_distance", Header: header("IS-LPIPS", l.Distance), Of: func(m Measures) []experiment.Stat { return m.Diversity[:] }, Overall: average,
			Scale: 1, Format: "%.3f", Difference: "%+.3f", Spread: true},
		{Key: "weight_spread", Header: "spread of λ", Of: func(m Measures) []experiment.Stat { return m.Spread },
			Scale: 1, Format: "%.3f", Difference: "%+.3f", Each: true, Guaranteed: true},
	}
}

// publishedColumns returns the columns whose numbers can be compared with published ones:
// those that no other network measured. The judge answers in the place of a published
// classifier; its answers are the same questions'.
func publishedColumns(l Networks) (out []experiment.Column[Measures]) {
	for _, c := range columnsOf(l) {
		by := map[string]string{"se_similarity": l.Similarity, "se_distance": l.Distance, "is_distance": l.Distance, "se_frechet": l.Frechet, "weight_spread": ByJudge}[c.Key]
		if by != ByJudge {
			out = append(out, c)
		}
	}
	return out
}

// Table is the table of a number of exemplars with ours beside the published one.
type Table struct {
	Exemplars int      `json:"exemplars"`
	Networks  Networks `json:"lenses"`
	Rows      []Row    `json:"rows"`
}

// Title names a table.
func (t Table) Title() string {
	return fmt.Sprintf("Pairs of images, %d exemplars of each", t.Exemplars)
}

// Row compares one method.
type Row struct {
	Method     pair.Method `json:"method"`
	NoiseScale float64     `json:"noise_scale,omitempty"` // as it was; 0 without results
	Gamma      float64     `json:"gamma,omitempty"`       // likewise, 0 without coupling
	SyncWeight float64     `json:"sync_weight,omitempty"` // of Sync
	Together   bool        `json:"sync_together,omitempty"`
	Rule       bool        `json:"rule"` // all are those of the rules
	Same       Same        `json:"same,omitempty"`
	Seeds      int         `json:"seeds"`
	Pairs      int         `json:"pairs"` // of a seed
	experiment.Comparison[Measures]
}

// Tables builds the tables that results fill, that of the fewest exemplars first.
// Methods without results have a row with the published one alone. Results that were
// measured with different networks have tables of their own.
func Tables(results map[string]*CellResult) []Table {
	var out []Table
	for _, n := range experiment.Distinct(results, func(r *CellResult) []int { return []int{r.Cell.Exemplars} }) {
		for _, l := range networksOf(results, n) {
			t := Table{Exemplars: n, Networks: l}
			for _, m := range pair.Methods() {
				t.Rows = append(t.Rows, rowsOf(results, m, n, l)...)
			}
			out = append(out, t)
		}
	}
	return out
}

// networksOf lists what results of some exemplars were measured with.
func networksOf(results map[string]*CellResult, exemplars int) (out []Networks) {
	for _, r := range results {
		if r.Cell.Exemplars == exemplars && len(r.Batches) > 0 && !slices.Contains(out, r.Networks) {
			out = append(out, r.Networks)
		}
	}
	slices.SortFunc(out, func(a, b Networks) int {
		return cmp.Or(cmp.Compare(a.Similarity, b.Similarity), cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Frechet, b.Frechet))
	})
	return out
}

// rowsOf returns the row of a method, or several when it was run with several strengths
// or noises.
func rowsOf(results map[string]*CellResult, method pair.Method, exemplars int, l Networks) []Row {
	var rows []Row
	for _, r := range results {
		m, ok := r.Measures()
		if c := r.Cell; ok && c.Method == method && c.Exemplars == exemplars && r.Networks == l {
			certified := r.Certified()
			rows = append(rows, Row{
				Method: method, NoiseScale: r.Batches[0].Choices.NoiseScale, Gamma: gammaOf(r), Rule: c.byRule(),
				SyncWeight: r.Batches[0].Choices.SyncWeight, Together: c.SyncTogether, Same: c.Same,
				Seeds: len(r.Batches), Pairs: c.Pairs, Comparison: experiment.Comparison[Measures]{Ours: &m, Certified: &certified},
			})
		}
	}
	p, ok := Published(exemplars, method)
	if len(rows) == 0 {
		if !ok {
			return nil // neither ours nor theirs
		}
		rows = []Row{{Method: method, Comparison: experiment.Comparison[Measures]{Certified: new(bool)}}}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Same, b.Same), cmp.Compare(a.Gamma, b.Gamma), cmp.Compare(a.NoiseScale, b.NoiseScale), cmp.Compare(a.SyncWeight, b.SyncWeight))
	})
	for i := range rows {
		if ok && rows[i].Same == OwnExemplars && (rows[i].Rule || len(rows) == 1) {
			experiment.Compare(&rows[i].Comparison, p, publishedColumns(l))
		}
	}
	return rows
}

// gammaOf returns the strength of a cell with results, 0 for methods that do not couple.
func gammaOf(r *CellResult) float64 {
	if !r.Cell.Method.Coupled() {
		return 0
	}
	return r.Batches[0].Choices.Gamma
}

// report makes what is printed of results.
func report(results map[string]*CellResult) (experiment.Report, error) {
	data := struct {
		Tables  []Table   `json:"tables"`
		Claims  []Claim   `json:"claims"`
		Runtime []Runtime `json:"runtime"`
	}{Tables(results), Claims(results), Runtimes(results)}
	out := experiment.Report{Data: data, Footer: "\n"}
	for _, t := range data.Tables {
		columns := columnsOf(t.Networks)
		v := experiment.NewView(t.Title(), []string{"method", "γ", "k"}, columns)
		for _, r := range t.Rows {
			experiment.AddRow(&v, r.labels(), fmt.Sprintf("%d × %s", r.Seeds, plural.Of(r.Pairs, "pair")), r.Comparison, columns)
		}
		out.Views = append(out.Views, v)
	}
	if len(data.Claims) > 0 {
		out.Views = append(out.Views, claimsView(data.Claims))
	}
	out.Views = append(out.Views, runtimeView(data.Runtime))
	return out, nil
}

// labels say what a row is of.
func (r Row) labels() []string {
	if r.Ours == nil {
		return []string{string(r.Method), "", ""}
	}
	name, gamma := string(r.Method)+r.Same.note(), experiment.Strength(rounded(r.Gamma))
	if r.Together {
		name += ", both move"
	}
	if r.SyncWeight != 0 {
		gamma = fmt.Sprintf("w %g", r.SyncWeight)
	}
	return []string{name, gamma, experiment.Strength(rounded(r.NoiseScale))}
}

// rounded returns a number as labels show it.
func rounded(v float64) float64 {
	const digits = 1000
	return float64(int(v*digits+0.5)) / digits
}
