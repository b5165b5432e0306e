package teams

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/plan"
)

// anchors are published figures, none of which is a matched comparison.
//
//go:embed anchors.csv
var anchors string

// Anchor is a published figure.
type Anchor struct {
	Work     string `json:"work"`
	Task     string `json:"task"`
	Robots   string `json:"robots,omitempty"`
	Reported string `json:"reported"`
	Differs  string `json:"differs"` // what is not comparable
}

// Anchors lists the published figures that tables show for orientation.
func Anchors() (out []Anchor) {
	for _, r := range experiment.ReadPublished(anchors) {
		out = append(out, Anchor{r[0], r[1], r[2], r[3], r[4]})
	}
	return out
}

// data is what JSON shows of results.
type data struct {
	Rows    []Row    `json:"rows"`
	Anchors []Anchor `json:"anchors"`
}

// allMaps is the title of rows that pool the trials of all published maps.
const allMaps = "all maps"

// pooled returns results over all published maps, by number of robots and method; none
// when there is only one map.
func pooled(results map[string]*CellResult) (out []*CellResult) {
	names := experiment.Distinct(results, func(r *CellResult) []string { return only(r.Cell.Map != Ring, r.Cell.Map) })
	if len(names) < 2 {
		return nil
	}
	by := map[string]*CellResult{}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		r := *results[name]
		if r.Cell.Map == Ring || len(r.Trials) == 0 {
			continue
		}
		r.Cell.Map = allMaps
		if all := by[r.Cell.Name()]; all != nil {
			all.Trials = append(all.Trials, r.Trials...)
			continue
		}
		r.Trials = slices.Clone(r.Trials)
		by[r.Cell.Name()], out = &r, append(out, &r)
	}
	return out
}

// only returns a value on a condition.
func only[T any](condition bool, value T) []T {
	if !condition {
		return nil
	}
	return []T{value}
}

// report makes what is printed of results: a table for every map, one of all maps
// together, and the anchors.
func report(results map[string]*CellResult) (experiment.Report, error) {
	d := data{Anchors: Anchors()}
	for _, r := range slices.Concat(slices.Collect(maps.Values(results)), pooled(results)) {
		if len(r.Trials) > 0 {
			d.Rows = append(d.Rows, r.row())
		}
	}
	slices.SortFunc(d.Rows, compareRows)
	out := experiment.Report{Data: d}
	for first := 0; first < len(d.Rows); {
		last := first
		for last < len(d.Rows) && d.Rows[last].Map == d.Rows[first].Map {
			last++
		}
		out.Views = append(out.Views, View(d.Rows[first].Map, d.Rows[first:last]))
		first = last
	}
	v := experiment.View{Title: "Published, for orientation", Header: []string{"work", "task", "robots", "reported", "what is not comparable"}, Labels: 1}
	for _, a := range d.Anchors {
		v.Lines = append(v.Lines, []string{a.Work, a.Task, a.Robots, a.Reported, a.Differs})
	}
	out.Views = append(out.Views, v)
	return out, nil
}

// compareRows orders rows by map, number of robots and method.
func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(mapOrder(a.Map), mapOrder(b.Map)), cmp.Compare(a.Robots, b.Robots), cmp.Compare(methodOrder(a.Method), methodOrder(b.Method)))
}

// mapOrder counts the published maps in their order, all of them together, and the ring.
func mapOrder(name string) int {
	all := nav2d.MapNames()
	if i := slices.Index(all, name); i >= 0 {
		return i
	}
	if name == allMaps {
		return len(all)
	}
	return len(all) + 1
}

// methodOrder puts the methods that keep limits first.
func methodOrder(m plan.Method) int {
	i := slices.Index(plan.Methods(), m)
	if m.Projected() {
		return i - len(plan.Methods())
	}
	return i
}

// View is a table of rows of a map.
func View(title string, rows []Row) experiment.View {
	v := experiment.View{Title: title, Labels: 3, Header: []string{
		"robots", "radius", "method", "certified", "touch nothing", "DA: samples, plans", "moved: mean, most", "path length", "clearance: mean, least", "acceleration",
		"s: median, p99, longest", "of it repair", "processor s", "beyond a repair, or how it ended", "judges differ",
	}}
	for _, r := range rows {
		v.Lines = append(v.Lines, r.line())
	}
	return v
}

func (r Row) line() []string {
	paths := func(text string) string {
		if r.Planned == 0 {
			return "–"
		}
		return text
	}
	return []string{
		fmt.Sprint(r.Robots), fmt.Sprintf("%.3g", r.Radius), string(r.Method), r.Certified.of(r.Trials), r.Free.of(r.Trials),
		paths(joined("%.3f, %.3f", r.Before.Mean, r.After.Mean)), paths(joined("%.3f, %.3f", r.Displacement.Mean, r.Farthest)),
		paths(withInterval(r.Length, "%.3f")), paths(joined("%.2g, %.2g", r.Clearance.Mean, r.Closest)), paths(withInterval(r.Acceleration, "%.2f")),
		joined("%.3f, %.3f, %.3f", r.Median, r.Late, r.Longest), fmt.Sprintf("%.3f", r.Repair), withInterval(r.Processor, "%.3g"),
		r.story(), fmt.Sprint(r.Disagree),
	}
}

// joined is a text that no line is broken in.
func joined(format string, args ...any) string { return terminal.Join(fmt.Sprintf(format, args...)) }

// of shows a share of trials.
func (s Share) of(trials int) string {
	return joined("%d of %d", s.Count, trials) + " " + joined("[%.2f, %.2f]", s.Lo, s.Hi)
}

// withInterval shows a mean, and the interval if there is one.
func withInterval(s experiment.Stat, format string) string {
	out := fmt.Sprintf(format, s.Mean)
	if s.Lo != 0 || s.Hi != 0 {
		out += " " + joined("["+format+", "+format+"]", s.Lo, s.Hi)
	}
	return out
}

// story says what was done beyond repairs, or how searches ended.
func (r Row) story() string {
	parts := append(counted(r.Changes), counted(r.Searches)...)
	if len(parts) == 0 {
		return "–"
	}
	return strings.Join(parts, ", ")
}

func counted[K ~string](counts map[K]int) (out []string) {
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, joined("%d %s", counts[key], key))
	}
	return out
}
