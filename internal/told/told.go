// Package told writes numbers for people who compare them and act on them: two that differ
// look different, and what is asked for is not rounded to what would be refused again, and places stay apart
// wherever on Earth they are.
package told

import (
	"math"
	"strconv"
	"strings"
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

// short writes a number rounded to so many significant digits, without an exponent where a person
// reads it without one.
func short(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if !readable(v) || !strings.Contains(text, "e") {
		return text
	}
	rounded, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// readable reports whether a number is written without an exponent.
func readable(v float64) bool {
	a := math.Abs(v)
	return a == 0 || 1e-6 <= a && a < 1e15
}

// Digits returns a number with so many significant digits, all of those before the point, and no
// zeros at its end: 0.1235 and 432017 with four.
func Digits(v float64, digits int) string {
	if !readable(v) || v == 0 {
		return short(v, digits)
	}
	return decimals(v, digits-1-int(math.Floor(math.Log10(math.Abs(v)))))
}

// Seconds returns a time with four significant digits and hundredths at least.
func Seconds(v float64) string {
	if math.Abs(v) < 100 {
		return Digits(v, 4)
	}
	return decimals(v, 2)
}

// Place returns a point in decimals that show a hundredth of a size, such as a radius, wherever it
// lies: "(432017.35, 5411020.2)".
func Place(x, y, size float64) string {
	n := decimalsOf(size)
	return "(" + decimals(x, n) + ", " + decimals(y, n) + ")"
}

// AsPlace returns the numbers that [Place] writes.
func AsPlace(x, y, size float64) (float64, float64) {
	n := decimalsOf(size)
	written := func(v float64) float64 {
		if got, err := strconv.ParseFloat(decimals(v, n), 64); err == nil {
			return got
		}
		return v
	}
	return written(x), written(y)
}

// decimalsOf returns how many show a hundredth of a size.
func decimalsOf(size float64) int {
	if size > 0 {
		return int(math.Ceil(2 - math.Log10(size)))
	}
	return most
}

// decimals returns a number with so many decimals at most.
func decimals(v float64, n int) string {
	if math.Abs(v) >= 1e15 || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	text := strconv.FormatFloat(v, 'f', min(max(n, 0), most), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}
