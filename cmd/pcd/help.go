package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/terminal"
)

// widestProse is how wide paragraphs of help become on wide terminals.
const widestProse = 80

// printHelp writes the help of a command for the width of where it goes.
func printHelp(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	_, _ = io.WriteString(w, helpText(c, terminal.Width(w))) // nobody is there to be told
}

// helpText lays the help of a command out.
func helpText(c *cobra.Command, width int) string {
	var b strings.Builder
	long := c.Long
	if long == "" {
		long = c.Short
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n", terminal.Fill(strings.TrimSpace(long), min(width, widestProse)))
	for _, line := range usageLines(c) {
		fmt.Fprintln(&b, terminal.Fill("  "+line, width))
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nCommands:\n%s", terminal.Fill(commandList(c), width))
	}
	if c.HasAvailableLocalFlags() {
		flags := c.LocalFlags()
		flags.VisitAll(tidyDefault)
		fmt.Fprintf(&b, "\nFlags:\n%s\n", strings.TrimRight(flags.FlagUsagesWrapped(width), " \n"))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s COMMAND --help\" for more about a command.\n", c.CommandPath())
	}
	return b.String()
}

// tidyDefault writes the default of a flag for people: a list so that it can be broken into lines, a duration
// without units of which there are none, and no default where there is none.
func tidyDefault(f *pflag.Flag) {
	switch kind := f.Value.Type(); {
	case strings.HasSuffix(kind, "Slice"):
		f.DefValue = strings.Join(strings.FieldsFunc(f.DefValue, func(r rune) bool { return r == ',' || r == ' ' }), ", ")
	case kind == "stringToString" && f.DefValue == "[]":
		f.DefValue = ""
	case kind == "duration":
		for _, none := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(f.DefValue, none) {
				f.DefValue = f.DefValue[:len(f.DefValue)-2]
			}
		}
	}
}

// usageLines say how a command is called. One that only groups others is called by them.
func usageLines(c *cobra.Command) []string {
	if c.HasAvailableSubCommands() {
		return []string{c.CommandPath() + " COMMAND"}
	}
	return []string{c.UseLine()}
}

// commandList lists the commands of a group.
func commandList(c *cobra.Command) string {
	var b strings.Builder
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			fmt.Fprintf(&b, "  %-*s  %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
	return b.String()
}
