// Package thirds finds where a function of one number is smallest, without its derivative.
package thirds

import "math"

// Least returns the best of some places, evenly spaced between two numbers, with its value, and
// where the function is smallest near it: an interval around that place loses a third of itself
// as many times as there are rounds. That is exact, up to rounding, where the function falls and
// then rises.
func Least(f func(float64) float64, from, to float64, places, rounds int) (near, place, value float64) {
	place, value = from, math.Inf(1)
	for k := range places + 1 {
		t := from + (to-from)*float64(k)/float64(places)
		if v := f(t); v < value {
			place, value = t, v
		}
	}
	lo, hi := max(from, place-(to-from)/float64(places)), min(to, place+(to-from)/float64(places))
	for range rounds {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(a) <= f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return (lo + hi) / 2, place, value
}
