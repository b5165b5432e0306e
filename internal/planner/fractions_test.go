package planner

import "math/big"

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// point is a place without rounding.
type point [2]*big.Rat

func (p point) minus(q point) (d point) {
	for c := range d {
		d[c] = new(big.Rat).Sub(p[c], q[c])
	}
	return d
}

func exactly(p [2]float64) point { return point{rat(p[0]), rat(p[1])} }

// separator is a direction n along which bodies of a size are kept apart.
type separator struct {
	n      point
	square *big.Rat // of size ‖n‖; nil for no direction
}

func separatorOf(n [2]float64, size *big.Rat) separator {
	s, square := separator{n: exactly(n)}, new(big.Rat)
	for _, x := range s.n {
		square.Add(square, new(big.Rat).Mul(x, x))
	}
	if square.Sign() > 0 {
		s.square = square.Mul(square, new(big.Rat).Mul(size, size))
	}
	return s
}

// along returns n·d.
func (s separator) along(d point) *big.Rat {
	sum, x := new(big.Rat), new(big.Rat)
	for c := range 2 {
		sum.Add(sum, x.Mul(s.n[c], d[c]))
	}
	return sum
}

// parts reports whether n·d ≥ size ‖n‖ > 0, without rounding.
func (s separator) parts(d point) bool { return s.suffices(s.along(d)) }

// suffices reports whether a value of n·d does.
func (s separator) suffices(along *big.Rat) bool {
	return s.square != nil && along.Sign() >= 0 && new(big.Rat).Mul(along, along).Cmp(s.square) >= 0
}
