package kernel

// clampRun is the argument of the vector kernels; the generator knows its layout.
type clampRun struct {
	dst, x          *float32
	turns           int
	lo, hi          float32
	outside         int
	lowest, highest [16]float32
}

// Clamp writes x limited to [lo, hi] to dst, which may be x: elements inside keep
// their bits, zeros of either sign at a bound of zero included. It returns the
// smallest and the largest element of x and how many lie outside. x must be
// finite and not empty.
func Clamp(dst, x []float32, lo, hi float32) (lowest, highest float32, outside int) {
	lowest, highest = x[0], x[0]
	done := 0
	if lanes := 4 << active; active != Portable && len(x) >= lanes {
		c := clampRun{dst: &dst[:len(x)][0], x: &x[0], turns: len(x) / lanes, lo: lo, hi: hi}
		runClamp(&c)
		done, outside = c.turns*lanes, c.outside
		for i := range lanes {
			lowest, highest = min(lowest, c.lowest[i]), max(highest, c.highest[i])
		}
	}
	for i, v := range x[done:] {
		lowest, highest = min(lowest, v), max(highest, v)
		if v < lo { // unlike min and max, these leave zeros of any sign alone
			v = lo
			outside++
		} else if v > hi {
			v = hi
			outside++
		}
		dst[done+i] = v
	}
	return lowest, highest, outside
}
