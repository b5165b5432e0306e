package messages

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// A polyline through points of a curve is off it by its chords: by at most the first share of the smallest radius, and a
// quarter of the room that the certificate leaves, which is then a half between two robots. However little that is, the second share of the
// radius is fine enough, so that files do not grow without bounds.
const (
	coarsestChord = 1e-3
	finestChord   = 1e-4
	chordOfRoom   = 0.25
)

// chord returns by how much a polyline may be off a curve.
func (m *Team) chord() float64 {
	smallest := math.Inf(1)
	for _, r := range m.Robots {
		smallest = min(smallest, r.Radius)
	}
	return min(coarsestChord*smallest, max(finestChord*smallest, chordOfRoom*m.Room))
}

// polylineTimes returns the times of points through which a polyline is the motion of a robot, in whole nanoseconds. Where
// it goes straight, these are its waypoints: its acceleration is limited from step to step, and points between them would
// make steps shorter in which speed changes by as much. A curve is cut into pieces of equal
// times, at least so many a second, that are off it by no more than its chords may be. Accelerations
// from piece to piece are means of those of the curve, whatever the pieces.
func (m *Team) polylineTimes(r *Robot, rate float64) []float64 {
	p := r.Path
	if !p.Curved() {
		return m.stamped(p.Times)
	}
	var out []float64
	off := m.chord()
	for k := range len(p.X) - 1 {
		h := p.Times[k+1] - p.Times[k]
		b := geom.Curve{X: p.X[k : k+2], V: p.V[k : k+2], Step: h}.Span(0)
		bend := max(b.Acceleration(0).Norm(), b.Acceleration(1).Norm()) // an eighth of it is the chord of the span
		n := max(1, math.Ceil(h*rate*(1-1e-9)), math.Ceil(math.Sqrt(bend/(8*off))))
		for j := range int(n) {
			out = append(out, p.Times[k]+h*float64(j)/n)
		}
	}
	return m.stamped(append(out, p.Times[len(p.Times)-1]))
}
