package images

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/terminal"
)

// Claim is a published ordering of two rows, with ours.
type Claim struct {
	Exemplars int    `json:"exemplars"`
	Same      Same   `json:"same,omitempty"` // whose exemplars both images have
	Measure   string `json:"measure"`        // key of the column
	More      string `json:"more"`           // row with the larger number, as published
	Less      string `json:"less"`
	// Ours is the difference of the rows, with its interval; the mean of both images.
	Ours      experiment.Stat `json:"ours"`
	Published *float64        `json:"published"` // nil where the paper has no number
	Verdict   Verdict         `json:"verdict"`
}

// Verdict says whether an ordering was found.
type Verdict string

// The verdicts, by the interval of the difference.
const (
	Holds     Verdict = "holds"       // all of it is above 0
	Open      Verdict = "open"        // 0 lies in it
	Contrary  Verdict = "contrary"    // all of it is below 0
	Unsettled Verdict = "no interval" // one seed has none
)

// orderings are those of the published tables: rows of more before rows of less. A key
// of columns where less is better has the worse row first. PCD at the clean estimate,
// which has no published row, is held to what PCD is.
var orderings = []struct {
	measure    string
	more, less []pair.Method
}{
	{"xor", []pair.Method{pair.PCD, pair.PCDPS}, []pair.Method{pair.SD, pair.CNetXS, pair.SDP, pair.Sync, pair.SDC, pair.SDCPrompt}},
	{"gender", []pair.Method{pair.PCD, pair.PCDPS, pair.SDP}, []pair.Method{pair.SD, pair.SDC}},
	{"se_similarity", []pair.Method{pair.PCD, pair.PCDPS, pair.SDP}, []pair.Method{pair.SD, pair.SDC}},
	{"se_distance", []pair.Method{pair.SD, pair.SDC}, []pair.Method{pair.PCD, pair.PCDPS, pair.SDP}},
	{"se_frechet", []pair.Method{pair.SD, pair.SDC}, []pair.Method{pair.PCD, pair.PCDPS, pair.SDP}},
	{"is_distance", []pair.Method{pair.SD}, []pair.Method{pair.PCD, pair.PCDPS}},
	{"is_distance", []pair.Method{pair.PCD, pair.PCDPS}, []pair.Method{pair.SDP}},
}

// Claims compares results with the published orderings: of methods with the strength
// and the noise of the rules, and along strengths and noises of one method.
func Claims(results map[string]*CellResult) []Claim {
	var out []Claim
	for _, n := range experiment.Distinct(results, func(r *CellResult) []int { return []int{r.Cell.Exemplars} }) {
		for _, same := range []Same{OwnExemplars, SameA, SameB} {
			out = append(out, ordered(results, n, same)...)
		}
		gamma, scale := func(c pair.Choices) float64 { return c.Gamma }, func(c pair.Choices) float64 { return c.NoiseScale }
		out = append(out, ascending(results, n, pair.PCD, "xor", gamma, func(c Cell) float64 { return c.NoiseScale })...)
		for _, measure := range []string{"is_distance", "weight_spread"} {
			out = append(out, ascending(results, n, pair.SDP, measure, scale, func(c Cell) float64 { return c.Gamma })...)
		}
	}
	return out
}

// ordered compares the methods with some exemplars in the published orderings.
func ordered(results map[string]*CellResult, exemplars int, same Same) (out []Claim) {
	byRule := map[pair.Method]*CellResult{}
	for _, r := range results {
		if r.Cell.Exemplars == exemplars && r.Cell.Same == same && r.Cell.byRule() {
			byRule[r.Cell.Method] = r
		}
	}
	for _, o := range orderings {
		for _, more := range o.more {
			for _, less := range o.less {
				if c, ok := claimOf(o.measure, byRule[more], byRule[less]); ok {
					out = append(out, c.published(more, less))
				}
			}
		}
	}
	return out
}

