package route

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/memory"
)

// crowd is a team on roadmaps of its robots, who all move at the same time. A configuration is
// the places of all of them.
type crowd struct {
	members   []member
	priority  []float64    // of every member at the start, less than 1
	need      []float64    // distance of every pair of members
	last, per int          // waypoint numbers: the last one, and those of one move
	checks    int          // moves of pairs compared so far
	room      *memory.Room // of each search
}

// member is a robot of a crowd.
type member struct {
	road   *roadmap
	sorted [][]int32   // of places: see moves
	others []companion // who do not belong to the crowd
}

// newCrowd returns the crowd of the robots named, among the paths of all others. It is
// nil when a robot has no way to its goal, no time for a single move, or no room for its
// roadmap.
func (t Task) newCrowd(paths [][]geom.Vec2, who []int, spacing float64, room *memory.Room) *crowd {
	c := &crowd{last: len(paths[0]) - 1, need: make([]float64, len(who)*len(who)), room: room}
	for _, i := range who {
		c.per = max(c.per, t.waypointsOfMove(i, spacing))
	}
	if c.per > c.last {
		return nil
	}
	inCrowd := make([]bool, len(paths))
	for _, i := range who {
		inCrowd[i] = true
	}
	long := make([][]geom.Vec2, len(paths)) // they stay where they are when their time is over
	for j, path := range paths {
		long[j] = padded(path, (togetherLonger+1)*len(path))
	}
	for a, i := range who {
		m := t.newMember(long, inCrowd, i, spacing, c.per)
		if !room.Take(m.bytes()) {
			return nil
		}
		if math.IsInf(m.road.distances()[m.road.start()], 1) {
			return nil
		}
		c.members = append(c.members, m)
		for b, j := range who[:a] {
			d := t.passingDistance(paths, i, j)
			c.need[a*len(who)+b], c.need[b*len(who)+a] = d, d
		}
	}
	c.farthestFirst()
	return c
}

// newMember returns robot i on its roadmap.
func (t Task) newMember(paths [][]geom.Vec2, inCrowd []bool, i int, spacing float64, per int) member {
	road := t.roadmapOf(paths[i], i, spacing, per)
	m := member{road: road, sorted: make([][]int32, len(road.places)), others: t.companions(paths, inCrowd, i)}
	for j := range m.others { // traffic stays, too
		m.others[j].Course = m.others[j].padded(len(paths[i]) - 1)
	}
	return m
}

// bytes returns the memory that a member takes, with all of its moves.
func (m *member) bytes() (n int) {
	for _, ways := range m.road.ways {
		n += memory.SliceBytes + 4*(len(ways)+1)
	}
	return n + m.road.bytes() + len(m.others)*companionBytes
}

// companionBytes are those of a companion, whose path others share.
const companionBytes = 2*memory.SliceBytes + memory.WordBytes

// moves returns where to go from a place, itself included, the nearest to the goal first.
func (m *member) moves(place int32) []int32 {
	if m.sorted[place] == nil {
		moves, away := append(slices.Clone(m.road.ways[place]), place), m.road.distances()
		slices.SortStableFunc(moves, func(a, b int32) int { return cmp.Compare(away[a], away[b]) })
		m.sorted[place] = moves
	}
	return m.sorted[place]
}

// shuffle changes who comes first, and which moves are tried first: places are taken for
// farther from the goal by up to a part of the longest way between neighbours.
func (c *crowd) shuffle(draw *rand.Rand, part float64) {
	c.priority = make([]float64, len(c.members))
	for i := range c.members {
		c.priority[i] = draw.Float64() / 2
		m := &c.members[i]
		away := m.road.distances()
		for place, ways := range m.road.ways {
			moves := append(slices.Clone(ways), int32(place))
			taken := map[int32]float64{}
			for _, k := range moves {
				taken[k] = away[k] + part*m.road.reach*draw.Float64()
			}
			slices.SortStableFunc(moves, func(a, b int32) int { return cmp.Compare(taken[a], taken[b]) })
			m.sorted[place] = moves
		}
	}
}

// farthestFirst gives priority to those who have farther to go.
func (c *crowd) farthestFirst() {
	longest := 1.0
	for _, m := range c.members {
		longest = max(longest, m.road.distances()[m.road.start()])
	}
	for _, m := range c.members {
		c.priority = append(c.priority, m.road.distances()[m.road.start()]/(2*longest))
	}
}

// most returns the number of moves that there is time for.
func (c *crowd) most() int { return c.last / c.per }

// waypoint returns the first waypoint of a move. What does not divide is spent before the
// first one.
func (c *crowd) waypoint(move int) int { return c.last%c.per + move*c.per }

// path returns the waypoints of a member along ways of all of them, up to a last one.
func (c *crowd) path(ways [][]int32, i, last int) []geom.Vec2 {
	places := c.members[i].road.places
	out := make([]geom.Vec2, last+1)
	for h := range out {
		move, k := 0, 0
		if since := h - c.waypoint(0); since > 0 {
			move, k = since/c.per, since%c.per
		}
		from, to := ways[min(move, len(ways)-1)], ways[min(move+1, len(ways)-1)]
		out[h] = places[from[i]].Lerp(places[to[i]], float64(k)/float64(c.per))
	}
	return out
}
