package pusht

import "github.com/go-pcd/pcd/geom"

// Success is the coverage above which the task is done.
const Success = 0.95

// Coverage returns the part of the goal that a block in the given pose covers,
// from 0 to 1.
func Coverage(p Pose) float64 {
	b := blockAt(p)
	return b.coverage()
}

// Coverage returns the part of the goal that the block covers.
func (w *World) Coverage() float64 { return w.block.coverage() }

// Done reports whether a coverage completes the task.
func Done(coverage float64) bool { return coverage > Success }

// Reward returns the reward of a coverage: its share of [Success], at most 1.
func Reward(coverage float64) float64 { return max(0, min(coverage/Success, 1)) }

// goal is a block in the goal pose.
var goal = blockAt(Goal)

// blockArea is the area of the bar and of the stem, which share only an edge.
const blockArea = 120*30 + 30*90

func blockAt(p Pose) (b block) {
	b.turnTo(p.Angle)
	b.moveTo(p.Position)
	return b
}

func (b *block) coverage() float64 { return b.overlapArea(&goal) / blockArea }

// overlapArea returns the area that two blocks share.
func (b *block) overlapArea(c *block) (total float64) {
	var buffer [8]geom.Vec2
	for i := range b.parts {
		for j := range c.parts {
			if p, q := &b.parts[i], &c.parts[j]; overlap(p.bounds, q.bounds) {
				total += geom.Intersect(buffer[:0], p.corner[:], q.corner[:]).Area()
			}
		}
	}
	return total
}
