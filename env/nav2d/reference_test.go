package nav2d_test

import (
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/golden"
)

// TestReferenceTies: the nodes at which two faces are exactly equally near are those
// of the reference, 258 on the highways and 170 in the drop region.
func TestReferenceTies(t *testing.T) {
	for _, m := range nav2d.Maps() {
		flat := golden.Open(t, "testdata/sdf_"+m.Name+".npz").Ints("exact_tie_nodes")
		want := map[[2]int]bool{}
		for k := 0; k < len(flat); k += 2 {
			want[[2]int{flat[k], flat[k+1]}] = true
		}
		got := 0
		for i := range 400 {
			for j := range 400 {
				v := atNode(m.Reference(), i, j)
				tied := v[1]*v[1] == 0.25 && v[2]*v[2] == 0.25
				if tied != want[[2]int{i, j}] {
					t.Errorf("%s: node (%d, %d) with gradient (%v, %v) is tied: %v", m.Name, i, j, v[1], v[2], tied)
				}
				if tied {
					got++
				}
			}
		}
		if got != len(want) {
			t.Errorf("%s: %d tied nodes, want %d", m.Name, got, len(want))
		}
	}
}

// TestReferenceField compares distances and gradients, the ambiguous ones included.
func TestReferenceField(t *testing.T) {
	for _, m := range nav2d.Maps() {
		a := golden.Open(t, "testdata/sdf_"+m.Name+".npz")
		points := a.Float32("points")
		var value, grad []float64
		for k := 0; k < len(points); k += 2 {
			d, gx, gy := m.Reference().Grid().At(points[k], points[k+1])
			value, grad = append(value, float64(d)), append(grad, float64(gx), float64(gy))
		}
		const ulp = 6e-8 // of 1
		golden.Close(t, m.Name+": value", value, a.Float64("sdf_grid_value"), 2*ulp, 0)
		golden.Close(t, m.Name+": gradient", grad, a.Float64("sdf_grid_grad"), 2e-6, 0)
		nodes := a.Ints("grid_index")
		var atNodes []float64
		for _, i := range nodes {
			for _, j := range nodes {
				v := atNode(m.Reference(), i, j)
				atNodes = append(atNodes, float64(v[1]), float64(v[2]))
			}
		}
		golden.Close(t, m.Name+": gradient at nodes", atNodes, a.Float64("grid_sub_grad"), 2e-6, 0)
	}
}
