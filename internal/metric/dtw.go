package metric

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// DTW returns the dynamic time warping distance of two paths: the least sum of
// distances between matched points over all matchings that run through both paths
// from start to end in the steps (1, 1), (1, 0) and (0, 1). The sum is not divided
// by its length. It is 0 between two empty paths and infinite if one is empty.
//
// Source: Sakoe and Chiba, "Dynamic programming algorithm optimization for spoken
// word recognition" (IEEE ASSP 26, 1978), symmetric steps of equal weight.
func DTW(a, b []geom.Vec2) float64 {
	var buffer [64]float64
	row := append(buffer[:0], 0) // least sums between the points of a so far and the first ones of b
	for range b {
		row = append(row, math.Inf(1))
	}
	for _, p := range a {
		diagonal := row[0]
		row[0] = math.Inf(1)
		for j, q := range b {
			least := min(diagonal, row[j+1], row[j])
			diagonal = row[j+1]
			row[j+1] = least + p.Dist(q)
		}
	}
	return row[len(b)]
}
