// Package told writes numbers for people who compare them and act on them: two that differ
// look different, and what is asked for is not rounded to what would be refused again.
package told

import (
	"math"
	"strconv"
)

// most is the number of digits that tell two float64 numbers apart.
const most = 17

// Apart returns two numbers with as many significant digits, so many at least, as it takes
// to see which one is larger.
func Apart(a, b float64, digits int) (x, y string) {
	for ; ; digits++ {
		x, y = short(a, digits), short(b, digits)
		if x != y || a == b || digits >= most || math.IsNaN(a) || math.IsNaN(b) {
			return x, y
		}
	}
}

// AtLeast returns a number that is not smaller than v and has so many significant digits,
// more where fewer would be larger by a tenth.
func AtLeast(v float64, digits int) string { return outwards(v, digits, math.Inf(1)) }

// AtMost returns a number that is not larger than v in the same manner.
func AtMost(v float64, digits int) string { return outwards(v, digits, math.Inf(-1)) }

// outwards rounds away from v on the side of an infinity.
func outwards(v float64, digits int, side float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return short(v, digits)
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-float64(digits-1))
	for ; digits <= most; digits, unit = digits+1, unit/10 {
		for _, k := range [3]float64{0, 1, 2} {
			text := short(v+math.Copysign(k, side)*unit, digits)
			got, err := strconv.ParseFloat(text, 64)
			if err == nil && (side > 0 && got >= v || side < 0 && got <= v) {
				return text
			}
		}
	}
	return short(v, most)
}

func short(v float64, digits int) string { return strconv.FormatFloat(v, 'g', digits, 64) }