// ascending compares every strength of a method with the one before, and the last with the
// first: x of two cells or more that agree in what is fixed.
func ascending(results map[string]*CellResult, exemplars int, m pair.Method, measure string, x func(pair.Choices) float64, fixed func(Cell) float64) (out []Claim) {
	lines := map[float64][]*CellResult{}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		if r := results[name]; r.Cell.Method == m && r.Cell.Exemplars == exemplars && r.Cell.Same == OwnExemplars && len(r.Batches) > 0 {
			lines[fixed(r.Cell)] = append(lines[fixed(r.Cell)], r)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(lines)) {
		line := lines[at]
		slices.SortStableFunc(line, func(a, b *CellResult) int { return cmp.Compare(x(a.Batches[0].Choices), x(b.Batches[0].Choices)) })
		steps := [][2]int{}
		for i := 1; i < len(line); i++ {
			steps = append(steps, [2]int{i, i - 1})
		}
		if len(line) > 2 {
			steps = append(steps, [2]int{len(line) - 1, 0})
		}
		for _, s := range steps {
			if c, ok := claimOf(measure, line[s[0]], line[s[1]]); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// claimOf compares two cells, false when one of them has no results.
func claimOf(measure string, more, less *CellResult) (Claim, bool) {
	if more == nil || less == nil || more.Networks != less.Networks {
		return Claim{}, false
	}
	a, aOK := more.Measures()
	b, bOK := less.Measures()
	if !aOK || !bOK {
		return Claim{}, false
	}
	c := Claim{Exemplars: more.Cell.Exemplars, Same: more.Cell.Same, Measure: measure, More: title(more), Less: title(less)}
	c.Ours = difference(averaged(column(measure).Of(a)), averaged(column(measure).Of(b)))
	switch {
	case !known(c.Ours):
		c.Verdict = Unsettled
	case c.Ours.Lo > 0:
		c.Verdict = Holds
	case c.Ours.Hi < 0:
		c.Verdict = Contrary
	default:
		c.Verdict = Open
	}
	return c, true
}

// published adds the published difference of two methods.
func (c Claim) published(more, less pair.Method) Claim {
	a, aOK := Published(c.Exemplars, more)
	b, bOK := Published(c.Exemplars, less)
	if aOK && bOK {
		d := experiment.AverageMean(column(c.Measure).Of(a)) - experiment.AverageMean(column(c.Measure).Of(b))
		c.Published = &d
	}
	return c
}

// title names a cell with the numbers that it has of its own.
func title(r *CellResult) string {
	out := string(r.Cell.Method)
	if r.Cell.Gamma != 0 {
		out += fmt.Sprintf(", γ %g", r.Cell.Gamma)
	}
	if r.Cell.NoiseScale != 0 {
		out += fmt.Sprintf(", k %g", r.Cell.NoiseScale)
	}
	if r.Cell.SyncWeight != 0 {
		out += fmt.Sprintf(", w %g", r.Cell.SyncWeight)
	}
	if r.Cell.SyncTogether {
		out += ", together"
	}
	return out + r.Cell.Same.note()
}

// column returns the column of a key.
func column(key string) experiment.Column[Measures] {
	all := columnsOf(Networks{})
	return all[slices.IndexFunc(all, func(c experiment.Column[Measures]) bool { return c.Key == key })]
}

// known reports whether a mean has an interval.
func known(s experiment.Stat) bool { return s.Lo <= s.Mean && s.Mean <= s.Hi }

// unknown is an interval that holds no mean: that of an estimate without one.
var unknown = experiment.Stat{Lo: 1, Hi: -1}

// averaged returns the mean of independent means.
func averaged(all []experiment.Stat) experiment.Stat {
	out, n := unknown, float64(len(all))
	out.Mean = experiment.AverageMean(all)
	below, above := 0.0, 0.0
	for _, s := range all {
		if !known(s) {
			return out
		}
		below, above = math.Hypot(below, s.Mean-s.Lo), math.Hypot(above, s.Hi-s.Mean)
	}
	out.Lo, out.Hi = out.Mean-below/n, out.Mean+above/n
	return out
}

// difference returns that of two independent estimates, with an interval from theirs.
//
// Source: Newcombe, "Interval estimation for the difference between independent
// proportions" (Statistics in Medicine 17, 1998), method 10; for any estimates: Zou and
// Donner, "Construction of confidence limits about effect measures" (ibid. 27, 2008).
func difference(a, b experiment.Stat) experiment.Stat {
	d := unknown
	d.Mean = a.Mean - b.Mean
	if !known(a) || !known(b) {
		return d
	}
	d.Lo = d.Mean - math.Hypot(a.Mean-a.Lo, b.Hi-b.Mean)
	d.Hi = d.Mean + math.Hypot(a.Hi-a.Mean, b.Mean-b.Lo)
	return d
}

// claimsView is the table of orderings.
func claimsView(claims []Claim) experiment.View {
	v := experiment.View{Title: "Orderings: the difference of two rows, mean of both images", Header: []string{"exemplars", "measure", "more", "less", "ours", "published", ""}, Labels: 4}
	for _, c := range claims {
		col := column(c.Measure)
		show := func(v float64) string { return fmt.Sprintf(col.Difference, col.Scale*v) }
		ours, published := show(c.Ours.Mean), ""
		if known(c.Ours) {
			ours += " " + terminal.Join(fmt.Sprintf("[%s, %s]", show(c.Ours.Lo), show(c.Ours.Hi)))
		}
		if c.Published != nil {
			published = show(*c.Published)
		}
		v.Lines = append(v.Lines, []string{fmt.Sprint(c.Exemplars), col.Header, c.More, c.Less, ours, published, string(c.Verdict)})
	}
	return v
}
