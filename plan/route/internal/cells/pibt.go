package cells

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/plan/route/internal/lacam"
)

// nobody stands for no robot, and for no cell.
const nobody = int32(-1)

// crowd is a team as the search sees it.
type crowd struct {
	*Team
	away [][]int32 // away[i][cell] is the number of moves of robot i from there to its goal
	draw *rand.Rand
	hint []guide // of all robots; nil is none
}

// generator proposes the next configuration of a crowd: in the order of priority every robot
// takes the cell nearest to its goal that is left, and a robot that stands there inherits its priority
// and goes first. Source: Okumura et al., "Priority inheritance with backtracking for
// iterative multi-agent path finding" (2022), algorithm 1, with the swaps of Okumura,
// "Improving LaCAM for scalable eventually optimal multi-agent pathfinding" (2023), section 4.
type generator struct {
	*crowd
	now, next     []int32 // cells of the robots; next is nobody where it is not decided
	nowAt, nextAt []int32 // robots in cells
	moves, most   int     // decided so far, over all configurations, and where a run ends
	choices       [][]choice
}

// choice is a cell to go to, and how good that is: less is better.
type choice struct {
	cell int32
	rank float64
}

func newGenerator(c *crowd) *generator {
	n, cells := len(c.Robots), len(c.Robots[0].Floor.Moves)
	return &generator{
		crowd: c, next: make([]int32, n), choices: make([][]choice, n),
		nowAt: slices.Repeat([]int32{nobody}, cells), nextAt: slices.Repeat([]int32{nobody}, cells),
	}
}

// Propose implements [lacam.Crowd]. What it could not propose counts for a quarter of the moves.
func (g *generator) Propose(now []int32, _ int, order []int32, d lacam.Demand) []int32 {
	next := g.propose(now, order, d)
	if next == nil {
		g.moves += len(now) / 4
	}
	return next
}

func (g *generator) propose(now, order []int32, d lacam.Demand) []int32 {
	g.now = now
	for i, v := range now {
		g.next[i] = nobody
		g.nowAt[v] = int32(i)
	}
	defer g.forget()
	for k, i := range d.Robots {
		if !g.allowed(int(i), d.Places[k]) {
			return nil
		}
		g.take(int(i), d.Places[k])
	}
	for _, i := range order {
		if g.next[i] == nobody && !g.decide(int(i)) {
			return nil
		}
	}
	if g.moves += len(now); !g.sound() {
		return nil
	}
	return slices.Clone(g.next)
}

// forget empties the cells for the next configuration.
func (g *generator) forget() {
	for i, v := range g.now {
		g.nowAt[v] = nobody
		if u := g.next[i]; u != nobody {
			g.nextAt[u] = nobody
		}
	}
}

// sound reports whether everybody who could not move can stay: who was pushed and had nowhere
// to go stays where another one may have been sent.
func (g *generator) sound() bool {
	for i, u := range g.next {
		if g.nextAt[u] != int32(i) {
			return false
		}
	}
	return true
}

func (g *generator) take(i int, cell int32) {
	g.next[i] = cell
	g.nextAt[cell] = int32(i)
}

// allowed reports whether robot i may go to a cell beside those who have decided.
func (g *generator) allowed(i int, cell int32) bool {
	from := g.now[i]
	if g.nextAt[cell] != nobody {
		return false
	}
	if j := g.nowAt[cell]; j != nobody && int(j) != i && g.next[j] != nobody {
		if g.next[j] == from || g.tight(i, int(j)) && g.turns(from, cell, g.next[j]) {
			return false
		}
	}
	if k := g.nextAt[from]; k != nobody && int(k) != i && cell != from {
		if g.tight(i, int(k)) && g.turns(g.now[k], from, cell) {
			return false
		}
	}
	return true
}

// turns reports whether a robot that moves from a to b follows one round a corner that moves from
// b to c.
func (g *generator) turns(a, b, c int32) bool { return b != c && b-a != c-b }

// decide finds a move of robot i, and of all who are in its way. If there is none it stays.
func (g *generator) decide(i int) bool {
	all := g.rank(i)
	swap := g.partner(i, all)
	if swap >= 0 {
		slices.Reverse(all)
	}
	for k, c := range all {
		if !g.allowed(i, c.cell) {
			continue
		}
		g.take(i, c.cell)
		if j := g.nowAt[c.cell]; j != nobody && int(j) != i && g.next[j] == nobody && !g.decide(int(j)) {
			continue
		}
		if k == 0 && swap >= 0 && g.next[swap] == nobody && g.nextAt[g.now[i]] == nobody && g.allowed(swap, g.now[i]) {
			g.take(swap, g.now[i])
		}
		return true
	}
	g.take(i, g.now[i])
	return false
}

// rank returns where robot i can go, the best first.
func (g *generator) rank(i int) []choice {
	var room [directions + 1]int32
	all := g.choices[i][:0]
	for _, u := range append(g.Robots[i].Floor.beside(room[:0], g.now[i]), g.now[i]) {
		rank := float64(g.away[i][u]) + g.draw.Float64()/2
		switch {
		case g.hinted(i, u):
			rank = -1
		case g.nowAt[u] != nobody && u != g.now[i]:
			rank += 0.25
		}
		all = append(all, choice{u, rank})
	}
	slices.SortFunc(all, func(a, b choice) int { return cmp.Compare(a.rank, b.rank) })
	g.choices[i] = all
	return all
}

// hinted reports whether a cell is next on the way that was thought of for robot i.
func (g *generator) hinted(i int, cell int32) bool {
	if g.hint == nil {
		return false
	}
	next, ok := g.hint[i][g.now[i]]
	return ok && next == cell
}
