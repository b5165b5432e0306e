// Package exact is plane geometry in rational numbers: distances squared, without
// rounding, from the formulas for points and segments. It is slow, and what fast code
// is judged by; it shares nothing with it.
package exact

import (
	"math/big"

	"github.com/go-pcd/pcd/geom"
)

// Vec is a point or a difference of points.
type Vec struct{ X, Y *big.Rat }

// Number returns a finite float64 as it is.
func Number(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// Of returns a point with finite coordinates as it is.
func Of(v geom.Vec2) Vec { return Vec{Number(v.X), Number(v.Y)} }

// Sub returns a − b.
func Sub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// Add returns a + b.
func Add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

// Mul returns a b.
func Mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// Min returns the smaller number; nil is none.
func Min(a, b *big.Rat) *big.Rat {
	if a == nil || b.Cmp(a) < 0 {
		return b
	}
	return a
}

// Sub returns a − b.
func (a Vec) Sub(b Vec) Vec { return Vec{Sub(a.X, b.X), Sub(a.Y, b.Y)} }

// Dot returns the scalar product.
func (a Vec) Dot(b Vec) *big.Rat { return Add(Mul(a.X, b.X), Mul(a.Y, b.Y)) }

// Cross returns the vector product.
func (a Vec) Cross(b Vec) *big.Rat { return Sub(Mul(a.X, b.Y), Mul(a.Y, b.X)) }

// along returns a + t b.
func (a Vec) along(b Vec, t *big.Rat) Vec { return Vec{Add(a.X, Mul(t, b.X)), Add(a.Y, Mul(t, b.Y))} }

// PointSegment returns the squared distance of p to the segment from a to b.
func PointSegment(p, a, b Vec) *big.Rat {
	e, w := b.Sub(a), p.Sub(a)
	n := e.Dot(e)
	if n.Sign() == 0 {
		return w.Dot(w)
	}
	t := new(big.Rat).Quo(w.Dot(e), n)
	if t.Sign() < 0 {
		t.SetInt64(0)
	} else if t.Cmp(big.NewRat(1, 1)) > 0 {
		t.SetInt64(1)
	}
	d := p.Sub(a.along(e, t))
	return d.Dot(d)
}

// Cross reports whether the segments from a to b and from c to d have a point in
// common.
func Cross(a, b, c, d Vec) bool {
	if PointSegment(a, c, d).Sign() == 0 || PointSegment(b, c, d).Sign() == 0 ||
		PointSegment(c, a, b).Sign() == 0 || PointSegment(d, a, b).Sign() == 0 {
		return true
	}
	ab, cd := b.Sub(a), d.Sub(c)
	return ab.Cross(c.Sub(a)).Sign()*ab.Cross(d.Sub(a)).Sign() < 0 && cd.Cross(a.Sub(c)).Sign()*cd.Cross(b.Sub(c)).Sign() < 0
}

// Outside returns the squared distance between the segment from a to b and the boundary
// of a core, and whether they meet: a point, a segment or a convex polygon that runs
// counter-clockwise.
func Outside(core []Vec, a, b Vec) (squared *big.Rat, meet bool) {
	meet = len(core) > 2
	for i, v := range core {
		w := core[(i+1)%len(core)]
		for _, d := range []*big.Rat{PointSegment(v, a, b), PointSegment(a, v, w), PointSegment(b, v, w)} {
			squared = Min(squared, d)
		}
		meet = meet && w.Sub(v).Cross(a.Sub(v)).Sign() >= 0
	}
	for i, v := range core {
		meet = meet || Cross(a, b, v, core[(i+1)%len(core)])
	}
	return squared, meet
}
