package toy

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/noise"
)

// recorded plays back the draws of a reference run: row draw of a table per
// variable.
type recorded struct {
	table [2][][]float32
}

func (r recorded) Normal(dst []float32, _ int, at noise.Address) {
	copy(dst, r.table[at.Variable][at.Draw][at.Sample:])
}

// chains reads the recorded draws. Joint methods alternate between the blocks;
// the sequential one draws all steps of the big block first.
func chains(g *golden.Archive, n int, sequential bool) recorded {
	initial, draws := rows(g.Float32("init_normals"), 256), rows(g.Float32("noise"), 256)
	var r recorded
	for v := range r.table {
		r.table[v] = append(r.table[v], initial[v])
		for k := range n {
			if sequential {
				r.table[v] = append(r.table[v], draws[v*n+k])
			} else {
				r.table[v] = append(r.table[v], draws[2*k+v])
			}
		}
	}
	return r
}

func rows(v []float32, width int) [][]float32 {
	var out [][]float32
	for ; len(v) > 0; v = v[width:] {
		out = append(out, v[:width])
	}
	return out
}

// close995 checks 99.5 % of the elements, the share for which two float32
// evaluations of these chains agree.
func close995(t *testing.T, what string, got, want []float32) {
	t.Helper()
	bad := 0
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > 2e-4 {
			bad++
		}
	}
	if limit := len(got) * 5 / 1000; bad > limit {
		t.Errorf("%s: %d of %d elements differ by more than 2e-4, want at most %d", what, bad, len(got), limit)
	}
}

func TestReferenceChains(t *testing.T) {
	g := golden.Open(t, "testdata/lmc.npz")
	weak := 5.0
	for _, c := range []struct {
		name     string
		method   Method
		strength *float64
	}{{"coupled", Coupled, nil}, {"pcd", PCD, nil}, {"projected", PD, nil}, {"conditional", Conditional, nil}, {"pcd_lam5", PCD, &weak}} {
		for _, n := range []int{1, 2, 40} {
			p, err := Run(context.Background(), c.method, Options{
				Pairs: 256, Steps: n, Strength: c.strength, Noise: chains(g, n, c.method == Conditional),
			})
			if err != nil {
				t.Fatal(err)
			}
			close995(t, fmt.Sprintf("%s, big block after %d", c.name, n), p.Big.Data, g.Float32(fmt.Sprintf("x_%s_%d", c.name, n)))
			close995(t, fmt.Sprintf("%s, small block after %d", c.name, n), p.Small.Data, g.Float32(fmt.Sprintf("y_%s_%d", c.name, n)))
		}
	}
}
