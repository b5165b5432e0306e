package terminal

import (
	"fmt"
	"io"
	"strings"
)

// Fields are names with what is said of each, as a summary has them: a name, and its text
// beside it, broken where the width ends.
type Fields struct{ rows [][2]string }

// Add appends a field. Without a name, its text goes on below the one before.
func (f *Fields) Add(name, format string, args ...any) {
	f.rows = append(f.rows, [2]string{name, fmt.Sprintf(format, args...)})
}

// Gaps between columns, and the least width of a text beside its name.
const (
	gap       = 2
	leastText = 24
)

// Write writes the fields for a width. Texts begin in one column, or each below its name
// where that leaves them too little.
func (f *Fields) Write(w io.Writer, width int) error {
	at := 0
	for _, row := range f.rows {
		at = max(at, columns(row[0])+gap)
	}
	below := width-at < leastText
	if below {
		at = gap
	}
	var b strings.Builder
	for _, row := range f.rows {
		lines := Break(row[1], width-at, width-at)
		for i, line := range lines {
			name := ""
			if i == 0 {
				name = row[0]
			}
			if below && name != "" {
				fmt.Fprintln(&b, name)
				name = ""
			}
			fmt.Fprintln(&b, strings.TrimRight(padded(name, at)+Plain(line), " "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// padded fills a text with spaces up to a width.
func padded(text string, width int) string {
	return Plain(text) + strings.Repeat(" ", max(0, width-columns(text)))
}
