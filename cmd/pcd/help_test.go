package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/terminal"
)

// everyCommand calls visit with all commands of the program.
func everyCommand(visit func(c *cobra.Command)) {
	var below func(c *cobra.Command)
	below = func(c *cobra.Command) {
		visit(c)
		for _, sub := range c.Commands() {
			below(sub)
		}
	}
	below(newRoot(nil))
}

// What a flag takes is said when a value is refused.
func TestFlagsSayWhatTheyTake(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if valueTypes[f.Value.Type()] == "" {
				t.Errorf("%s --%s: nothing is said of a %s", c.CommandPath(), f.Name, f.Value.Type())
			}
		})
	})
}

// TestHelpFits lays the help of every command out for terminals of several widths.
func TestHelpFits(t *testing.T) {
	commands := 0
	everyCommand(func(c *cobra.Command) {
		commands++
		for _, width := range []int{terminal.Standard, 100, 200} {
			c.InitDefaultHelpFlag()
			for line := range strings.Lines(helpText(c, width)) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%s --help has a line of %d columns, want %d: %s", c.CommandPath(), n, width, line)
				}
			}
		}
	})
	if commands < 60 {
		t.Errorf("%d commands, want all", commands)
	}
}
