package project

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// exactSet makes a float64 projection a Projector for tests of [Intersection].
type exactSet struct {
	Projector
	f func(dst, x []float64)
}

func (e exactSet) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) { e.f(dst, x) }

func TestIntersectionGolden(t *testing.T) {
	g := readNPZ(t, "elementary_sets.npz")
	box := func(set string) Projector {
		b, err := NewBox(g[set+"__lo"].data, g[set+"__hi"].data)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	half := func(a []float64, b float64) Projector {
		h, err := NewHalfSpace(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	ball := func(set, n string) Projector {
		return exactSet{f: ballAt(g[set+"__center"+n].data, g[set+"__radius"+n].data[0])}
	}
	for _, d := range []int{2, 3, 8} {
		sets := map[string][]Projector{}
		name := func(s string) string { return fmt.Sprintf("%s_d%d", s, d) }
		plane := func(set string) Projector { return half(g[set+"__a"].data, g[set+"__b"].data[0]) }
		s := name("box_halfspace")
		sets[s] = []Projector{box(s), plane(s)}
		s = name("ball_halfspace")
		sets[s] = []Projector{ball(s, ""), plane(s)}
		s = name("ball_box")
		sets[s] = []Projector{ball(s, ""), box(s)}
		s = name("ball_ball")
		sets[s] = []Projector{ball(s, "1"), ball(s, "2")}
		s = name("polyhedron")
		for i, b := range g[s+"__b"].data {
			sets[s] = append(sets[s], half(g[s+"__A"].row(i), b))
		}
		for s, list := range sets {
			n, err := NewIntersection(IntersectionOptions{MaxIterations: 100000, Tolerance: 1e-14}, list...)
			if err != nil {
				t.Fatal(err)
			}
			p, out := g[s+"__p"], g[s+"__out"]
			for k := range p.shape[0] {
				got := make([]float64, d)
				o := n.dykstra(got, p.row(k), tensor.Shape{d}, 0)
				if diff, _ := farthest(got, out.row(k)); !(diff <= 1e-9) {
					t.Errorf("%s, row %d: off by %.3g, want 1e-9; %+v", s, k, diff, o)
				}
			}
		}
	}
}
