package nav2d

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
)

// ends are those of ways.
var ends = [2]string{"start", "goal"}

// at returns where a robot is at an end of its way.
func (r *TaskRobot) at(end int) geom.Vec2 { return *r.end(end) }

func (r *TaskRobot) end(end int) *geom.Vec2 { return [2]*geom.Vec2{&r.Start, &r.Goal}[end] }

// checkPlacement finds robots that do not fit where they start or end.
func (t *Task) checkPlacement() error {
	p := placementCheck{task: t, refused: make([][2]bool, len(t.Robots))}
	for i := range t.Robots {
		r := &t.Robots[i]
		for end := range ends {
			if e := t.placementProblem(r, end); e != nil {
				p.refuse(i, end, e, &e.Free)
			}
			for _, other := range t.Robots[:i] {
				if d, need := r.at(end).Dist(other.at(end)), r.Radius+other.Radius+t.Margin; !(d > need*(1+touching)) {
					p.tooClose(i, end, other.Name, d, need)
				}
			}
		}
		for _, m := range t.Traffic {
			for end := range ends {
				if d, need := t.toTraffic(m, end, r.at(end)), r.Radius+m.Radius+t.Margin; !(d >= need) {
					p.tooClose(i, end, m.Name, d, need)
				}
			}
		}
	}
	p.moveAll()
	return p.err()
}

// placementCheck collects the places of a task that are refused, and finds others for them that are free together.
type placementCheck struct {
	sceneCheck
	task    *Task
	refused [][2]bool // of every robot: its start, its goal
	moves   []move    // of problems that are told
}

// wayEnd is an end of the way of a robot.
type wayEnd struct{ robot, end int }

// move is where the message of a refused place tells another one.
type move struct {
	wayEnd
	free **geom.Vec2
}

// refuse notes what is wrong with an end of the way of robot i, in whose message a free place is told.
func (p *placementCheck) refuse(i, end int, problem error, free **geom.Vec2) {
	p.refused[i][end] = true
	if p.tells() {
		p.moves = append(p.moves, move{wayEnd{i, end}, free})
	}
	p.add(problem)
}

// tooClose notes that robot i is too near to another robot, or to traffic.
func (p *placementCheck) tooClose(i, end int, other string, d, need float64) {
	r, scale := &p.task.Robots[i], p.task.Frame.Scale
	e := &SeparationError{Robots: [2]string{other, r.Name}, Place: ends[end] + "s", Distance: d * scale, Need: need * scale, Radius: r.GivenRadius}
	p.refuse(i, end, e, &e.Free)
}

// moveAll finds a place for every refused one, and the same for all messages about it. Those for which none is left beside the
// others have the first choice in a second try.
func (p *placementCheck) moveAll() {
	places, without := p.places(nil)
	if len(without) > 0 && len(without) < len(places) {
		if others, still := p.places(without); len(still) < len(without) {
			places = others
		}
	}
	for _, m := range p.moves {
		*m.free = places[m.wayEnd]
	}
}

// places finds places for the refused ones that are told, some of them first: free of where the robots before were moved to and
// of where all others are. So a scene in which all are moved as they are told has no such problem left, and none is new
// where only some are. It also returns those for which none was found.
func (p *placementCheck) places(first []wayEnd) (places map[wayEnd]*geom.Vec2, without []wayEnd) {
	moved, refused := *p.task, slices.Clone(p.refused)
	moved.Robots = slices.Clone(moved.Robots)
	places = map[wayEnd]*geom.Vec2{}
	for _, m := range p.moves {
		first = append(first, m.wayEnd)
	}
	for _, e := range first {
		if _, tried := places[e]; tried {
			continue
		}
		place := moved.fits(e, !refused[e.robot][1-e.end])
		if places[e] = place; place == nil {
			without = append(without, e)
			continue
		}
		*moved.Robots[e.robot].end(e.end), refused[e.robot][e.end] = moved.Frame.ToMap(*place), false
	}
	return places, without
}

func (t *Task) placementProblem(r *TaskRobot, end int) *PlacementError {
	need, at := r.Radius+t.Margin, r.at(end)
	e := &PlacementError{Robot: r.Name, Place: ends[end], At: t.Frame.FromMap(at), Radius: r.Radius * t.Frame.Scale, Margin: t.Margin * t.Frame.Scale, bounds: t.Bounds}
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

// fits returns a place in scene units near an end of the way of a robot where that may be, as its message tells it: off
// obstacles, off the border and off all others, and with a way to its other end if that stays. It is nil where
// none is found among those that are tried.
func (t *Task) fits(e wayEnd, stays bool) *geom.Vec2 {
	r, end := t.Robots[e.robot], e.end
	room := t.Map.Bounds.Grow(-r.Radius)
	from := nearby.Within(r.at(end), room)
	var parted []geom.Vec2 // places without a way; others as near to them are most likely no better
	free := func(p geom.Vec2) bool {
		if len(parted) == mostParted || slices.ContainsFunc(parted, func(q geom.Vec2) bool { return p.Dist(q) < q.Dist(from) }) || !t.free(e, p) {
			return false
		}
		if stays {
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

// free reports whether a robot may be at a place, at an end of its way.
func (t *Task) free(e wayEnd, at geom.Vec2) bool {
	r, end := t.Robots[e.robot], e.end
	*r.end(end) = at
	if t.placementProblem(&r, end) != nil {
		return false
	}
	for k, other := range t.Robots {
		if k != e.robot && !(at.Dist(other.at(end)) > (r.Radius+other.Radius+t.Margin)*(1+touching)) {
			return false
		}
	}
	for _, m := range t.Traffic {
		d := t.toTraffic(m, end, at)
		if math.IsInf(d, 1) { // some time it ends
			d = at.Dist(m.Path[len(m.Path)-1])
		}
		if !(d >= r.Radius+m.Radius+t.Margin) {
			return false
		}
	}
	return true
}
