package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/terminal"
)

// printLine writes a line, broken for the width that w is read at.
func printLine(w io.Writer, format string, args ...any) {
	line := terminal.Break(fmt.Sprintf(format, args...), terminal.Width(w), terminal.Width(w)-2)
	fmt.Fprintln(w, terminal.Plain(strings.Join(line, "\n  ")))
}

// printMessage writes an error or a warning. On a terminal its lines are broken at words;
// elsewhere a message stays in one line, for programs that look for it.
func printMessage(w io.Writer, text string) {
	for line := range strings.SplitSeq(quote.Lines(text), "\n") {
		if terminal.Of(w) != nil {
			printLine(w, "%s", line)
		} else {
			fmt.Fprintln(w, line)
		}
	}
}

// printFields writes the fields of a summary for the width that w is read at.
func printFields(w io.Writer, f *terminal.Fields) error { return f.Write(w, terminal.Width(w)) }

// printTable writes a table for the width that w is read at.
func printTable(w io.Writer, t *terminal.Table) error { return t.Write(w, terminal.Width(w)) }

// tableOf returns a table without lines. The headers of its columns have tabs between them;
// the first ones, as many as labels says, are of what a line is of.
func tableOf(labels int, headers string) *terminal.Table {
	return &terminal.Table{Header: strings.Split(headers, "\t"), Labels: labels}
}

// numbersOf is tableOf with cells at the right of their columns.
func numbersOf(labels int, headers string) *terminal.Table {
	t := tableOf(labels, headers)
	t.Right = true
	return t
}
