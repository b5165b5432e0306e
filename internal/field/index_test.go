package field

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// crowded returns solids of all kinds and sizes, some of which overlap, touch or repeat.
func crowded(draw *rand.Rand, n int) (out []geom.Solid) {
	for range n {
		at, size := geom.Vec2{X: 20 * draw.Float64(), Y: 5 * draw.Float64()}, geom.Vec2{X: 0.1 + draw.ExpFloat64(), Y: 0.1 + draw.ExpFloat64()}
		switch draw.IntN(5) {
		case 0:
			out = append(out, geom.Circle{Center: at, Radius: size.X})
		case 1:
			out = append(out, geom.RoundedBox{Center: at, Size: size, Radius: min(size.X, size.Y) / 4})
		case 2:
			out = append(out, geom.Convex{Core: geom.Rectangle(at, size, 6*draw.Float64()), Radius: 0.1})
		case 3:
			out = append(out, geom.Box{Min: at, Max: at.Add(size)})
		default:
			at = geom.Vec2{X: float64(draw.IntN(20)), Y: float64(draw.IntN(5))}
			out = append(out, geom.Box{Min: at, Max: at.Add(geom.Vec2{X: 1, Y: 1})})
		}
	}
	return out
}

// An index gives the very distances and gradients of the union, near and far.
func TestIndexIsTheUnion(t *testing.T) {
	draw := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{0, 1, 2, 5, 30, 300, 2000} {
		solids := crowded(draw, n)
		if n == 30 {
			solids[7] = geom.Union{solids[7]} // has no convex form
		}
		x := NewIndex(solids)
		for k := range 2000 {
			p := geom.Vec2{X: 30*draw.Float64() - 5, Y: 15*draw.Float64() - 5}
			if k%3 == 0 {
				p = geom.Vec2{X: float64(draw.IntN(20)), Y: float64(draw.IntN(6))} // on the sides of boxes
			}
			if k%100 == 0 {
				p = p.Scale(100)
			}
			d, g := x.SignedDistance(p)
			if wantD, wantG := (geom.Union(solids)).SignedDistance(p); d != wantD || g != wantG {
				t.Fatalf("%d solids: SignedDistance(%v) = %v, %v, want %v, %v", n, p, d, g, wantD, wantG)
			}
		}
	}
}

// Near finds every solid that meets a box, in order.
func TestIndexNear(t *testing.T) {
	draw := rand.New(rand.NewPCG(13, 14))
	for _, n := range []int{0, 1, 40, 800} {
		solids := crowded(draw, n)
		x := NewIndex(solids)
		for range 500 {
			b := geom.Box{Min: geom.Vec2{X: 30*draw.Float64() - 5, Y: 12*draw.Float64() - 5}}
			b.Max = b.Min.Add(geom.Vec2{X: 3 * draw.Float64(), Y: draw.Float64()})
			got := x.Near(nil, b)
			if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
				t.Fatalf("Near = %v, want ascending numbers", got)
			}
			for i, s := range solids {
				o, _ := boundsOf(s)
				meets := o.Min.X <= b.Max.X && b.Min.X <= o.Max.X && o.Min.Y <= b.Max.Y && b.Min.Y <= o.Max.Y
				if meets && !slices.Contains(got, i) {
					t.Fatalf("%d of %d solids meets %v and is not near", i, n, b)
				}
			}
		}
	}
}

// Thousands of boxes in a row, and one as large as all of them.
func TestIndexOfLongSolids(t *testing.T) {
	solids := []geom.Solid{geom.Box{Min: geom.Vec2{X: 0, Y: -1}, Max: geom.Vec2{X: 5000, Y: 0}}}
	for k := range 5000 {
		solids = append(solids, geom.Box{Min: geom.Vec2{X: float64(k), Y: 2}, Max: geom.Vec2{X: float64(k) + 0.5, Y: 3}})
	}
	x := NewIndex(solids)
	if n := len(x.Near(nil, geom.Box{Min: geom.Vec2{X: 100, Y: 0.5}, Max: geom.Vec2{X: 103, Y: 5}})); n > 5 {
		t.Errorf("%d solids near a box that meets 4", n)
	}
	if d, _ := x.SignedDistance(geom.Vec2{X: 77.7, Y: 1.5}); d != distance(solids, geom.Vec2{X: 77.7, Y: 1.5}) {
		t.Errorf("distance %v", d)
	}
}

func distance(u geom.Union, p geom.Vec2) float64 { d, _ := u.SignedDistance(p); return d }

func BenchmarkIndex(b *testing.B) {
	solids := crowded(rand.New(rand.NewPCG(15, 16)), 10000)
	x := NewIndex(solids)
	for i := 0; b.Loop(); i++ {
		x.SignedDistance(geom.Vec2{X: float64(i%211) / 10, Y: float64(i%53) / 10})
	}
}
