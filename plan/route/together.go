package route

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/memory"
)

// Numbers of the search for all ways together.
const (
	togetherBudget = 2e6 // moves of pairs compared, per spacing
	againTries     = 8   // searches that begin anew where the first did not end
	againBudget    = 2e3 // of one of them, times the square of the number of robots
	againNoise     = 0.5 // longest ways by which they take one place for nearer than another
	togetherLonger = 4   // times as many moves as there is time for, before they are led to arrive earlier
	togetherPasses = 3   // of making ways shorter, robot by robot
)

// MoveTogether searches ways for the robots named all at once, among those of the others.
// The first that are found may be long and late: robot by robot, each is searched anew
// among the others, first to arrive early, then to be short. Ways that are late but can be
// driven faster are for the case that no others are found. It returns nil when there are
// none, and whether a search would have taken more than so many bytes of memory.
func (t Task) MoveTogether(ctx context.Context, paths [][]geom.Vec2, who []int, seed uint64, bytes int64) (late [][]geom.Vec2, full bool) {
	for _, spacing := range asideSpacings {
		found, inTime, short := t.moveOnLattice(ctx, paths, who, spacing, seed, &memory.Room{Left: bytes})
		if inTime {
			return found, false
		}
		full = full || short
		if late == nil {
			late = found
		}
	}
	return late, full
}

// moveOnLattice searches on one lattice. Where robots jam it is a matter of chance whether a
// search ends soon or never: after the first it begins anew, with others and other moves
// first. Whether one was short of memory is said, too.
func (t Task) moveOnLattice(ctx context.Context, paths [][]geom.Vec2, who []int, spacing float64, seed uint64, room *memory.Room) (late [][]geom.Vec2, inTime, short bool) {
	c := t.newCrowd(paths, who, spacing, room)
	if c == nil {
		return nil, false, room.Full
	}
	draw := rand.New(rand.NewPCG(seed, 0x6c6163616d))
	budget := int(togetherBudget)
	for range 1 + againTries {
		c.checks = 0
		ways := c.search(ctx, budget, togetherLonger*c.most(), draw)
		short = short || room.Full
		if ctx.Err() != nil || ways == nil && c.checks <= budget && !room.Full {
			break // interrupted, or exhausted
		}
		if ways != nil {
			found, inTime := t.shorten(ctx, c, ways, paths, who)
			if inTime {
				return found, true, short
			}
			if late == nil {
				late = found
			}
		}
		budget = min(againBudget*len(who)*len(who), togetherBudget/(2*againTries))
		c.shuffle(draw, againNoise)
	}
	return late, false, short
}

// shorten returns the ways of a crowd, made early and short. Those that take too
// long are driven faster, and not said to be in time; they are nil if that is too fast.
func (t Task) shorten(ctx context.Context, c *crowd, ways [][]int32, paths [][]geom.Vec2, who []int) (found [][]geom.Vec2, inTime bool) {
	most := c.most()
	moves := max(len(ways)-1, most)
	found = make([][]geom.Vec2, len(paths))
	for i, path := range paths {
		found[i] = padded(path, c.waypoint(moves))
	}
	for k, i := range who {
		found[i] = c.path(ways, k, c.waypoint(moves))
	}
	for pass := 0; moves > most && pass < togetherPasses; pass++ {
		c.again(ctx, t, found, who, true)
		moves = c.latest(found, who)
	}
	if ctx.Err() != nil {
		return nil, false
	}
	if moves > most {
		return t.hurry(found, who, c.waypoint(moves), c.last), false
	}
	for i := range found {
		found[i] = found[i][:c.last+1]
	}
	for range togetherPasses {
		c.again(ctx, t, found, who, false)
	}
	return found, true
}

// hurry returns ways that end at a waypoint in less time, nil if a robot would be too fast or
// others do not belong to the crowd: these do not hurry. What moving faster from waypoint to
// waypoint cuts off is left to the repair.
func (t Task) hurry(paths [][]geom.Vec2, who []int, end, last int) [][]geom.Vec2 {
	if len(who) < len(paths) || len(t.Traffic) > 0 {
		return nil
	}
	out := make([][]geom.Vec2, len(paths))
	for i, path := range paths {
		for h := range last + 1 {
			at := float64(h) * float64(end) / float64(last)
			k := min(int(at), end-1)
			out[i] = append(out[i], path[k].Lerp(path[k+1], at-float64(k)))
			if h > 0 && out[i][h].Dist(out[i][h-1]) > t.Disks[i].Step {
				return nil
			}
		}
		out[i][last] = path[end]
	}
	return out
}

// again searches the ways of members one by one among all others, those who are last
// first.
func (c *crowd) again(ctx context.Context, t Task, paths [][]geom.Vec2, who []int, early bool) {
	order := make([]int, len(who))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return settled(paths[who[b]]) - settled(paths[who[a]]) })
	for _, k := range order {
		if ctx.Err() != nil {
			return
		}
		i := who[k]
		m := &c.members[k]
		s := &traveller{road: m.road, last: len(paths[i]) - 1, per: c.per, early: early}
		s.others = t.companions(paths, make([]bool, len(paths)), i)
		for j := range s.others {
			s.others[j].Course = s.others[j].padded(s.last)
		}
		if path := s.travel(); path != nil {
			paths[i] = path
		}
	}
}

// latest returns the number of moves after which all members are at their goals for good.
func (c *crowd) latest(paths [][]geom.Vec2, who []int) (moves int) {
	for _, i := range who {
		moves = max(moves, int(math.Ceil(float64(settled(paths[i])-c.waypoint(0))/float64(c.per))))
	}
	return moves
}

// settled returns the waypoint from which a path stays at its end.
func settled(path []geom.Vec2) int {
	h := len(path) - 1
	for h > 0 && path[h-1] == path[len(path)-1] {
		h--
	}
	return h
}

// padded returns a path up to a last waypoint, staying at its end.
func padded(path []geom.Vec2, last int) []geom.Vec2 {
	if len(path) > last {
		return path
	}
	return append(slices.Clip(path), slices.Repeat([]geom.Vec2{path[len(path)-1]}, last+1-len(path))...)
}
