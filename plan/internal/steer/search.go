package steer

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/frontier"
)

// Task is a vehicle with a place to go to.
type Task struct {
	Start, Goal geom.Vec2
	Headings    [2]*float64 // at start and goal; nil is any
	Radius      float64     // of its arcs
	Size        float64     // radius of the vehicle: what is much smaller than it does not matter
	Bounds      geom.Box    // of the place
	// Room is how far a point is from where the vehicle may not be, negative where it may not. It changes no
	// faster than one goes.
	Room func(geom.Vec2) float64
}

const (
	around   = 16   // headings, a full turn
	most     = 5000 // states that are gone on from
	greedy   = 1.4  // by how much the way that is left counts more than the way so far
	shots    = 8    // of so many states one is tried to go on from straight to the goal
	cushion  = 0.3  // of its size a vehicle keeps from what is in its way, where there is room
	pressing = 3    // times the length of a way without that
)

// state is a place and heading on a way, and how it is come to.
type state struct {
	at      geom.Vec2
	heading int // in 16ths of a turn, from base
	cost    float64
	before  *state
	by      move
}

// move is an arc of a 16th of a turn to the left (1) or right (-1), or straight on (0).
type move struct {
	side   float64
	radius float64
	length float64
}

// Way returns points along a way that is found, by a search of arcs of a 16th of a turn and straight pieces, the
// last part of which are two arcs and a line; nil where none is found.
//
// Source: Dolgov, Thrun, Montemerlo and Diebel, "Practical search techniques in path planning for autonomous
// driving" (2008).
func (t Task) Way() []geom.Vec2 {
	s := search{Task: t, left: t.distances(), seen: map[[3]int]bool{}}
	s.step = max(t.Radius*2*math.Pi/around, t.Size/3)
	for _, radius := range []float64{t.Radius, 2.5 * t.Radius} {
		for _, side := range []float64{1, -1} {
			s.moves = append(s.moves, move{side, radius, radius * 2 * math.Pi / around})
		}
	}
	s.moves = append(s.moves, move{length: s.step})
	first := around
	if h := t.Headings[0]; h != nil {
		first, s.base = 1, *h
	}
	for k := range first {
		s.push(&state{at: t.Start, heading: k})
	}
	for n := range most {
		now, _, ok := s.open.Pop()
		if !ok {
			break
		}
		if s.seen[s.key(now)] {
			continue
		}
		s.seen[s.key(now)] = true
		if n%shots == 0 || n%2 == 0 && now.at.Dist(t.Goal) < 6*t.Radius {
			if end := s.shot(now); end != nil {
				return s.shortened(now, end)
			}
		}
		for _, m := range s.moves {
			s.try(now, m)
		}
	}
	return nil
}

// search is a search on its way.
type search struct {
	Task
	left  *distances
	base  float64 // heading from which headings count
	step  float64 // length of a straight piece
	moves []move
	open  frontier.Queue[*state] // in the order of the ways through them
	seen  map[[3]int]bool
}

func (s *search) angle(heading int) float64 { return s.base + 2*math.Pi*float64(heading)/around }

// key is the same of states that are as good as one.
func (s *search) key(x *state) [3]int {
	cell := s.step / 2
	return [3]int{int(math.Floor(x.at.X / cell)), int(math.Floor(x.at.Y / cell)), x.heading}
}

func (s *search) push(x *state) {
	if left := s.left.at(x.at); !math.IsInf(left, 1) {
		s.open.Push(x, x.cost+greedy*left)
	}
}

// try makes a move where there is room for it.
func (s *search) try(from *state, m move) {
	to := &state{at: s.along(from, m, 1), heading: (from.heading + int(m.side) + around) % around, before: from, by: m}
	if s.seen[s.key(to)] {
		return
	}
	room := math.Inf(1)
	for at := 0.0; at < m.length; {
		here := s.Room(s.along(from, m, at/m.length))
		if here < 0 {
			return
		}
		room = min(room, here)
		at += max(here, s.Size/20)
	}
	if room = min(room, s.Room(to.at)); room < 0 {
		return
	}
	to.cost = from.cost + m.length*(1+pressing*max(0, 1-room/(cushion*s.Size)))
	if m.side != 0 {
		to.cost += 0.05 * m.length
	}
	s.push(to)
}

