// Package nearby looks for a place near another one, for what stands where it cannot.
//
// Everything is pure; [Around] allocates nothing.
package nearby

import (
	"iter"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/told"
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

// Frame is how the places of a room are written by those who use it.
type Frame interface {
	FromMap(geom.Vec2) geom.Vec2
	ToMap(geom.Vec2) geom.Vec2
}

// Told returns how messages about something of a size tell a place of a room, and where that is in the room: for [Free].
func Told(f Frame, size float64) func(geom.Vec2) (written, there geom.Vec2) {
	return func(p geom.Vec2) (written, there geom.Vec2) {
		written = f.FromMap(p)
		written.X, written.Y = told.AsPlace(written.X, written.Y, size)
		return written, f.ToMap(written)
	}
}

// Fits says where somebody fits, as part of a message about something of a size; nothing where that is not known.
func Fits(who string, at *geom.Vec2, size float64) string {
	if at == nil {
		return ""
	}
	return "; " + who + " fits at " + told.Place(at.X, at.Y, size)
}

// Within returns the place of a room that is nearest to one.
func Within(at geom.Vec2, room geom.Box) geom.Vec2 {
	return geom.Vec2{X: max(room.Min.X, min(at.X, room.Max.X)), Y: max(room.Min.Y, min(at.Y, room.Max.Y))}
}
