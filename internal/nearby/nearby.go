// Package nearby looks for a place near another one, for what stands where it cannot.
//
// Everything is pure; [Around] allocates nothing.
package nearby

import (
	"iter"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Rings have so many places, and each is wider than the one before by a share: one place is from the next on its ring as
// from that on the next ring.
const (
	directions = 48
	wider      = 2 * math.Pi / directions
)

// Around yields places at distances from least, which is positive, to most from a place, nearer ones first.
func Around(at geom.Vec2, least, most float64) iter.Seq[geom.Vec2] {
	return func(yield func(geom.Vec2) bool) {
		for ring, d := 0, least; d <= most; ring, d = ring+1, d*(1+wider) {
			for k := range directions {
				sin, cos := math.Sincos(2 * math.Pi * (float64(k) + float64(ring%2)/2) / directions)
				if !yield(at.Add(geom.Vec2{X: d * cos, Y: d * sin})) {
					return
				}
			}
		}
	}
}

// Free returns the nearest of the places that it tries around one, within a room, that is free: as it is told, because a place
// that is rounded is another one. tell returns a place of the room as it is told, and where that is in the room. Free is nil where
// none is.
func Free(at geom.Vec2, room geom.Box, least float64, tell func(geom.Vec2) (told, there geom.Vec2), free func(geom.Vec2) bool) *geom.Vec2 {
	for p := range Around(Within(at, room), least, room.Size().Norm()) {
		if told, there := tell(p); free(there) {
			return &told
		}
	}
	return nil
}

// Within returns the place of a room that is nearest to one.
func Within(at geom.Vec2, room geom.Box) geom.Vec2 {
	return geom.Vec2{X: max(room.Min.X, min(at.X, room.Max.X)), Y: max(room.Min.Y, min(at.Y, room.Max.Y))}
}
