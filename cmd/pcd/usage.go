package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is a mistake of the caller, found before any work.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// typeUsageErrors makes what the command-line library finds wrong a [usageError],
// in all commands below root, with what would have been right.
func typeUsageErrors(root *cobra.Command) {
	root.SetHelpFunc(printHelp)
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultCompletionCmd("completion") // now, so that it is among those below
	root.SetHelpCommand(newHelpCommand(root))
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownVerb(cmd, args)
	}
	for _, c := range root.Commands() {
		typeArguments(c)
	}
}

// typeArguments does it for the arguments of a command and those below. A command
// that only groups others lists them instead of printing its help with success.
func typeArguments(c *cobra.Command) {
	for _, sub := range c.Commands() {
		typeArguments(sub)
	}
	if c.HasSubCommands() && c.RunE == nil {
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(cmd *cobra.Command, args []string) error { return unknownVerb(cmd, args) }
		return
	}
	check := c.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		var said usageError
		if err := check(cmd, args); errors.As(err, &said) {
			return err
		} else if err != nil {
			return usageError{fmt.Errorf("arguments %q; the usage is: %s", args, cmd.UseLine())}
		}
		return nil
	}
}

// newHelpCommand returns a help command that refuses what it does not know.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownVerb(c, rest)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// wantError is what a flag wants of a value of its type.
type wantError string

func (e wantError) Error() string { return "want " + string(e) }

// valueTypes says what a flag takes, by the name of its type.
var valueTypes = map[string]string{
	"int": "a whole number", "uint": "a whole number from 0", "uint32": "a whole number from 0 to 4294967295", "uint64": "a whole number from 0",
	"float64": "a number", "bool": "true or false", "duration": "a duration such as 30s", "intSlice": "whole numbers with commas between them",
	"size": "a number of bytes such as 2GiB", "stringToString": "NAME=PATH", "stringSlice": "words with commas between them", "string": "a text",
}

// flagError adds the valid flags to the error of an unknown one, and what it takes to
// that of a value.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		want := valueTypes[value.GetFlag().Value.Type()]
		var own wantError
		if errors.As(err, &own) {
			want = string(own)
		}
		if errors.Is(err, strconv.ErrRange) {
			want += " of at most 64 bits"
		}
		return usageError{fmt.Errorf("--%s is %q, want %s", value.GetFlag().Name, value.GetValue(), want)}
	}
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		return unknownVerb(cmd, words) // whose flags these were meant to be
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return usageError{fmt.Errorf("%w; the flags of %q are %s", err, cmd.CommandPath(), strings.Join(names, ", "))}
}

// unknownHelp returns an error for a request of help about a verb that there is not, which
// the command-line library takes for one about the command above it.
func unknownHelp(root *cobra.Command, args []string) error {
	if !slices.Contains(args, "--help") && !slices.Contains(args, "-h") {
		return nil
	}
	c, rest, err := root.Find(args)
	if err != nil || !c.HasSubCommands() {
		return nil // the library says what is wrong
	}
	for _, word := range rest {
		if !strings.HasPrefix(word, "-") {
			return unknownVerb(c, []string{word})
		}
	}
	return nil
}

// unknownVerb lists the verbs of a command.
func unknownVerb(cmd *cobra.Command, args []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	what, hint := "no verb given", ""
	if len(args) > 0 && args[0] != "" {
		what = fmt.Sprintf("unknown verb %q", args[0])
		cmd.SuggestionsMinimumDistance = 2 // edits
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			hint = fmt.Sprintf("did you mean %q? ", near[0])
		}
	}
	return usageError{fmt.Errorf("%s for %q; %sthe verbs are %s", what, cmd.CommandPath(), hint, strings.Join(names, ", "))}
}
