package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Table is a table of texts, one cell for every column of the header in every line.
type Table struct {
	Header []string
	Lines  [][]string
	Labels int  // so many columns say what a line is of, and are in every part
	Right  bool // cells stand at the right of their columns
	// Together is how many of the last columns are in one part if the width has room.
	Together int
}

// Add appends a line, whose cells have tabs between them.
func (t *Table) Add(format string, args ...any) {
	t.Lines = append(t.Lines, strings.Split(fmt.Sprintf(format, args...), "\t"))
}

// Write writes the table for a width, 0 for any. A table that is too wide has its cells
// broken at spaces; when it still is, it is written in parts, one below the other, that
// begin with the labels.
func (t Table) Write(w io.Writer, width int) error {
	var b strings.Builder
	for i, part := range t.parts(width) {
		if i > 0 {
			b.WriteByte('\n')
		}
		part.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// part is some columns of a table, with their widths.
type part struct {
	table   Table
	columns []int
	widths  []int
}

// parts divides the table among as few parts as its narrowest columns fit in, and widens
// them as far as there is room.
func (t Table) parts(width int) []part {
	natural, least := t.widths(columns), t.widths(longestWord)
	all := make([]int, len(t.Header))
	for i := range all {
		all[i] = i
	}
	if whole := (part{t, all, natural}); width == 0 || whole.width() <= width {
		return []part{whole}
	}
	labels := all[:min(t.Labels, len(all))]
	var out []part
	for rest := all[len(labels):]; len(rest) > 0; {
		p := part{table: t, columns: slices.Clone(labels)}
		for _, c := range labels {
			p.widths = append(p.widths, least[c])
		}
		for n := 0; len(rest) > 0 && (n == 0 || p.width()+t.next(rest, least) <= width); n++ {
			p.columns, p.widths = append(p.columns, rest[0]), append(p.widths, least[rest[0]])
			rest = rest[1:]
		}
		p.widen(natural, width)
		out = append(out, p)
	}
	return out
}

// next returns what a part needs for the next column of the rest: for that, or for all
// that are together with it.
func (t Table) next(rest, widths []int) int {
	n := 1
	if len(rest) == t.Together {
		n = t.Together
	}
	total := 0
	for _, c := range rest[:n] {
		total += gap + widths[c]
	}
	return total
}

// widths returns a width for every column: the largest measure of its cells.
func (t Table) widths(measure func(string) int) []int {
	out := make([]int, len(t.Header))
	for _, line := range append([][]string{t.Header}, t.Lines...) {
		for i := range out {
			out[i] = max(out[i], measure(cell(line, i)))
		}
	}
	return out
}

// cell returns that of a column, which a line may lack.
func cell(line []string, column int) string {
	if column >= len(line) {
		return ""
	}
	return line[column]
}

// longestWord is the least width that a text can be broken to.
func longestWord(text string) int {
	longest := 0
	for word := range strings.SplitSeq(tied.Replace(text), " ") {
		longest = max(longest, columns(word))
	}
	return longest
}

// width returns how wide the part is.
func (p part) width() int {
	total := gap * (len(p.widths) - 1)
	for _, w := range p.widths {
		total += w
	}
	return total
}

// widen gives columns their natural widths as far as there is room, those first that lack
// least. The first that cannot have all of it gets what is left.
func (p part) widen(natural []int, width int) {
	order := make([]int, len(p.columns))
	for i := range order {
		order[i] = i
	}
	lack := func(i int) int { return natural[p.columns[i]] - p.widths[i] }
	slices.SortStableFunc(order, func(a, b int) int { return lack(a) - lack(b) })
	for _, i := range order {
		p.widths[i] += max(0, min(lack(i), width-p.width()))
	}
}

func (p part) write(b *strings.Builder) {
	for _, line := range append([][]string{p.table.Header}, p.table.Lines...) {
		cells := make([][]string, len(p.columns))
		height := 0
		for i, c := range p.columns {
			cells[i] = Break(cell(line, c), p.widths[i], p.widths[i])
			height = max(height, len(cells[i]))
		}
		for row := range height {
			p.writeRow(b, cells, row)
		}
	}
}

// writeRow writes one row of a line of the table, which has several when cells are broken.
func (p part) writeRow(b *strings.Builder, cells [][]string, row int) {
	var text strings.Builder
	for i, c := range cells {
		if i > 0 {
			text.WriteString(strings.Repeat(" ", gap))
		}
		content := ""
		if row < len(c) {
			content = c[row]
		}
		if p.table.Right {
			text.WriteString(strings.Repeat(" ", max(0, p.widths[i]-columns(content))) + Plain(content))
		} else {
			text.WriteString(padded(content, p.widths[i]))
		}
	}
	b.WriteString(strings.TrimRight(text.String(), " "))
	b.WriteByte('\n')
}
