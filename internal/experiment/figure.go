package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/render"
)

// Figure is one that results can be drawn as.
type Figure[R any] struct {
	Name  string // "gamma"
	Short string // what it shows
	Draw  func(results map[string]R, o FigureOptions) (*render.Figure, error)
}

// FigureOptions choose what a figure shows.
type FigureOptions struct {
	// Groups are the rows of panels to show, such as maps; nil is the figure's choice
	// and "all" is all of them.
	Groups []string
	// Measures are the measures to show by their keys; nil is the figure's choice and
	// "all" is all of them.
	Measures []string
}

// Measure is a quantity of results that figures show.
type Measure[R any] struct {
	Key  string
	Name string // of the axis
	Rate bool   // between 0 and 1
	Of   func(r R) (Stat, bool)
}

// Place says where in a figure a result stands.
type Place struct {
	Row string // of panels: its title
	// Method, Limit and Variant name the line in the panels of the row, and order lines.
	Method  string
	Limit   float64 // 0 is none
	Variant string  // of the method; "" is the usual one
	X       float64
}

// line names the line of a place.
func (p Place) line() string {
	name := p.Method
	if p.Limit > 0 {
		name += fmt.Sprintf(" ≤ %g", p.Limit)
	}
	if p.Variant != "" {
		name += ", " + p.Variant
	}
	return name
}

// before orders lines.
func (p Place) before(q Place) int {
	return cmp.Or(cmp.Compare(p.Method, q.Method), cmp.Compare(p.Limit, q.Limit), cmp.Compare(p.Variant, q.Variant))
}

// Grid is a figure with a panel for every row and measure, and lines with bands of
// 95 % intervals in them.
type Grid[R any] struct {
	X       string // name of the axis
	LogX    bool
	Columns int // of panels; 0 is one for every measure
	// Measures are the columns of panels, Shown the keys of those shown unless others
	// are asked for; nil is all.
	Measures []Measure[R]
	Shown    []string
	// Place places a result, or leaves it out.
	Place func(r R) (Place, bool)
	// Empty says what to run when no result has a place.
	Empty string
	// Group names the group of a row, by which rows are chosen; nil for no choice.
	// Unless groups are asked for, the first group is shown.
	Group func(r R) string
}

// Panel is one of a grid.
type Panel struct {
	render.Axes
	Curves []render.Curve
}

// Draw draws results.
func (g Grid[R]) Draw(results map[string]R, o FigureOptions) (*render.Figure, error) {
	panels, err := g.Panels(results, o)
	if err != nil {
		return nil, err
	}
	var axes []render.Axes
	var curves [][]render.Curve
	for _, p := range panels {
		axes, curves = append(axes, p.Axes), append(curves, p.Curves)
	}
	columns := g.Columns
	if columns == 0 {
		measures, _ := g.measures(o.Measures) // Panels would have failed
		columns = len(measures)
	}
	return render.CurveGrid(columns, axes, curves), nil
}

// Panels returns the panels of the figure, row by row.
func (g Grid[R]) Panels(results map[string]R, o FigureOptions) ([]Panel, error) {
	measures, err := g.measures(o.Measures)
	if err != nil {
		return nil, err
	}
	rows, err := g.rows(results, o.Groups)
	if err != nil {
		return nil, err
	}
	var out []Panel
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		for _, m := range measures {
			p := Panel{Axes: render.Axes{Title: row, X: g.X, Y: m.Name, LogX: g.LogX}, Curves: g.curves(rows[row], m)}
			if m.Rate {
				p.YRange = [2]float64{-0.02, 1.02}
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// measures returns the measures of the keys.
func (g Grid[R]) measures(keys []string) ([]Measure[R], error) {
	if keys == nil {
		keys = g.Shown
	}
	if keys == nil || slices.Equal(keys, []string{"all"}) {
		return g.Measures, nil
	}
	var out []Measure[R]
	for _, key := range keys {
		i := slices.IndexFunc(g.Measures, func(m Measure[R]) bool { return m.Key == key })
		if i < 0 {
			var known []string
			for _, m := range g.Measures {
				known = append(known, m.Key)
			}
			return nil, &SpecError{fmt.Errorf("unknown measure %q; the measures are %s and all", key, strings.Join(known, ", "))}
		}
		out = append(out, g.Measures[i])
	}
	return out, nil
}

// placed is a result with its place.
type placed[R any] struct {
	Place
	result R
}

// rows sorts results into rows and lines.
func (g Grid[R]) rows(results map[string]R, groups []string) (map[string]map[string][]placed[R], error) {
	groups, err := g.groups(results, groups)
	if err != nil {
		return nil, err
	}
	rows := map[string]map[string][]placed[R]{}
	for _, r := range results {
		p, ok := g.Place(r)
		if !ok || g.Group != nil && !slices.Contains(groups, g.Group(r)) {
			continue
		}
		if rows[p.Row] == nil {
			rows[p.Row] = map[string][]placed[R]{}
		}
		rows[p.Row][p.line()] = append(rows[p.Row][p.line()], placed[R]{p, r})
	}
	return rows, nil
}

// groups returns the groups to show. No result with a place is an error.
func (g Grid[R]) groups(results map[string]R, asked []string) ([]string, error) {
	var known []string
	some := false
	for _, r := range results {
		if _, ok := g.Place(r); ok {
			some = true
			if g.Group != nil {
				known = append(known, g.Group(r))
			}
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	switch {
	case !some:
		return nil, &SpecError{errors.New(g.Empty)}
	case g.Group == nil || slices.Equal(asked, []string{"all"}):
		return known, nil
	case asked == nil:
		return known[:1], nil
	}
	for _, name := range asked {
		if !slices.Contains(known, name) {
			return nil, &SpecError{fmt.Errorf("there are no results of %q; there are of %s, and all", name, strings.Join(known, ", "))}
		}
	}
	return asked, nil
}

// curves returns the lines of a panel.
func (g Grid[R]) curves(lines map[string][]placed[R], m Measure[R]) []render.Curve {
	names := slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		return lines[a][0].before(lines[b][0].Place)
	})
	var curves []render.Curve
	for _, name := range names {
		points := slices.SortedFunc(slices.Values(lines[name]), func(a, b placed[R]) int { return cmp.Compare(a.X, b.X) })
		c := render.Curve{Name: name}
		for _, p := range points {
			if s, ok := m.Of(p.result); ok {
				c.X, c.Y, c.Lo, c.Hi = append(c.X, p.X), append(c.Y, s.Mean), append(c.Lo, s.Lo), append(c.Hi, s.Hi)
			}
		}
		curves = append(curves, c)
	}
	return curves
}
