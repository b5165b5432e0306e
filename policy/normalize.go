package policy

import "fmt"

// Mode says how a feature is normalised.
type Mode string

// The modes: a linear map that brings mean and standard deviation to 0 and 1, or the bounds,
// or quantiles of 1 and 99 or 10 and 90 in a hundred, to -1 and 1; or nothing.
const (
	MeanStd        Mode = "MEAN_STD"
	MinMax         Mode = "MIN_MAX"
	quantilesMode  Mode = "QUANTILES"
	quantile10Mode Mode = "QUANTILE10"
	identityMode   Mode = "IDENTITY"
)

func parseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case MeanStd, MinMax, quantilesMode, quantile10Mode, identityMode:
		return m, nil
	}
	return "", fmt.Errorf("MEAN_STD, MIN_MAX, QUANTILES, QUANTILE10 or IDENTITY")
}

// statistics returns the names of the two statistics that a mode needs.
func (m Mode) statistics() (low, high string) {
	switch m {
	case MeanStd:
		return "mean", "std"
	case MinMax:
		return "min", "max"
	case quantilesMode:
		return "q01", "q99"
	case quantile10Mode:
		return "q10", "q90"
	}
	return "", ""
}

// defaultEpsilon is what keeps constant numbers from being divided by 0.
const defaultEpsilon = 1e-8

// normalizer maps a feature to what the networks take, and back. Arithmetic is float32, in
// the order in which the library does it: a constant number that is off its constant by a
// unit in the last place becomes 2e8 times larger.
type normalizer struct {
	mode      Mode
	inModel   bool // of vintages A and B: statistics in the weights, another formula
	epsilon   float32
	low, high []float32 // mean and std, or the bounds; one for every number or channel
}

// forward normalises numbers, of which per belong to each statistic.
func (n *normalizer) forward(dst, src []float32, per int) {
	if n.mode == identityMode {
		copy(dst, src)
		return
	}
	for i, low := range n.low {
		x, y := src[i*per:(i+1)*per], dst[i*per:(i+1)*per]
		d := n.divisor(i)
		for j, v := range x {
			q := float32(v - low)
			switch {
			case n.mode == MeanStd:
				y[j] = q / d
			case n.inModel:
				y[j] = float32(float32(q/d)*2) - 1
			default:
				y[j] = float32(float32(2*q)/d) - 1
			}
		}
	}
}

// divisor returns what the distance from the mean or the lower bound is divided by.
func (n *normalizer) divisor(i int) float32 {
	span := n.span(i)
	if n.mode == MeanStd || n.inModel {
		span = float32(span + n.epsilon)
	}
	return span
}

// span returns the standard deviation, or the distance of the bounds.
func (n *normalizer) span(i int) float32 {
	if n.mode == MeanStd {
		return n.high[i]
	}
	d := float32(n.high[i] - n.low[i])
	if d == 0 && !n.inModel {
		return n.epsilon
	}
	return d
}

// inverse takes rows of numbers back to the units of the data set.
func (n *normalizer) inverse(dst, src []float32) {
	if n.mode == identityMode {
		copy(dst, src)
		return
	}
	for at, v := range src {
		i := at % len(n.low)
		span, low := n.span(i), n.low[i]
		switch n.mode {
		case MeanStd:
			dst[at] = float32(v*span) + low
		case MinMax:
			dst[at] = float32(float32(float32(v+1)/2)*span) + low
		default:
			dst[at] = float32(float32(float32(v+1)*span)/2) + low
		}
	}
}
