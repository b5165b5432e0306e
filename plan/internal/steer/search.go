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
				return append(s.line(now), end...)
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
	way := Dubins(from.at, s.Goal, [2]*float64{&h, s.Headings[1]}, s.Radius)
	if way == nil || !Free(way, s.Room, s.Size) {
		return nil
	}
	return way
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

// line returns points along the way to a state.
func (s *search) line(to *state) (points []geom.Vec2) {
	const parts = 4
	for x := to; x.before != nil; x = x.before {
		for k := parts - 1; k >= 0; k-- {
			points = append(points, s.along(x.before, x.by, float64(k)/parts))
		}
	}
	slices.Reverse(points)
	return points
}