// along returns a point of a move, at a part of it.
func (s *search) along(from *state, m move, part float64) geom.Vec2 {
	sin, cos := math.Sincos(s.angle(from.heading))
	ahead := geom.Vec2{X: cos, Y: sin}
	if m.side == 0 {
		return from.at.Add(ahead.Scale(part * m.length))
	}
	sin, cos = math.Sincos(part * m.length / m.radius)
	return from.at.Add(ahead.Scale(m.radius * sin)).Add(ahead.Perp().Scale(m.side * m.radius * (1 - cos)))
}

// shot returns a way of arcs and a line from a state to the goal; nil where that does not have room.
func (s *search) shot(from *state) []geom.Vec2 {
	h := s.angle(from.heading)
	a, ok := shortest(from.at, s.Goal, [2]*float64{&h, s.Headings[1]}, s.Radius)
	if !ok || !Free(append(a.points(coarse), s.Goal), s.Room, s.Size) {
		return nil
	}
	if way := append(a.points(fine), s.Goal); Free(way, s.Room, s.Size) {
		return way
	}
	return nil
}

// Free reports whether a polyline has room all along for a vehicle of some size.
func Free(line []geom.Vec2, room func(geom.Vec2) float64, size float64) bool {
	for k := 1; k < len(line); k++ {
		d := line[k].Dist(line[k-1])
		for at := 0.0; ; {
			here := room(line[k-1].Lerp(line[k], min(1, at/max(d, 1e-300))))
			if here < 0 {
				return false
			}
			if at >= d {
				break
			}
			at = min(d, at+max(here, size/20))
		}
	}
	return true
}

// stop is a place on a way, its heading there, nil for any, and the points that lead on from it to the next one.
type stop struct {
	at      geom.Vec2
	heading *float64
	on      []geom.Vec2
}

// stops returns those of the way to a state and on to the goal, of its last part some on arcs.
func (s *search) stops(to *state, end []geom.Vec2) []stop {
	const parts, apart = 4, 16
	stops, after := []stop{{s.Goal, s.Headings[1], nil}}, len(end)-1
	for k := after - apart; k >= apart; k-- {
		in, out := end[k].Sub(end[k-1]), end[k+1].Sub(end[k])
		if after-k >= apart && math.Abs(in.Norm()-out.Norm()) < 1e-9*s.Radius { // on an arc chords on either side are equal
			along := in.Add(out)
			h := math.Atan2(along.Y, along.X)
			stops, after = append(stops, stop{end[k], &h, end[k:after]}), k
		}
	}
	h := s.angle(to.heading)
	stops = append(stops, stop{to.at, &h, end[:after]})
	for x := to; x.before != nil; x = x.before {
		var on []geom.Vec2
		for k := range parts {
			on = append(on, s.along(x.before, x.by, float64(k)/parts))
		}
		h := s.angle(x.before.heading)
		stops = append(stops, stop{x.before.at, &h, on})
	}
	slices.Reverse(stops)
	stops[0].heading = s.Headings[0]
	return stops
}

// shortened returns points along the way to a state and on to the goal, with two arcs and a line in place of as much of it
// as they cost less than: a search of pieces winds.
func (s *search) shortened(to *state, end []geom.Vec2) (points []geom.Vec2) {
	stops := s.stops(to, end)
	last := len(stops) - 1
	upTo := make([]float64, len(stops)) // cost
	for k := 1; k <= last; k++ {
		upTo[k] = upTo[k-1] + s.cost(append(slices.Clone(stops[k-1].on), stops[k].at))
	}
	for k := 0; k < last; {
		next, on := k+1, stops[k].on
		for far := last; far > k+1; far-- {
			a, ok := shortest(stops[k].at, stops[far].at, [2]*float64{stops[k].heading, stops[far].heading}, s.Radius)
			if most := upTo[far] - upTo[k]; ok && a.length() < most {
				if way := a.points(fine); s.cost(append(slices.Clone(way), stops[far].at)) < most {
					next, on = far, way
					break
				}
			}
		}
		points, k = append(points, on...), next
	}
	return append(points, s.Goal)
}

// cost returns what a polyline costs, by its length and the room along it; infinitely much where there is none.
func (s *search) cost(line []geom.Vec2) (sum float64) {
	if !Free(line, s.Room, s.Size) {
		return math.Inf(1)
	}
	for k := 1; k < len(line); k++ {
		room := min(s.Room(line[k-1]), s.Room(line[k]), s.Room(line[k-1].Lerp(line[k], 0.5)))
		sum += line[k].Dist(line[k-1]) * (1 + pressing*max(0, 1-room/(cushion*s.Size)))
	}
	return sum
}
