package exact_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
)

// Segments on a grid keep the distances that fractions say, their own among them, and none that is a
// unit of the grid larger.
func TestGridAgainstFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 300 {
		a := geom.Vec2{X: r.Float64() - 0.5, Y: r.Float64() - 0.5}
		b := geom.Vec2{X: r.Float64() - 0.5, Y: 1e-9 * (r.Float64() - 0.5)}
		if r.IntN(4) == 0 {
			a = b
		}
		g := exact.GridFor(0, a.X, a.Y, b.X, b.Y)
		points := []exact.Point{{X: g.Number(a.X), Y: g.Number(a.Y)}, {X: g.Number(b.X), Y: g.Number(b.Y)}}
		square := exact.PointSegment(exact.Of(geom.Vec2{}), exact.Of(a), exact.Of(b))
		unit := exact.Mul(g.Fraction(big.NewInt(1)), g.Fraction(big.NewInt(1)))
		whole := new(big.Int).Quo(exact.Mul(square, new(big.Rat).Inv(unit)).Num(), exact.Mul(square, new(big.Rat).Inv(unit)).Denom())
		root := whole.Sqrt(whole) // in units of the grid, rounded down
		if !g.Keeps(points, root) {
			t.Fatalf("%v to %v: does not keep its own distance", a, b)
		}
		if root.Add(root, big.NewInt(1)); g.Keeps(points, root) {
			t.Fatalf("%v to %v: keeps more than its distance", a, b)
		}
		if got, want := g.Fraction(g.ThirdOf(a.X, b.X)), exact.Mul(exact.Mul(exact.Number(a.X), exact.Number(b.X)), big.NewRat(1, 3)); got.Cmp(want) != 0 {
			t.Fatalf("a third of %v times %v is %v", a.X, b.X, got)
		}
	}
}
