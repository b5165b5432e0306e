package nav2d

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// freeSpace is where the centre of a robot may be that keeps a margin from the
// obstacles of a map, and the published guidance margin from its boundary.
type freeSpace struct {
	obstacles geom.Solid
	margin    float64
	bounds    geom.Box
}

func (m *Map) freeSpace(margin float64) freeSpace {
	if m.robot > 0 {
		return freeSpace{obstacles: m.index, margin: margin, bounds: m.Bounds.Grow(-m.robot)}
	}
	return freeSpace{obstacles: m.index, margin: margin, bounds: m.Bounds.Grow(boundarySlack - GuideMargin(RobotRadius))}
}

func (f freeSpace) contains(p geom.Vec2) bool {
	d, _ := f.obstacles.SignedDistance(p)
	return d >= f.margin && f.bounds.Contains(p)
}

// advanceTolerance is how far a segment may dip below the margin between two
// points of [freeSpace.connects].
const advanceTolerance = 1e-3

// connects reports whether the segment between two free points is free, by
// conservative advancement: from a point with room d no obstacle can be nearer
// than d, so the next point to look at is d further.
func (f freeSpace) connects(a, b geom.Vec2) bool {
	if !f.bounds.Contains(a) || !f.contains(b) {
		return false // before steps are counted, of which there are many to a point far away
	}
	length := a.Dist(b)
	for at := 0.0; at < length; {
		d, _ := f.obstacles.SignedDistance(a.Lerp(b, at/length))
		if d < f.margin {
			return false
		}
		at += max(d-f.margin, advanceTolerance)
	}
	return true
}

// roomAt returns the distance to the nearest obstacle, +Inf on maps whose demonstrations keep
// their margin at both ends.
func (m *Map) roomAt(p geom.Vec2) float64 {
	if m.robot == 0 {
		return math.Inf(1)
	}
	d, _ := m.Clearance(p)
	return d
}
