package pusht

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// The block is symmetric about its stem, and the stem of the goal lies on a
// diagonal of the window. So the mirror image of a motion about that diagonal is
// a motion too, with the same rewards, as long as the block keeps off the walls:
// those lie half a pixel off the middle.

// MirrorPoint returns the mirror image of a point about the axis of the goal.
func MirrorPoint(p geom.Vec2) geom.Vec2 { return geom.Vec2{X: Size - p.Y, Y: Size - p.X} }

// Mirror returns the mirror image of a state about the axis of the goal.
func (s State) Mirror() State {
	return State{
		Agent: MirrorPoint(s.Agent),
		Block: Pose{Position: MirrorPoint(s.Block.Position), Angle: math.Pi/2 - s.Block.Angle},
	}
}

// Observe writes the observation of a state in pixels to dst, as [World.Observe].
func (s State) Observe(dst []float64) []float64 {
	w := World{agent: agent{position: s.Agent}, block: blockAt(s.Block)}
	return w.Observe(dst)
}

// Clearance returns the distance in pixels from the block to the nearest wall; it
// is negative when they overlap.
func Clearance(p Pose) float64 {
	b := blockAt(p)
	least := math.Inf(1)
	for _, part := range b.parts {
		for _, c := range part.corner {
			least = min(least, c.X-wallInner, wallOuter-c.X, c.Y-wallInner, wallOuter-c.Y)
		}
	}
	return least
}

// The inner faces of the walls.
const (
	wallInner = 5 + wallRadius
	wallOuter = 506 - wallRadius
)

// Mirrored returns the mirror images of the episodes in which the block stays
// more than clearance pixels away from every wall, with their numbers. With a
// clearance of 2 or more, the actions of a mirrored episode lead to its states as
// the actions of the recording do.
func (d *Demonstrations) Mirrored(clearance float64) (m *Demonstrations, episodes []int) {
	m = &Demonstrations{}
	for e := range d.Episodes() {
		if lo, hi := d.Rows(e); d.clear(lo, hi, clearance) {
			episodes = append(episodes, e)
			m.States = append(m.States, d.States[lo:hi]...)
			m.EpisodeEnds = append(m.EpisodeEnds, int64(len(m.States)))
			m.Actions.Data = append(m.Actions.Data, d.Actions.Rows(lo, hi).Data...)
		}
	}
	m.Actions.N, m.Actions.Shape = len(m.States), d.Actions.Shape
	m.Observations = d.Observations
	m.Observations.N, m.Observations.Data = len(m.States), make([]float32, len(m.States)*ObservationSize)
	var observation [ObservationSize]float64
	for i := range m.States {
		m.States[i] = m.States[i].Mirror()
		a := m.Actions.Sample(i)
		a[0], a[1] = Size-a[1], Size-a[0]
		for k, v := range m.States[i].Observe(observation[:]) {
			m.Observations.Sample(i)[k] = float32(v)
		}
	}
	return m, episodes
}

func (d *Demonstrations) clear(lo, hi int, clearance float64) bool {
	for _, s := range d.States[lo:hi] {
		if Clearance(s.Block) <= clearance {
			return false
		}
	}
	return true
}
