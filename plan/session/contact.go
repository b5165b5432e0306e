package session

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/project/separation"
)

// Contact is where and when a robot touches something on an [Unsafe] plan, in the units of the
// task.
type Contact struct {
	Constraint string `json:"constraint"` // separation, obstacles or border
	Robot      string `json:"robot"`
	Other      string `json:"other,omitempty"`    // the other robot, or traffic
	Obstacle   *int   `json:"obstacle,omitempty"` // number of the obstacle
	// Seconds is from the takeover to the first touch, Position where the robot is then, and
	// Speed how fast both come together.
	Seconds  float64   `json:"seconds"`
	Position geom.Vec2 `json:"position"`
	Speed    float64   `json:"speed"`
	Depth    float64   `json:"depth"` // by how much they overlap at most
}

// lookedAt is the number of instants of a step at which contacts are looked for. A shorter one may be
// missing from the list; the certificate misses none.
const lookedAt = 8

// looking is a plan at many moments.
type looking struct {
	plan  *Plan
	world *separation.World
	ways  []way
	times []float64
	at    [][]geom.Vec2 // of robots, then of traffic
}

// contactsOf returns what a plan touches, by time.
func contactsOf(p *Plan) (out []Contact) {
	l := newLooking(p)
	for i, r := range p.Team.Robots {
		radius := l.world.Robots[i].Radius
		for j := i + 1; j < len(l.at); j++ {
			other := Contact{Constraint: separation.Bodies.String(), Robot: r.Name, Other: l.name(j)}
			out = l.look(out, other, i, j, func(x, y geom.Vec2) float64 { return x.Dist(y) - radius - l.radius(j) })
		}
		around := geom.Convex{Core: l.at[i], Radius: radius}.Bounds()
		for o, c := range l.world.Obstacles {
			if b := c.Bounds(); b.Min.X > around.Max.X || b.Max.X < around.Min.X || b.Min.Y > around.Max.Y || b.Max.Y < around.Min.Y {
				continue
			}
			out = l.look(out, Contact{Constraint: separation.Obstacles.String(), Robot: r.Name, Obstacle: new(o)}, i, i, func(x, _ geom.Vec2) float64 {
				gap, _ := gaps.Segment(c, geom.Segment{A: x, B: x}, radius)
				return gap
			})
		}
		out = l.look(out, Contact{Constraint: separation.Border.String(), Robot: r.Name}, i, i, func(x, _ geom.Vec2) float64 {
			gap, _ := gaps.Inner(*l.world.Border, geom.Segment{A: x, B: x}, l.world.Robots[i].Inset)
			return gap
		})
	}
	slices.SortStableFunc(out, func(a, b Contact) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return out
}

func newLooking(p *Plan) *looking {
	l := &looking{plan: p, world: p.Certificate.World}
	last := 0
	for i := range p.Team.Robots {
		l.ways = append(l.ways, wayOf(p, i))
		last = l.ways[i].last()
	}
	for k := range last*lookedAt + 1 {
		l.times = append(l.times, float64(k)*p.Team.Step/lookedAt)
	}
	l.at = make([][]geom.Vec2, len(l.ways)+len(l.world.Traffic))
	for j := range l.at {
		for _, t := range l.times {
			l.at[j] = append(l.at[j], l.where(j, t))
		}
	}
	return l
}

// where returns where a body is at a time: a robot, or traffic, which counts on.
func (l *looking) where(j int, t float64) geom.Vec2 {
	if j < len(l.ways) {
		x, _ := l.ways[j].at(t)
		return x
	}
	m := l.world.Traffic[j-len(l.ways)]
	h := t / l.plan.Team.Step
	k := int(h)
	if m.Times != nil {
		n, found := slices.BinarySearch(m.Times, h)
		if k = n - 1; found {
			k = n
		}
	}
	if k >= len(m.Path)-1 {
		return m.Path[len(m.Path)-1]
	}
	from, to := float64(k), float64(k+1)
	if m.Times != nil {
		from, to = m.Times[k], m.Times[k+1]
	}
	return m.Path[k].Lerp(m.Path[k+1], (h-from)/(to-from))
}

func (l *looking) radius(j int) float64 {
	if j < len(l.ways) {
		return l.world.Robots[j].Radius
	}
	return l.world.Traffic[j-len(l.ways)].Radius
}

func (l *looking) name(j int) string {
	if j < len(l.ways) {
		return l.plan.Team.Robots[j].Name
	}
	return l.plan.Team.Traffic[j-len(l.ways)].Name
}

// look appends the first touch of body i with body j, or with what does not move where both are
// the same: gap tells their distance.
func (l *looking) look(out []Contact, c Contact, i, j int, gap func(x, y geom.Vec2) float64) []Contact {
	first, deepest := -1, 0.0
	touches := -1e-9 * l.radius(i)
	for k := range l.times {
		if d := gap(l.at[i][k], l.at[j][k]); d < touches {
			if first < 0 {
				first = k
			}
			deepest = max(deepest, -d)
		}
	}
	if first < 0 {
		return out
	}
	t := l.times[first]
	if first > 0 {
		before := l.times[first-1]
		for range 40 {
			if mid := (before + t) / 2; gap(l.where(i, mid), l.where(j, mid)) < touches {
				t = mid
			} else {
				before = mid
			}
		}
	}
	c.Seconds, c.Position, c.Depth = t, l.where(i, t), deepest
	moment := l.plan.Team.Step / 64
	moved := l.where(i, t+moment).Sub(c.Position)
	if j != i {
		moved = moved.Sub(l.where(j, t+moment).Sub(l.where(j, t)))
	}
	c.Speed = moved.Norm() / moment
	return append(out, c)
}

// harm orders plans that touch something: such that robots keep their limits, then by the energy of
// what they hit, then by how late they do, then by how deep.
type harm struct {
	broken         bool // a limit of speed or acceleration
	energy, sooner float64
	depth          float64
}

func harmOf(p *Plan) (h harm) {
	for _, kind := range []separation.Kind{separation.Speed, separation.Acceleration} {
		if gap := p.Certificate.Gap(kind); gap != nil && *gap < 0 {
			h.broken = true
		}
	}
	h.sooner = math.Inf(-1)
	for _, c := range p.Contacts {
		h.energy += c.Speed * c.Speed
		h.sooner = max(h.sooner, -c.Seconds)
		h.depth += c.Depth
	}
	return h
}

func (h harm) less(g harm) bool {
	if h.broken != g.broken {
		return g.broken
	}
	return cmp.Or(cmp.Compare(h.energy, g.energy), cmp.Compare(h.sooner, g.sooner), cmp.Compare(h.depth, g.depth)) < 0
}
