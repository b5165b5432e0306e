package terminal

import (
	"strings"

	"github.com/rivo/uniseg"
)

// noBreak is the space that no line is broken at.
const noBreak = "\u00a0"

// Join makes a text that no line is broken in.
func Join(text string) string { return strings.ReplaceAll(text, " ", noBreak) }

// Plain returns a text with spaces in the place of no-break spaces.
func Plain(text string) string { return strings.ReplaceAll(text, noBreak, " ") }

// columns returns how many columns a text takes.
func columns(text string) int { return uniseg.StringWidth(text) }

// Fill breaks a text into lines of at most width columns, wherever its own lines end. An
// empty line ends a paragraph. A line that begins with spaces is an item of a list. Where
// it has two spaces in a row, its text begins behind them, and so do its other lines.
func Fill(text string, width int) string {
	var out []string
	var open paragraph
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if open.continues(line) {
			open.text += " " + strings.TrimLeft(line, " ")
			continue
		}
		out = append(out, open.lines(width)...)
		if open = newParagraph(line); line == "" {
			out = append(out, "")
		}
	}
	out = append(out, open.lines(width)...)
	if strings.HasSuffix(text, "\n") {
		out = append(out, "")
	}
	return Plain(strings.Join(out, "\n"))
}

// paragraph is what is filled as one.
type paragraph struct {
	text   string
	hang   int  // columns that the lines behind the first are indented by
	single bool // an item of one line: the next one is another
}

// newParagraph begins one with its first line.
func newParagraph(line string) paragraph {
	text := strings.TrimLeft(line, " ")
	p := paragraph{text: line, hang: len(line) - len(text)}
	if p.hang == 0 {
		return p
	}
	name, rest, ok := strings.Cut(text, "  ")
	if p.single = !ok; ok {
		p.hang += columns(name) + 2 + len(rest) - len(strings.TrimLeft(rest, " "))
	}
	return p
}

// continues reports whether a line goes on with the paragraph.
func (p paragraph) continues(line string) bool {
	text := strings.TrimLeft(line, " ")
	return p.text != "" && text != "" && !p.single && len(line)-len(text) == p.hang
}

// lines returns the lines of a paragraph, none when it is empty.
func (p paragraph) lines(width int) []string {
	if p.text == "" {
		return nil
	}
	lines := Break(p.text, width, width-p.hang)
	for i := 1; i < len(lines); i++ {
		lines[i] = strings.Repeat(" ", p.hang) + lines[i]
	}
	return lines
}

// Break breaks a text at spaces into lines, the first of at most first columns and the
// others of at most rest. A word that is longer has a line of its own. Spaces at the
// beginning and several in a row stay; those at a break go. A percent sign stays beside
// its number, and so does a deviation.
func Break(text string, first, rest int) []string {
	var lines []string
	text = tied.Replace(text)
	width := first
	for {
		end := lineEnd(text, width)
		lines = append(lines, strings.TrimRight(text[:end], " "))
		text = strings.TrimLeft(text[end:], " ")
		if text == "" {
			return lines
		}
		width = rest
	}
}

// tied are signs that stay on the line of their numbers.
var tied = strings.NewReplacer(" %", noBreak+"%", " ± ", noBreak+"±"+noBreak)

// lineEnd returns where the first line of a text ends: at the last space within width
// columns, at the first one when there is none, or at the end.
func lineEnd(text string, width int) int {
	if columns(text) <= width {
		return len(text)
	}
	start := len(text) - len(strings.TrimLeft(text, " "))
	end := 0
	for i := start; i < len(text); i++ {
		if text[i] != ' ' {
			continue
		}
		if end > 0 && columns(text[:i]) > width {
			return end
		}
		end = i
	}
	if end == 0 || columns(strings.TrimRight(text, " ")) <= width {
		return len(text)
	}
	return end
}
