package experiment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/terminal"
)

// Comparison is what a row of a table compares. A row of an experiment embeds it
// behind its own fields.
type Comparison[M any] struct {
	Ours      *M    `json:"ours"`      // nil when the cell is not there
	Published *M    `json:"published"` // nil when the paper has no such row
	Certified *bool `json:"certified,omitempty"`
	// Difference is ours less the published, by column.
	Difference Differences `json:"difference,omitempty"`
}

// Differences are numbers by the keys of their columns, in the columns' order.
type Differences []Difference

// Difference is that of one column.
type Difference struct {
	Key   string
	Value float64
}

// Of returns the difference of a column, 0 when there is none.
func (d Differences) Of(key string) float64 {
	v, _ := d.find(key)
	return v
}

// find returns the difference of a column, false when there is none.
func (d Differences) find(key string) (float64, bool) {
	for _, x := range d {
		if x.Key == key {
			return x.Value, true
		}
	}
	return 0, false
}

// MarshalJSON writes an object with a field for every column.
func (d Differences) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, x := range d {
		value, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%c%q:%s", "{,"[min(i, 1)], x.Key, value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Column is a measure of a table.
type Column[M any] struct {
	Key    string // in JSON
	Header string
	// Of returns the measure, for every member of a team.
	Of func(m M) []Stat
	// Overall makes one number of the members', for differences.
	Overall func([]Stat) float64
	Scale   float64 // that numbers are shown at; 100 for percentages
	Format  string
	// Difference is the format of differences.
	Difference string
	// Spread shows "mean ± std" instead of the means, and the intervals of ours.
	Spread bool
	// Each shows the intervals of ours behind the means.
	Each bool
	// Interval returns the stat whose interval stands behind the members' means of
	// ours; nil for none.
	Interval func(m M) Stat
	// Guaranteed columns say when they are certified.
	Guaranteed bool
}

// Compare completes a row of ours with the published one and the differences.
func Compare[M any](c *Comparison[M], published M, columns []Column[M]) {
	c.Published = &published
	if c.Ours == nil {
		return
	}
	c.Difference = nil
	for _, col := range columns {
		c.Difference = append(c.Difference, Difference{col.Key, col.Overall(col.Of(*c.Ours)) - col.Overall(col.Of(published))})
	}
}

// Report is what is printed of results.
type Report struct {
	Views  []View
	Footer string // after the tables; "" for none
	Data   any    // what JSON shows
}

// View is a table as it is printed.
type View struct {
	Title  string
	Header []string
	Lines  [][]string
	Labels int // so many columns say what a line is of
}

// NewView returns a table without rows. labels are the headers of the columns that
// say what a row is of.
func NewView[M any](title string, labels []string, columns []Column[M]) View {
	header := append(append([]string{}, labels...), "")
	for _, c := range columns {
		header = append(header, c.Header)
	}
	return View{Title: title, Header: header, Labels: len(labels) + 1}
}

// AddRow adds the lines of a row: ours, the published one and the difference, as far
// as they are there. note says what ours is of.
func AddRow[M any](v *View, labels []string, note string, row Comparison[M], columns []Column[M]) {
	line := func(labels []string, what string, show func(Column[M]) string) {
		cells := append(append([]string{}, labels...), what)
		for _, c := range columns {
			cells = append(cells, show(c))
		}
		v.Lines = append(v.Lines, cells)
	}
	if row.Ours == nil {
		v.Lines = append(v.Lines, append(append(append([]string{}, labels...), "ours", "not computed"), make([]string, len(columns)-1)...))
	} else {
		certified := row.Certified != nil && *row.Certified
		line(labels, "ours, "+terminal.Join(note), func(c Column[M]) string { return c.ours(*row.Ours, certified) })
	}
	blank := make([]string, len(labels))
	if row.Published != nil {
		line(blank, "published", func(c Column[M]) string { return c.means(*row.Published) })
	}
	if row.Difference != nil {
		line(blank, "difference", func(c Column[M]) string { return c.difference(row.Difference) })
	}
}

// means shows a measure without its interval.
func (c Column[M]) means(m M) string {
	var parts []string
	for _, s := range c.Of(m) {
		parts = append(parts, c.mean(s))
	}
	return c.joined(parts)
}

// joined makes one text of the members'. On a terminal, those of a team and those with a
// spread may stand in lines of their own.
func (c Column[M]) joined(parts []string) string {
	slash := " / "
	if len(parts) > 2 || c.Spread || c.Each {
		slash = terminal.Join(" /") + " "
	} else {
		slash = terminal.Join(slash)
	}
	return strings.Join(parts, slash)
}

func (c Column[M]) mean(s Stat) string {
	text := fmt.Sprintf(c.Format, c.Scale*s.Mean)
	if c.Spread {
		text += terminal.Join(" ± ") + fmt.Sprintf(c.Format, c.Scale*s.Std)
	}
	return text
}

// interval shows that of a mean, nothing when there is none.
func (c Column[M]) interval(s Stat) string {
	if !(s.Lo <= s.Mean && s.Mean <= s.Hi) {
		return ""
	}
	return c.bounds(s)
}

// bounds shows an interval behind a mean; a line may end before it.
func (c Column[M]) bounds(s Stat) string {
	return " " + terminal.Join(fmt.Sprintf("["+c.Format+", "+c.Format+"]", c.Scale*s.Lo, c.Scale*s.Hi))
}

func (c Column[M]) ours(m M, certified bool) string {
	var parts []string
	for _, s := range c.Of(m) {
		text := c.mean(s)
		if c.Spread || c.Each {
			text += c.interval(s)
		}
		parts = append(parts, text)
	}
	out := c.joined(parts)
	if c.Interval != nil {
		out += c.bounds(c.Interval(m))
	}
	if c.Guaranteed && certified {
		out += " certified"
	}
	return out
}

// difference shows that of the measure, nothing when there is none.
func (c Column[M]) difference(all Differences) string {
	d, ok := all.find(c.Key)
	if !ok {
		return ""
	}
	return fmt.Sprintf(c.Difference, c.Scale*d)
}

// Formats lists the forms in which a [Report] can be written.
func Formats() []string { return []string{"text", "markdown", "csv", "json"} }

// Write writes a report in one of the [Formats]. Text fits the width that w is read at.
func (r Report) Write(w io.Writer, format string) error {
	switch format {
	case "csv":
		return r.writeCSV(w)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r.Data)
	}
	for _, v := range r.Views {
		write := v.writeText
		if format == "markdown" {
			write = v.writeMarkdown
		}
		if err := write(w); err != nil {
			return err
		}
	}
	footer := r.Footer
	if format == "text" {
		footer = terminal.Fill(footer, terminal.Width(w))
	}
	_, err := io.WriteString(w, footer)
	return err
}

func (v View) writeText(w io.Writer) error {
	width := terminal.Width(w)
	fmt.Fprintf(w, "\n%s\n", terminal.Fill(v.Title, width))
	return terminal.Table{Header: v.Header, Lines: v.Lines, Labels: v.Labels}.Write(w, width)
}

func (v View) writeMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "\n### %s\n\n| %s |\n|%s\n", v.Title, strings.Join(v.Header, " | "), strings.Repeat("---|", len(v.Header)))
	for _, line := range v.Lines {
		if _, err := fmt.Fprintf(w, "| %s |\n", terminal.Plain(strings.Join(line, " | "))); err != nil {
			return err
		}
	}
	return nil
}

// Distinct returns the values that results have, sorted.
func Distinct[R any, T cmp.Ordered](results map[string]R, of func(R) []T) []T {
	var out []T
	for _, r := range results {
		out = append(out, of(r)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Strength shows a coupling strength; nothing for 0.
func Strength(gamma float64) string {
	if gamma == 0 {
		return ""
	}
	return fmt.Sprintf("%g", gamma)
}
