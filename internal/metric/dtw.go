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
	sum, _ := warp(a, b)
	return sum
}

// MeanDTW returns the distance of [DTW] divided by the number of matched pairs.
// Of several best matchings it takes the one that, seen from the end, prefers the
// steps (1, 1), then (1, 0), then (0, 1). It is 0 between two empty paths.
func MeanDTW(a, b []geom.Vec2) float64 {
	sum, pairs := warp(a, b)
	return sum / float64(max(pairs, 1))
}

// matching is the best matching of the beginnings of two paths.
type matching struct {
	sum   float64
	pairs int
}

func warp(a, b []geom.Vec2) (sum float64, pairs int) {
	var buffer [64]matching
	row := append(buffer[:0], matching{})
	for range b {
		row = append(row, matching{sum: math.Inf(1)})
	}
	for _, p := range a {
		diagonal := row[0]
		row[0] = matching{sum: math.Inf(1)}
		for j, q := range b {
			best := diagonal
			if above := row[j+1]; above.sum < best.sum {
				best = above
			}
			if left := row[j]; left.sum < best.sum {
				best = left
			}
			diagonal = row[j+1]
			row[j+1] = matching{sum: best.sum + p.Dist(q), pairs: best.pairs + 1}
		}
	}
	last := row[len(b)]
	return last.sum, last.pairs
}
