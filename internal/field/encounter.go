package field

import (
	"cmp"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// Encounter is a time for which a motion is near a solid: its pieces from From to To, the last
// one left out.
type Encounter struct{ Solid, From, To int }

// Encounters returns the times for which a motion in so many pieces is near solids, in order of
// solids, then of time: those of pieces around which the box does not lie beyond that of the solid, in
// one coordinate, by more than far. piece returns the box around a piece, and far; boxes are those around
// the solids of the index.
func (x *Index) Encounters(boxes []geom.Box, pieces int, piece func(k int) (around geom.Box, far float64)) (out []Encounter) {
	var found []int
	for k := range pieces {
		around, far := piece(k)
		found = x.Near(found[:0], around.Grow(far))
		for _, o := range found {
			if gap, _ := gaps.Beyond(around, boxes[o]); gap <= far {
				out = append(out, Encounter{o, k, k + 1})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Encounter) int { return cmp.Compare(a.Solid, b.Solid) })
	joined := out[:0]
	for _, e := range out {
		if n := len(joined); n > 0 && joined[n-1].Solid == e.Solid && joined[n-1].To == e.From {
			joined[n-1].To = e.To
			continue
		}
		joined = append(joined, e)
	}
	return joined
}
