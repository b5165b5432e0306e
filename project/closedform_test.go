package project

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// ballAt is a ball whose centre is a float64 vector.
func ballAt(c []float64, r float64) func(dst, x []float64) {
	return func(dst, x []float64) { ballExact(dst, x, c, r) }
}

func exactly(t *testing.T, s Exact, err error) func(dst, x []float64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return func(dst, x []float64) { s.ProjectExact(dst, x, tensor.Shape{len(x)}, 0) }
}

func TestClosedFormsGolden(t *testing.T) {
	g := readNPZ(t, "elementary_sets.npz")
	check := func(set string, project func(dst, x []float64)) {
		t.Helper()
		p, out := g[set+"__p"], g[set+"__out"]
		for k := range p.shape[0] {
			got := make([]float64, p.shape[1])
			project(got, p.row(k))
			if d, _ := farthest(got, out.row(k)); !(d <= 1e-9) {
				t.Errorf("%s, row %d: off by %.3g, want 1e-9", set, k, d)
			}
		}
	}
	for _, d := range []int{2, 5, 40} {
		s, err := NewSimplex(1, inf)
		check(fmt.Sprintf("simplex_d%d", d), exactly(t, s, err))
		s, err = NewSimplex(2.5, inf)
		check(fmt.Sprintf("simplex_R2.5_d%d", d), exactly(t, s, err))
		set := fmt.Sprintf("capped_simplex_d%d", d)
		s, err = NewSimplex(1, g[set+"__cap"].data[0])
		check(set, exactly(t, s, err))
	}
	for _, d := range []int{2, 3, 8} {
		set := fmt.Sprintf("halfspace_d%d", d)
		h, err := NewHalfSpace(g[set+"__a"].data, g[set+"__b"].data[0])
		check(set, exactly(t, h, err))
		set = fmt.Sprintf("ball_d%d", d)
		check(set, ballAt(g[set+"__center"].data, g[set+"__radius"].data[0]))
		set = fmt.Sprintf("box_d%d", d)
		b, err := NewBox(g[set+"__lo"].data, g[set+"__hi"].data)
		check(set, exactly(t, b, err))
	}
}
