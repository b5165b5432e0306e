package route

import (
	"sort"

	"github.com/go-pcd/pcd/geom"
)

// Course is the motion of a body on the clock of the disks: where it is at their
// waypoints, straight in between but for its turns.
type Course struct {
	Path  []geom.Vec2
	Turns []Turn // between waypoints, in order of time
}

// Turn is where a body turns or changes its speed between two waypoints.
type Turn struct {
	At    float64 // counted in waypoints
	Point geom.Vec2
}

// turnsOn returns the turns between waypoint h and the next.
func (c Course) turnsOn(h int) []Turn {
	if len(c.Turns) == 0 {
		return nil
	}
	from := sort.Search(len(c.Turns), func(k int) bool { return c.Turns[k].At > float64(h) })
	to := sort.Search(len(c.Turns), func(k int) bool { return c.Turns[k].At > float64(h+1) })
	return c.Turns[from:to]
}

// seenFrom calls f for the straight pieces of the motion of a robot, from p to q while h
// goes on to the next waypoint, seen from the body.
func (c Course) seenFrom(p, q geom.Vec2, h int, f func(u, v geom.Vec2)) {
	u := p.Sub(c.Path[h])
	for _, t := range c.turnsOn(h) {
		v := p.Lerp(q, t.At-float64(h)).Sub(t.Point)
		f(u, v)
		u = v
	}
	f(u, q.Sub(c.Path[h+1]))
}

// padded returns a course up to a last waypoint, staying at its end.
func (c Course) padded(last int) Course {
	c.Path = padded(c.Path, last)
	return c
}
