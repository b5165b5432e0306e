package judge

import "math"

// polynomial holds coefficients, that of the constant first.
type polynomial []float64

func (p polynomial) times(q polynomial) polynomial {
	out := make(polynomial, len(p)+len(q)-1)
	for i, a := range p {
		for j, b := range q {
			out[i+j] += a * b
		}
	}
	return out
}

// plus returns p + s q, as long as the longer one.
func (p polynomial) plus(s float64, q polynomial) polynomial {
	out := make(polynomial, max(len(p), len(q)))
	copy(out, p)
	for i, b := range q {
		out[i] += s * b
	}
	return out
}

func (p polynomial) at(t float64) (v float64) {
	for k := len(p) - 1; k >= 0; k-- {
		v = v*t + p[k]
	}
	return v
}

// about returns the coefficients in t − m.
func (p polynomial) about(m float64) polynomial {
	out := append(polynomial(nil), p...)
	for i := range out {
		for k := len(out) - 2; k >= i; k-- {
			out[k] += m * out[k+1]
		}
	}
	return out
}

// deepest is how often the interval is halved: to 1e-9 of it.
const deepest = 30

// below returns where in an interval a polynomial may be below a number: the first place that
// cannot be ruled out.
func (p polynomial) below(least, from, to float64, depth int) (at float64, found bool) {
	m, h := (from+to)/2, (to-from)/2
	c := p.about(m)
	low, power := c[0], 1.0
	for _, a := range c[1:] {
		power *= h
		low -= math.Abs(a) * power
	}
	switch {
	case low >= least:
		return 0, false
	case c[0] < least || depth == deepest:
		return m, true
	}
	if at, found = p.below(least, from, m, depth+1); found {
		return at, true
	}
	return p.below(least, m, to, depth+1)
}
