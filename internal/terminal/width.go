package terminal

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Standard is the width, in columns, of what is no terminal.
const Standard = 80

// narrowest is the least width that text is laid out for: below, lines run over.
const narrowest = 20

// Of returns w as the file of a terminal, nil when it is none.
func Of(w io.Writer) *os.File {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return file
	}
	return nil
}

// Width returns the columns that w shows: what COLUMNS says, if it is set, the width of
// a terminal, or [Standard].
func Width(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, narrowest)
	}
	if file := Of(w); file != nil {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			return max(n, narrowest)
		}
	}
	return Standard
}
