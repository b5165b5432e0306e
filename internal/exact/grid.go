package exact

import (
	"math"
	"math/big"
)

// Grid counts thirds of a power of two: rational numbers over one denominator are whole there, and
// comparing them takes no greatest common divisor. All float64, and a third of their products, are on a
// grid that is fine enough.
type Grid struct{ bits uint }

// GridFor returns a grid on which numbers and thirds of products of two of them are whole, and halves of
// these as often as said.
func GridFor(halves uint, numbers ...float64) Grid {
	finest := 0
	for _, v := range numbers {
		if v != 0 {
			_, exponent := parts(v)
			finest = max(finest, -exponent)
		}
	}
	return Grid{bits: uint(2*finest) + halves}
}

// parts returns a number as a whole one times a power of two.
func parts(v float64) (mantissa int64, exponent int) {
	f, e := math.Frexp(v)
	return int64(f * (1 << 53)), e - 53
}

// Number returns a float64 on the grid.
func (g Grid) Number(v float64) *big.Int {
	n := g.shifted(v, int(g.bits))
	return n.Mul(n, big.NewInt(3))
}

// ThirdOf returns a third of a product on the grid.
func (g Grid) ThirdOf(a, b float64) *big.Int {
	m, e := parts(b)
	n := g.shifted(a, int(g.bits)+e)
	return n.Mul(n, big.NewInt(m))
}

// shifted returns v·2^by, which is whole.
func (g Grid) shifted(v float64, by int) *big.Int {
	m, e := parts(v)
	n := big.NewInt(m)
	switch by += e; {
	case m == 0:
	case by >= 0:
		n.Lsh(n, uint(by))
	default: // digits that are zero
		n.Quo(n, new(big.Int).Lsh(big.NewInt(1), uint(-by)))
	}
	return n
}

// Float returns a number of the grid to a unit or two in the last place.
func (g Grid) Float(n *big.Int) float64 {
	f := new(big.Float).SetInt(n)
	v, _ := f.SetMantExp(f, -int(g.bits)).Float64()
	return v / 3
}

// Fraction returns a number of the grid.
func (g Grid) Fraction(n *big.Int) *big.Rat {
	return new(big.Rat).SetFrac(n, new(big.Int).Mul(big.NewInt(3), new(big.Int).Lsh(big.NewInt(1), g.bits)))
}

// Point is a point, or a difference of points, on a grid.
type Point struct{ X, Y *big.Int }

// Add returns p + q.
func (p Point) Add(q Point) Point {
	return Point{new(big.Int).Add(p.X, q.X), new(big.Int).Add(p.Y, q.Y)}
}

// Sub returns p − q.
func (p Point) Sub(q Point) Point {
	return Point{new(big.Int).Sub(p.X, q.X), new(big.Int).Sub(p.Y, q.Y)}
}

// Half returns p/2, which is on the grid.
func (p Point) Half() Point { return Point{new(big.Int).Rsh(p.X, 1), new(big.Int).Rsh(p.Y, 1)} }

func (p Point) dot(q Point) *big.Int {
	a := new(big.Int).Mul(p.X, q.X)
	return a.Add(a, new(big.Int).Mul(p.Y, q.Y))
}

func (p Point) cross(q Point) *big.Int {
	a := new(big.Int).Mul(p.X, q.Y)
	return a.Sub(a, new(big.Int).Mul(p.Y, q.X))
}

// away reports whether the segment from p to q keeps a distance from zero.
func away(p, q Point, distance *big.Int) bool {
	e, square := q.Sub(p), new(big.Int).Mul(distance, distance)
	switch {
	case p.dot(e).Sign() >= 0:
		return p.dot(p).Cmp(square) >= 0
	case q.dot(e).Sign() <= 0:
		return q.dot(q).Cmp(square) >= 0
	}
	c := p.cross(q)
	return c.Mul(c, c).Cmp(square.Mul(square, e.dot(e))) >= 0
}

// blurry is by how much, relative to the sizes of what is compared, a distance in float64 has to be larger
// or smaller than another one to be believed: a million times what rounding does to it.
const blurry = 1e-9

// Keeps reports whether all segments between points keep a distance of 0 or more from zero, without rounding. What is
// farther or nearer by much is seen in float64.
func (g Grid) Keeps(points []Point, distance *big.Int) bool {
	at, want := make([][2]float64, len(points)), g.Float(distance)
	for i, p := range points {
		at[i] = [2]float64{g.Float(p.X), g.Float(p.Y)}
		for j := range i {
			far, size := near(at[i], at[j])
			blur := blurry * (size + want)
			if far > want+blur {
				continue
			}
			if far < want-blur || !away(p, points[j], distance) {
				return false
			}
		}
	}
	return true
}

// near returns the distance of a segment from zero, and the size of its numbers.
func near(a, b [2]float64) (distance, size float64) {
	dx, dy := b[0]-a[0], b[1]-a[1]
	size = math.Abs(a[0]) + math.Abs(a[1]) + math.Abs(b[0]) + math.Abs(b[1])
	t := 0.0
	if n := dx*dx + dy*dy; n > 0 {
		t = max(0, min(1, -(a[0]*dx+a[1]*dy)/n))
	}
	return math.Hypot(a[0]+t*dx, a[1]+t*dy), size
}
