package settings

import (
	"fmt"
	"math"
)

// Number is a number that a user may set: its row of the table that flags, requests,
// evaluations and messages read. The zero Unit has none.
type Number struct {
	Name      string // as a flag and as the field of a request
	Default   float64
	Low, High float64 // the range
	Above     bool    // Low is not in it
	Whole     bool    // no fractions
	Unit      string
	Help      string // of the flag
}

// Allows reports whether a value is in range. NaN is not.
func (n Number) Allows(v float64) bool {
	return v >= n.Low && v <= n.High && !(n.Above && v == n.Low) && (!n.Whole || v == math.Trunc(v)) && !math.IsInf(v, 0)
}

// Want says which values are allowed, for a message.
func (n Number) Want() string {
	switch {
	case n.Whole && math.IsInf(n.High, 1):
		return fmt.Sprintf("want at least %.0f", n.Low)
	case n.Whole:
		return fmt.Sprintf("want %.0f to %.0f", n.Low, n.High)
	case n.Above && n.Low == 0 && math.IsInf(n.High, 1):
		return "want a positive number"
	case n.Above:
		return fmt.Sprintf("want a number above %g up to %g", n.Low, n.High)
	case n.Low == -n.High:
		return fmt.Sprintf("want a number of a size up to %g", n.High)
	}
	return fmt.Sprintf("want a number from %g to %g", n.Low, n.High)
}

// Range is Want without the verb, for errors that have it.
func (n Number) Range() string { return fmt.Sprintf("%g to %g", n.Low, n.High) }

// Positive returns the row with a range above 0.
func (n Number) Positive() Number {
	n.Low, n.Above = 0, true
	return n
}

// With returns the row with a default and the help of a flag.
func (n Number) With(value float64, help string) Number {
	n.Default, n.Help = value, help
	return n
}
