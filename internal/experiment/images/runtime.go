package images

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/terminal"
)

// publishedTimes is the published table of the seconds of a step as transcribed.
//
//go:embed runtime.csv
var publishedTimes string

// Runtime is where the time of a step goes, for all pairs of a seed together.
type Runtime struct {
	Exemplars int         `json:"exemplars"`
	Method    pair.Method `json:"method"`
	Pairs     int         `json:"pairs"`
	Ours      Times       `json:"ours"`      // mean and deviation over the steps of all seeds
	Published *Times      `json:"published"` // 25 pairs of 512 pixels on a graphics card
	// Added is the share of the time that coupling and projection take.
	Added float64 `json:"added_share"`
	cell  string
}

// publishedRuntimes parses the transcribed table.
var publishedRuntimes = sync.OnceValue(func() map[publishedKey]Times {
	out := map[publishedKey]Times{}
	for _, r := range experiment.ReadPublished(publishedTimes) {
		at := func(field int) Moments { return Moments{r.Number(field), r.Number(field + 1)} }
		out[publishedKey{int(r.Number(0)), pair.Method(r[1])}] = Times{Network: at(2), Coupling: at(4), Projection: at(6), Other: at(8), Total: at(10)}
	}
	return out
})

// Runtimes returns the times of all cells with results, in the order of the tables.
func Runtimes(results map[string]*CellResult) []Runtime {
	var out []Runtime
	for _, name := range slices.Sorted(maps.Keys(results)) {
		r := results[name]
		if len(r.Batches) == 0 {
			continue
		}
		t := Runtime{Exemplars: r.Cell.Exemplars, Method: r.Cell.Method, Pairs: r.Cell.Pairs, Ours: r.times(), cell: name}
		if p, ok := publishedRuntimes()[publishedKey{t.Exemplars, t.Method}]; ok {
			t.Published = &p
		}
		if total := t.Ours.Total.Mean; total > 0 {
			t.Added = (t.Ours.Coupling.Mean + t.Ours.Projection.Mean) / total
		}
		out = append(out, t)
	}
	order := pair.Methods()
	slices.SortStableFunc(out, func(a, b Runtime) int {
		if a.Exemplars != b.Exemplars {
			return a.Exemplars - b.Exemplars
		}
		return slices.Index(order, a.Method) - slices.Index(order, b.Method)
	})
	return out
}

// times joins the times of all batches.
func (r *CellResult) times() Times {
	of := func(part func(Times) Moments) Moments {
		all := make([]Moments, len(r.Batches))
		for i, b := range r.Batches {
			all[i] = part(b.Times)
		}
		return pooled(all)
	}
	return Times{
		Network: of(func(t Times) Moments { return t.Network }), Coupling: of(func(t Times) Moments { return t.Coupling }),
		Projection: of(func(t Times) Moments { return t.Projection }), Other: of(func(t Times) Moments { return t.Other }),
		Total: of(func(t Times) Moments { return t.Total }),
	}
}

// runtimeView is the table of times.
func runtimeView(all []Runtime) experiment.View {
	v := experiment.View{
		Title:  "Seconds of a step, all pairs of a seed together",
		Labels: 3,
		Header: []string{"exemplars", "method", "", "model", "coupling", "projection", "misc", "total", "added"},
	}
	for _, t := range all {
		added := fmt.Sprintf("%.1f %%", 100*t.Added)
		v.Lines = append(v.Lines, append([]string{fmt.Sprint(t.Exemplars), t.label(), terminal.Join("ours, " + plural.Of(t.Pairs, "pair"))}, append(t.Ours.texts(), added)...))
		if t.Published != nil {
			v.Lines = append(v.Lines, append([]string{"", "", "published"}, append(t.Published.texts(), "")...))
		}
	}
	return v
}

// label names the cell of a row.
func (t Runtime) label() string { return strings.TrimPrefix(t.cell, namePrefix) }

// texts are the times as a table shows them; nothing where nothing is done.
func (t Times) texts() (out []string) {
	for _, m := range []Moments{t.Network, t.Coupling, t.Projection, t.Other, t.Total} {
		text := ""
		if m.Mean > 0 {
			text = terminal.Join(fmt.Sprintf("%.4f ± %.4f", m.Mean, m.Std))
		}
		out = append(out, text)
	}
	return out
}
