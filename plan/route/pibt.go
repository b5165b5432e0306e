package route

import "github.com/go-pcd/pcd/plan/route/internal/lacam"

// generator finds the next configuration of a crowd by priority inheritance with
// backtracking: in the order of priority every robot moves towards its goal as far as those
// before leave room, and a robot that stands in the way of a move inherits its priority and
// gets out of it first. Source: Okumura et al., "Priority inheritance with backtracking
// for iterative multi-agent path finding" (2022), algorithm 1, with disks that move
// straight at the same time for vertices and edges.
type generator struct {
	*crowd
	now, next []int32 // places; next is undecided at -1, and kept where nothing was found
	decided   []int   // members, in the order of their decisions
	h         int     // waypoint at which the move begins
	tries     int     // moves tried for the configuration
}

// Propose implements [lacam.Crowd].
func (g *generator) Propose(now []int32, depth int, order []int32, d lacam.Demand) []int32 {
	g.now, g.h, g.tries, g.decided = now, g.waypoint(depth), 0, g.decided[:0]
	if g.next == nil {
		g.next = make([]int32, len(now))
	}
	for i := range g.next {
		g.next[i] = undecided
	}
	for k, i := range d.Robots {
		if !g.free(int(i), d.Places[k]) {
			return nil
		}
		g.take(int(i), d.Places[k])
	}
	for _, i := range order {
		if g.next[i] == undecided && !g.decide(int(i)) {
			return nil
		}
	}
	found := g.next
	g.next = nil // whoever asked keeps it
	return found
}

const undecided = -1

// triesOfOne is the number of moves, per member, that are tried for a configuration: a jam
// is left to other demands.
const triesOfOne = 60

func (g *generator) take(i int, place int32) {
	g.next[i] = place
	g.decided = append(g.decided, i)
}

// decide finds a move of member i, and of all who are in its way.
func (g *generator) decide(i int) bool {
	for _, place := range g.members[i].moves(g.now[i]) {
		if g.tries++; g.tries > triesOfOne*len(g.members) {
			return false
		}
		if !g.free(i, place) {
			continue
		}
		before := len(g.decided)
		g.take(i, place)
		if g.makeWay(i) {
			return true
		}
		for _, j := range g.decided[before:] {
			g.next[j] = undecided
		}
		g.decided = g.decided[:before]
	}
	return false
}

// makeWay moves all who stand there out of the way of member i.
func (g *generator) makeWay(i int) bool {
	for j := range g.members {
		if g.next[j] == undecided && g.collide(i, j, g.next[i], g.now[j]) && !g.decide(j) {
			return false
		}
	}
	return true
}

// free reports whether member i can go to a place beside those who have decided and those
// who do not belong to the crowd.
func (g *generator) free(i int, place int32) bool {
	for _, j := range g.decided {
		if g.collide(i, j, place, g.next[j]) {
			return false
		}
	}
	m := &g.members[i]
	return (&traveller{per: g.per, others: m.others}).keepsAway(m.road.places[g.now[i]], m.road.places[place], g.h)
}

// collide reports whether two come too near when they go from where they are to places.
func (g *generator) collide(i, j int, toI, toJ int32) bool {
	g.checks++
	p, q := g.members[i].road.places, g.members[j].road.places
	return tooNear(p[g.now[i]].Sub(q[g.now[j]]), p[toI].Sub(q[toJ]), g.need[i*len(g.members)+j])
}
