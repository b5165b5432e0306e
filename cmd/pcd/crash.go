package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/go-pcd/pcd/internal/parallel"
)

// mostFrames is how many places of a panic are reported.
const mostFrames = 4

// reportPanic writes what went wrong and where, short enough to be read and long
// enough to be mended. It is called while the panic is being recovered from.
func reportPanic(w io.Writer, value any) {
	stack := debug.Stack()
	if p, ok := value.(*parallel.Panic); ok {
		value, stack = p.Value, p.Stack
	}
	fmt.Fprintf(w, "pcd: internal error: %.300v\n", value)
	for _, frame := range ownFrames(string(stack), mostFrames) {
		fmt.Fprintln(w, "  at", frame)
	}
	fmt.Fprintln(w, "This is a mistake of the program. Please report it with the command line.")
}

// ownFrames returns the innermost functions of this module in a stack trace that
// led to the panic. A trace has two lines for each call: the function, and the
// file behind a tab.
func ownFrames(stack string, most int) []string {
	var frames []string
	if i := strings.Index(stack, "\npanic("); i >= 0 {
		stack = stack[i:] // the calls before it belong to the recovery
	}
	lines := strings.Split(stack, "\n")
	for i, line := range lines {
		if i == 0 || !strings.HasPrefix(line, "\t") || !strings.Contains(lines[i-1], "go-pcd/pcd") && !strings.HasPrefix(lines[i-1], "main.") {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimSpace(line), " +0x")
		parts := strings.Split(place, "/")
		frames = append(frames, strings.Join(parts[max(0, len(parts)-3):], "/"))
		if len(frames) == most {
			break
		}
	}
	return frames
}
