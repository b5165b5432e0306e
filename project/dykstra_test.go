package project

import (
	"errors"
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// exactSet makes a float64 projection a Projector for tests of [intersectionSet].
type exactSet struct {
	Projector
	f func(dst, x []float64)
}

func (e exactSet) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) { e.f(dst, x) }

// A hull and a box that one element separates have no intersection; those that touch, or
// overlap in every element, have one as far as elements tell.
func TestHullApartFromBox(t *testing.T) {
	exemplars := tensor.New(2, 3)
	copy(exemplars.Data, []float32{1, -4, 2, 3, -2, -2})
	h, err := NewHull(exemplars)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		lo, hi []float64
		by     float64 // 0 is not apart
	}{
		"below":             {[]float64{-9, -9, -9}, []float64{0.5, 9, 9}, 0.5},
		"above":             {[]float64{-9, -1, -9}, []float64{9, 9, 9}, 1},
		"two elements":      {[]float64{-9, -1, -9}, []float64{-2, 9, 9}, 3},
		"touches":           {[]float64{-9, -9, -9}, []float64{1, 9, 9}, 0},
		"contains":          {[]float64{-9, -9, -9}, []float64{9, 9, 9}, 0},
		"within a rounding": {[]float64{-9, -9, -9}, []float64{1 - 1e-8, 9, 9}, 0},
	} {
		b, err := NewBox(c.lo, c.hi)
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewIntersection(IntersectionOptions{}, h, b)
		var apart *InfeasibleError
		if got := errors.As(err, &apart); got != (c.by > 0) || got && apart.Violation != c.by {
			t.Errorf("%s: %v, want infeasible by %v", name, err, c.by)
		}
	}
}

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
				o := n.(*intersectionSet).dykstra(got, p.row(k), tensor.Shape{d}, 0)
				if diff, _ := farthest(got, out.row(k)); !(diff <= 1e-9) {
					t.Errorf("%s, row %d: off by %.3g, want 1e-9; %+v", s, k, diff, o)
				}
			}
		}
	}
}
