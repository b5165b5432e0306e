package nav2d

import (
	"fmt"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
	"github.com/go-pcd/pcd/internal/told"
)

// PlacementError says that a robot does not fit where it starts or ends: its
// centre is too near to an obstacle or just touches it, or its rim leaves the bounds. Lengths are in
// scene units.
type PlacementError struct {
	Robot     string
	Place     string // "start" or "goal"
	At        geom.Vec2
	Outside   bool    // of the bounds, else at an obstacle
	Clearance float64 // distance of the centre to the obstacle, or by how much the rim leaves the bounds
	Radius    float64
	Margin    float64 // to obstacles
	// Free is a place near it where the robot fits and has a way, as was tried, beside the places that are told of
	// other robots; nil where none was found.
	Free *geom.Vec2

	bounds geom.Box // of the scene
}

func (e *PlacementError) Error() string {
	if e.Outside {
		return fmt.Sprintf("nav2d: the %s %s of %s is too near to the bounds: with its radius of %.3g it leaves them by %.3g%s%s",
			e.Place, told.Place(e.At.X, e.At.Y, e.Radius), e.Robot, e.Radius, e.Clearance, e.otherwise(), nearby.Fits(e.Robot, e.Free, e.Radius))
	}
	margin := ""
	if e.Margin > 0 {
		margin = fmt.Sprintf(" and margin %.3g", e.Margin)
	}
	need, how := e.Radius+e.Margin, "is in"
	clearance, radius := told.Apart(e.Clearance, e.Radius, 3)
	if e.Clearance > need*(1-touching) {
		how, clearance, radius = "touches", told.Digits(e.Clearance, 3), told.Digits(e.Radius, 3)
	}
	return fmt.Sprintf("nav2d: the %s %s of %s %s an obstacle: clearance %s, radius %s%s%s",
		e.Place, told.Place(e.At.X, e.At.Y, e.Radius), e.Robot, how, clearance, radius, margin, nearby.Fits(e.Robot, e.Free, e.Radius))
}

// otherwise says of a place far outside where the bounds are, and how its numbers are meant if that puts it within.
func (e *PlacementError) otherwise() string {
	size := e.bounds.Size()
	if e.Clearance < size.X+size.Y {
		return ""
	}
	text := fmt.Sprintf("; these reach from %s to %s", told.Place(e.bounds.Min.X, e.bounds.Min.Y, e.Radius), told.Place(e.bounds.Max.X, e.bounds.Max.Y, e.Radius))
	switch room := e.bounds.Grow(-e.Radius); {
	case room.Contains(geom.Vec2{X: e.At.Y, Y: e.At.X}):
		text += ", and it is within with x and y swapped"
	case room.Contains(e.bounds.Min.Add(e.At)):
		text += ", and it is within when it counts from their lower left corner"
	}
	return text
}

// Parts of what robots have to keep away.
const (
	// touching is what rounding may be: of places that have no more to spare nothing tells whether they are
	// apart, and there is no certificate. That some would pass by the way their numbers round is no plan.
	touching = 1e-9
	room     = 1e-5 // what is enough for a plan
)

// SeparationError says that two robots overlap where they start or end. Lengths
// are in scene units.
type SeparationError struct {
	Robots   [2]string
	Place    string // "starts" or "goals"
	Distance float64
	Need     float64
	// Free is a place near it where the second robot fits, which has that radius, and has a way, as was tried, beside the
	// places that are told of other robots; nil where none was found.
	Free   *geom.Vec2
	Radius float64
}

func (e *SeparationError) Error() string {
	if e.Distance > e.Need*(1-touching) {
		return fmt.Sprintf("nav2d: the %s of %s and %s touch: they are %s apart, want more than the sum of their radii and the margin; radii smaller by %s leave room%s",
			e.Place, e.Robots[0], e.Robots[1], told.Digits(e.Distance, 3), told.Digits(e.Need*room/2, 1), nearby.Fits(e.Robots[1], e.Free, e.Radius))
	}
	distance, need := told.Apart(e.Distance, e.Need, 3)
	return fmt.Sprintf("nav2d: the %s of %s and %s are %s apart, want at least %s, the sum of their radii and the margin%s",
		e.Place, e.Robots[0], e.Robots[1], distance, need, nearby.Fits(e.Robots[1], e.Free, e.Radius))
}
