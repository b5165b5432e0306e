package route

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// traveller is one who searches a way in space and time among others.
type traveller struct {
	road      *roadmap
	last, per int         // waypoint numbers: the last one, and those of one move
	wait      int         // waypoint before which it does not set out
	others    []companion // whose paths are fixed
	early     bool        // it is to arrive early, rather than on a short way
}

// companion is a body on a fixed course, and the distance to keep from it.
type companion struct {
	Course
	distance float64
	late     int // by how many steps it may be earlier or later
}

// meets reports whether a robot that moves straight from p to q while waypoint h goes on to
// the next comes too near.
func (o companion) meets(p, q geom.Vec2, h int) bool {
	if o.late > 0 {
		return o.nearLate(p, q, h, o.late, o.distance) > 0
	}
	if len(o.Turns) == 0 {
		return tooNear(p.Sub(o.Path[h]), q.Sub(o.Path[h+1]), o.distance)
	}
	near := false
	o.seenFrom(p, q, h, func(u, v geom.Vec2) { near = near || tooNear(u, v, o.distance) })
	return near
}

// waiting is the cost of a move's time in which a robot stands, in lengths of a way:
// little, so that it moves no more than it has to.
const waiting = 0.05

// travel returns a path of waypoints from the start to the goal on which the traveller
// keeps its distance from all others at every moment, waiting where that helps; nil
// if there is none. It is A* over places and times with the lengths of the shortest
// ways, which ignore the others, as its estimates. Source: Silver, "Cooperative
// pathfinding" (2005).
func (t *traveller) travel() []geom.Vec2 {
	from, to := t.road.start(), t.road.goal()
	layers := t.last/t.per + 1
	n := len(t.road.places)
	estimate := t.road.distances()
	if math.IsInf(estimate[from], 1) || !t.stays(from, 0, t.last%t.per) {
		return nil
	}
	cost := make([]float32, n*layers)
	parent := make([]int32, n*layers)
	for i := range cost {
		cost[i] = float32(math.Inf(1))
	}
	cost[from], parent[from] = 0, -1
	queue := &stateQueue{{estimate[from], from}}
	for len(*queue) > 0 {
		q := queue.pop()
		place, layer := q.state%n, q.state/n
		if q.estimate > float64(cost[q.state])+estimate[place]+1e-5 {
			continue
		}
		if place == to && t.stays(to, t.waypoint(layer), t.last) {
			return t.path(parent, q.state)
		}
		if layer+1 == layers {
			continue
		}
		for k := -1; k < len(t.road.ways[place]); k++ {
			next := place
			if k >= 0 {
				next = int(t.road.ways[place][k])
			}
			c := t.cost(place, next)
			state := (layer+1)*n + next
			total := float32(float64(cost[q.state]) + c)
			if k >= 0 && t.waypoint(layer) < t.wait {
				break
			}
			if total < cost[state] && t.moves(place, next, t.waypoint(layer)) {
				cost[state], parent[state] = total, int32(q.state)
				queue.push(queued{float64(total) + estimate[next], state})
			}
		}
	}
	return nil
}

// cost returns that of a move, at least its length.
func (t *traveller) cost(from, to int) float64 {
	length := t.road.places[from].Dist(t.road.places[to])
	switch {
	case t.early:
		return t.road.reach + waiting*length
	case from == to:
		return waiting * t.road.reach
	}
	return length
}

// waypoint returns the first waypoint of a layer. What does not divide is spent
// before the first move.
func (t *traveller) waypoint(layer int) int { return t.last%t.per + layer*t.per }

// moves reports whether a move that begins at waypoint h keeps all distances.
func (t *traveller) moves(from, to, h int) bool {
	return t.keepsAway(t.road.places[from], t.road.places[to], h)
}

// keepsAway reports whether a straight move that begins at waypoint h keeps all distances.
func (t *traveller) keepsAway(a, b geom.Vec2, h int) bool {
	for _, o := range t.others {
		for k := range t.per {
			if o.meets(a.Lerp(b, float64(k)/float64(t.per)), a.Lerp(b, float64(k+1)/float64(t.per)), h+k) {
				return false
			}
		}
	}
	return true
}

// stays reports whether a robot at a place from one waypoint to another keeps all
// distances.
func (t *traveller) stays(place, from, to int) bool {
	p := t.road.places[place]
	for _, o := range t.others {
		for h := from; h < to; h++ {
			if o.meets(p, p, h) {
				return false
			}
		}
	}
	return true
}

// tooNear reports whether a relative motion comes nearer than a distance.
func tooNear(u, v geom.Vec2, distance float64) bool {
	far := distance + math.Abs(v.X-u.X) + math.Abs(v.Y-u.Y)
	if math.Abs(u.X) > far || math.Abs(u.Y) > far {
		return false
	}
	s := geom.Segment{A: u, B: v}
	return s.Distance(geom.Vec2{}) < distance
}

// path returns the waypoints of the way to a state.
func (t *traveller) path(parent []int32, state int) []geom.Vec2 {
	n := len(t.road.places)
	out := make([]geom.Vec2, t.last+1)
	for h := t.waypoint(state / n); h <= t.last; h++ {
		out[h] = t.road.places[state%n]
	}
	for {
		before := int(parent[state])
		if before < 0 {
			break
		}
		a, b, h := t.road.places[before%n], t.road.places[state%n], t.waypoint(before/n)
		for k := range t.per {
			out[h+k] = a.Lerp(b, float64(k)/float64(t.per))
		}
		state = before
	}
	for h := range t.last % t.per {
		out[h] = t.road.places[state%n]
	}
	return out
}
