package judge

import (
	"cmp"
	"slices"

	"github.com/go-pcd/pcd/internal/gaps"
)

// spell is a time in pieces of a motion, the last one left out.
type spell struct{ from, to int }

// encounter is a time for which a robot is near an obstacle.
type encounter struct {
	obstacle int
	spell
}

// encounters returns those of robot i in order of obstacles, then of time, for which a proof needs
// rows. Elsewhere the box around a piece lies beyond that of the obstacle, which includes its
// radius, by more than reach of the rounding of the piece.
func (c *court) encounters(i int, reach func(blur float64) float64) (out []encounter) {
	t := c.tracks[i]
	var found []int
	for k, hull := range t.hulls {
		around, far := hull.Bounds(), reach(t.blur[k])
		found = c.index.Near(found[:0], around.Grow(far))
		for _, o := range found {
			if gap, _ := gaps.Beyond(around, c.boxes[o]); gap <= far {
				out = append(out, encounter{o, spell{k, k + 1}})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b encounter) int { return cmp.Compare(a.obstacle, b.obstacle) })
	joined := out[:0]
	for _, e := range out {
		if n := len(joined); n > 0 && joined[n-1].obstacle == e.obstacle && joined[n-1].to == e.from {
			joined[n-1].to = e.to
			continue
		}
		joined = append(joined, e)
	}
	return joined
}
