package metric

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Frechet returns the discrete Fréchet distance of two paths: the shortest leash
// with which two walkers can go from start to end, each by jumps from point to
// point and never back. It is 0 between two empty paths and infinite if one is
// empty.
//
// Source: Eiter and Mannila, "Computing discrete Fréchet distance" (TU Wien,
// CD-TR 94/64, 1994).
func Frechet(a, b []geom.Vec2) float64 {
	var buffer [64]float64
	row := append(buffer[:0], 0)
	for range b {
		row = append(row, math.Inf(1))
	}
	for _, p := range a {
		diagonal := row[0]
		row[0] = math.Inf(1)
		for j, q := range b {
			leash := max(min(diagonal, row[j+1], row[j]), p.Dist(q))
			diagonal, row[j+1] = row[j+1], leash
		}
	}
	return row[len(b)]
}
