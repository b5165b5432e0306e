package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every flag that is a number or a list of them is a row of the table of settings, whose range
// is compared before the command runs. Seeds are all numbers of their type.
func TestFlagsAreRows(t *testing.T) {
	flags := 0
	everyCommand(func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, alias := f.Value.(*renamedFlag); alias || !slices.Contains([]string{"int", "float64", "intSlice", "float64Slice"}, f.Value.Type()) {
				return
			}
			flags++
			n, ok := rowOf(f)
			if !ok {
				t.Errorf("%s --%s: it has no row", c.CommandPath(), f.Name)
				return
			}
			if n.Low > n.High || n.Want() == "" || f.Usage == "" {
				t.Errorf("%s --%s: %+v, %q", c.CommandPath(), f.Name, n, f.Usage)
			}
			if n.Allows(n.Low) == n.Above {
				t.Errorf("%s --%s: its end %v is allowed: %v", c.CommandPath(), f.Name, n.Low, n.Allows(n.Low))
			}
		})
	})
	if flags < 80 {
		t.Errorf("%d flags", flags)
	}
}

// Of each command the first number below its range is refused, by its row.
func TestNumbersOutOfRange(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			n, ok := rowOf(f)
			if !ok {
				return
			}
			low := n
			if low.Low--; !n.Whole {
				low.Low -= 0.5
			}
			if err := f.Value.Set(strconv.FormatFloat(low.Low, 'f', -1, 64)); err != nil {
				t.Fatal(err)
			}
			err := checkNumber(f)
			if err == nil || !strings.Contains(err.Error(), "--"+f.Name+" is ") || !strings.Contains(err.Error(), n.Want()) {
				t.Errorf("%s --%s %v: %v", c.CommandPath(), f.Name, low.Low, err)
			}
		})
	})
}
