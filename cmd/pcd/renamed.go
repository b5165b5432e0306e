package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// renamedFlag is a flag under a name that it used to have: what it is set to, the flag of
// today is set to.
type renamedFlag struct {
	pflag.Value
	flags *pflag.FlagSet
	now   string
}

// Set implements [pflag.Value].
func (r *renamedFlag) Set(text string) error { return r.flags.Set(r.now, text) }

// renamed lets a flag be given under an old name, which help does not show.
func renamed(f *pflag.FlagSet, old, now string) {
	alias := f.VarPF(&renamedFlag{f.Lookup(now).Value, f, now}, old, "", "")
	alias.Hidden = true
}

// noteRenamed says which of the flags that were given have another name now.
func noteRenamed(cmd *cobra.Command) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if r, is := f.Value.(*renamedFlag); is {
			printMessage(cmd.ErrOrStderr(), fmt.Sprintf("note: --%s is called --%s now", f.Name, r.now))
		}
	})
}

// seconds is a flag for a duration that is kept in seconds; a number alone is one, too.
type seconds float64

// Set implements [pflag.Value].
func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err == nil && d <= 0 {
		err = wantError("a positive duration such as 30s")
	}
	*s = seconds(d.Seconds())
	return err
}

// String implements [pflag.Value].
func (s *seconds) String() string {
	return time.Duration(float64(*s) * float64(time.Second)).String()
}

// Type implements [pflag.Value].
func (*seconds) Type() string { return "duration" }
