package cells

// Where two robots meet in an aisle one of them has to back out as far as a place where the
// other can pass. PIBT alone does not see that far: it looks along the aisle for such a
// place, and lets the one that has to give way pull the other behind it.

// partner returns the robot that i has to change places with, -1 for none.
func (g *generator) partner(i int, all []choice) int {
	best, at := all[0].cell, g.now[i]
	if best == at {
		return -1
	}
	if j := g.nowAt[best]; j != nobody && int(j) != i && g.next[j] == nobody &&
		g.mustSwap(i, int(j), at, g.now[j]) && g.canSwap(i, at, g.now[j]) {
		return int(j)
	}
	// Or somebody beside i, who may have decided to push it, would meet another one one cell further: i
	// clears the way for both.
	var room [directions]int32
	for _, u := range g.Robots[i].Floor.beside(room[:0], at) {
		k := g.nowAt[u]
		if k == nobody || u == best || int(k) == i {
			continue
		}
		if g.mustSwap(int(k), i, at, best) && g.canSwap(i, at, best) {
			return int(k)
		}
	}
	return -1
}

// mustSwap reports whether pusher, which stands before puller, gets to its goal only past it.
func (g *generator) mustSwap(pusher, puller int, behind, ahead int32) bool {
	for g.away[pusher][ahead] < g.away[pusher][behind] {
		onward, ways := g.onward(puller, behind, ahead)
		if ways >= 2 {
			return false
		}
		if ways <= 0 {
			break
		}
		behind, ahead = ahead, onward
	}
	return g.away[puller][behind] < g.away[puller][ahead] &&
		(g.away[pusher][behind] == 0 || g.away[pusher][ahead] < g.away[pusher][behind])
}

// canSwap reports whether robot i, which backs out from where it is, with the one before it behind,
// comes to a place where two robots can pass.
func (g *generator) canSwap(i int, ahead, behind int32) bool {
	first := behind
	for ahead != first {
		onward, ways := g.onward(i, behind, ahead)
		if ways >= 2 {
			return true
		}
		if ways <= 0 {
			return false
		}
		behind, ahead = ahead, onward
	}
	return false
}

// onward returns a cell after ahead, and how many there are, without those where a robot has
// arrived at the end of a dead end.
func (g *generator) onward(i int, behind, ahead int32) (cell int32, ways int) {
	f := g.Robots[i].Floor
	var room, more [directions]int32
	for _, u := range f.beside(room[:0], ahead) {
		k := g.nowAt[u]
		if u == behind || k != nobody && g.Robots[k].Goal == u && len(f.beside(more[:0], u)) == 1 {
			continue
		}
		cell, ways = u, ways+1
	}
	return cell, ways
}
