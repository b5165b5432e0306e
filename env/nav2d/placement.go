package nav2d

import (
	"fmt"
	"math"
	"slices"

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
	// Free is a place near it where the robot fits and has a way, as was tried; nil where none was found.
	Free *geom.Vec2
}

func (e *PlacementError) Error() string {
	if e.Outside {
		return fmt.Sprintf("nav2d: the %s %s of %s is too near to the bounds: with its radius of %.3g it leaves them by %.3g%s",
			e.Place, told.Place(e.At.X, e.At.Y, e.Radius), e.Robot, e.Radius, e.Clearance, nearby.Fits(e.Robot, e.Free, e.Radius))
	}
	margin := ""
	if e.Margin > 0 {
		margin = fmt.Sprintf(" and margin %.3g", e.Margin)
	}
	need, how := e.Radius+e.Margin, "is in"
	clearance, radius := told.Apart(e.Clearance, e.Radius, 3)
	move := told.AtLeast(need-e.Clearance, 3)
	if e.Clearance > need*(1-touching) {
		how, clearance, radius, move = "touches", told.Digits(e.Clearance, 3), told.Digits(e.Radius, 3), told.Digits(2*room*need, 1)
	}
	return fmt.Sprintf("nav2d: the %s %s of %s %s an obstacle: clearance %s, radius %s%s; move it by %s%s",
		e.Place, told.Place(e.At.X, e.At.Y, e.Radius), e.Robot, how, clearance, radius, margin, move, nearby.Fits(e.Robot, e.Free, e.Radius))
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
	// Free is a place near it where the second robot fits, which has that radius, and has a way, as was tried; nil where none
	// was found.
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

// checkPlacement finds robots that do not fit where they start or end.
func (t *Task) checkPlacement() error {
	var c sceneCheck
	for i, r := range t.Robots {
		for end, place := range ends {
			if e := t.placementProblem(r, place, r.at(end)); e != nil {
				if c.tells() {
					e.Free = t.fits(i, end)
				}
				c.add(e)
			}
			for _, other := range t.Robots[:i] {
				if d, need := r.at(end).Dist(other.at(end)), r.Radius+other.Radius+t.Margin; !(d > need*(1+touching)) {
					t.tooClose(&c, i, end, other.Name, d, need)
				}
			}
		}
		for _, m := range t.Traffic {
			for end := range ends {
				if d, need := t.toTraffic(m, end, r.at(end)), r.Radius+m.Radius+t.Margin; !(d >= need) {
					t.tooClose(&c, i, end, m.Name, d, need)
				}
			}
		}
	}
	return c.err()
}

// ends are those of ways.
var ends = [2]string{"start", "goal"}

// at returns where a robot is at an end of its way.
func (r TaskRobot) at(end int) geom.Vec2 { return [2]geom.Vec2{r.Start, r.Goal}[end] }

// tooClose notes that robot i is too near to another robot, or to traffic.
func (t *Task) tooClose(c *sceneCheck, i, end int, other string, d, need float64) {
	r := t.Robots[i]
	e := &SeparationError{Robots: [2]string{other, r.Name}, Place: ends[end] + "s", Distance: d * t.Frame.Scale, Need: need * t.Frame.Scale, Radius: r.GivenRadius}
	if c.tells() {
		e.Free = t.fits(i, end)
	}
	c.add(e)
}

func (t *Task) placementProblem(r TaskRobot, place string, at geom.Vec2) *PlacementError {
	need := r.Radius + t.Margin
	e := &PlacementError{Robot: r.Name, Place: place, At: t.Frame.FromMap(at), Radius: r.Radius * t.Frame.Scale, Margin: t.Margin * t.Frame.Scale}
	if outside, _ := t.Map.Bounds.Grow(-r.Radius).SignedDistance(at); !(outside <= t.Frame.rounding()) {
		e.Outside, e.Clearance = true, outside*t.Frame.Scale
		return e
	}
	if d, _ := t.Map.Clearance(at); !(d > need*(1+touching)) {
		e.Clearance = d * t.Frame.Scale
		return e
	}
	return nil
}

// toTraffic returns how near traffic comes to a robot at an end of its way: where it begins, or while the last
// step passes in which the robot rests. Of the shortest time nobody knows when that is.
func (t *Task) toTraffic(m taskTraffic, end int, at geom.Vec2) float64 {
	switch {
	case end == 0:
		return at.Dist(m.at(0))
	case t.Shortest:
		return math.Inf(1)
	}
	return m.nearest(at, float64(t.Waypoints-1)*t.Step, float64(t.Waypoints)*t.Step)
}

// fits returns a place in scene units near an end of the way of robot i where that may be, as its message tells it: off
// obstacles, off the border and off all others, and with a way to its other end if that is a place itself. It is nil where
// none is found among those that are tried.
func (t *Task) fits(i, end int) *geom.Vec2 {
	r := t.Robots[i]
	room := t.Map.Bounds.Grow(-r.Radius)
	from := nearby.Within(r.at(end), room)
	besides := t.free(i, 1-end, r.at(1-end))
	var parted []geom.Vec2 // places without a way; others as near to them are most likely no better
	free := func(p geom.Vec2) bool {
		if len(parted) == mostParted || slices.ContainsFunc(parted, func(q geom.Vec2) bool { return p.Dist(q) < q.Dist(from) }) || !t.free(i, end, p) {
			return false
		}
		if besides {
			if _, blocked := blockingPassage(t.Map, r.Radius, t.Margin, p, r.at(1-end)); blocked {
				parted = append(parted, p)
				return false
			}
		}
		return true
	}
	return nearby.Free(from, room, r.Radius/50, nearby.Told(t.Frame, r.GivenRadius), free)
}

// mostParted is after how many places without a way no more are tried.
const mostParted = 8

// free reports whether robot i may be at a place, at an end of its way.
func (t *Task) free(i, end int, at geom.Vec2) bool {
	r := t.Robots[i]
	if t.placementProblem(r, ends[end], at) != nil {
		return false
	}
	for k, other := range t.Robots {
		if k != i && !(at.Dist(other.at(end)) > (r.Radius+other.Radius+t.Margin)*(1+touching)) {
			return false
		}
	}
	for _, m := range t.Traffic {
		if !(t.toTraffic(m, end, at) >= r.Radius+m.Radius+t.Margin) {
			return false
		}
	}
	return true
}
