package cells

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// checkWays fails unless ways lead from starts to goals and keep the rules.
func checkWays(t testing.TB, team *Team, w Ways) {
	t.Helper()
	if w == nil {
		t.Fatal("no ways")
	}
	f := team.Robots[0].Floor
	middle := func(v int32) (x, y float64) { return float64(int(v) % f.Width), float64(int(v) / f.Width) }
	for i, r := range team.Robots {
		if w[0][i] != r.Start || w[len(w)-1][i] != r.Goal {
			t.Fatalf("robot %d goes from %d to %d, want %d to %d", i, w[0][i], w[len(w)-1][i], r.Start, r.Goal)
		}
		for h := 1; h < len(w); h++ {
			if a, b := w[h-1][i], w[h][i]; a != b {
				open := false
				for _, u := range r.Floor.beside(nil, a) {
					open = open || u == b
				}
				if !open {
					t.Fatalf("robot %d moves from %d to %d", i, a, b)
				}
			}
		}
	}
	for h := 1; h < len(w); h++ {
		for i := range team.Robots {
			for j := range i {
				ax, ay := middle(w[h-1][i])
				bx, by := middle(w[h-1][j])
				cx, cy := middle(w[h][i])
				dx, dy := middle(w[h][j])
				ux, uy, vx, vy := ax-bx, ay-by, cx-dx, cy-dy
				wx, wy := vx-ux, vy-uy
				s := 0.0
				if n := wx*wx + wy*wy; n > 0 {
					s = min(max(-(ux*wx+uy*wy)/n, 0), 1)
				}
				need := math.Sqrt2/2 - 1e-9
				if team.tight(i, j) {
					need = 1 - 1e-9
				}
				if d := math.Hypot(ux+s*wx, uy+s*wy); d < need {
					t.Fatalf("robots %d and %d are %v apart in move %d", i, j, d, h)
				}
			}
		}
	}
}

// floorOf returns the floor of a drawing, whose rows run from the top.
func floorOf(rows []string) *Floor {
	f := &Floor{Width: len(rows[0]), Moves: make([]uint8, len(rows)*len(rows[0]))}
	open := func(x, y int) bool {
		return x >= 0 && y >= 0 && x < f.Width && y < len(rows) && rows[len(rows)-1-y][x] != '@'
	}
	for y := range rows {
		for x := range f.Width {
			if !open(x, y) {
				continue
			}
			for d, n := range [directions][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
				if open(x+n[0], y+n[1]) {
					f.Moves[y*f.Width+x] |= 1 << d
				}
			}
		}
	}
	return f
}

// cellAt returns the cell of a drawing in a column and a row, which is counted from the top.
func cellAt(rows []string, x, y int) int32 { return int32((len(rows)-1-y)*len(rows[0]) + x) }

var enough = Limits{Moves: 1e6, Bytes: 1 << 28, Seed: 1}

// Two who meet in an aisle change places where there is a bay, and not where there is none.
func TestChangingPlacesInAnAisle(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		ways bool
	}{
		"bay in the middle": {[]string{"@@@@.@@@@", "........."}, true},
		"bay at one end":    {[]string{"@@@@@@@@.", "........."}, false}, // behind the goal of the other
		"no bay":            {[]string{"@@@@@@@@@", "........."}, false},
		"long way round":    {[]string{".........", ".@@@@@@@.", "........."}, true},
	} {
		f := floorOf(c.rows)
		last := len(c.rows) - 1
		a, b := cellAt(c.rows, 0, last), cellAt(c.rows, 8, last)
		team := &Team{Robots: []Robot{{f, a, b}, {f, b, a}}}
		w, full := team.Search(context.Background(), enough)
		if full || (w != nil) != c.ways {
			t.Errorf("%s: %d moves, full %v, want ways %v", name, len(w), full, c.ways)
		}
		if w != nil {
			checkWays(t, team, w)
			checkWays(t, team, team.Improve(context.Background(), w, enough))
		}
	}
}

// hall returns a floor with some walls drawn by chance, and its largest connected part.
func hall(draw *rand.Rand, size int, share float64) (*Floor, []int32) {
	rows := make([]string, size)
	for y := range rows {
		row := make([]byte, size)
		for x := range row {
			row[x] = '.'
			if draw.Float64() < share {
				row[x] = '@'
			}
		}
		rows[y] = string(row)
	}
	f := floorOf(rows)
	var best []int32
	for v := range f.Moves {
		var part []int32
		away, _ := f.distances(int32(v), nil)
		for u, d := range away {
			if d != unreachable {
				part = append(part, int32(u))
			}
		}
		if len(part) > len(best) {
			best = part
		}
		if len(best) > size*size/2 {
			break
		}
	}
	return f, best
}

func crowdIn(draw *rand.Rand, f *Floor, places []int32, n int) *Team {
	team := &Team{}
	starts, goals := draw.Perm(len(places)), draw.Perm(len(places))
	for i := range n {
		team.Robots = append(team.Robots, Robot{f, places[starts[i]], places[goals[i]]})
	}
	return team
}

// Crowds get to their goals by the rules, with and without turns behind each other, and
// sooner after their ways were improved.
func TestCrowds(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for n := range 12 {
		f, places := hall(draw, 14, 0.15)
		team := crowdIn(draw, f, places, 10+6*n/2)
		if n%2 == 1 {
			team.Tight = func(i, j int) bool { return (i+j)%3 != 0 }
		}
		w, _ := team.Search(context.Background(), enough)
		checkWays(t, team, w)
		before, _ := w.Arrivals()
		better := team.Improve(context.Background(), w, Limits{Moves: 2e5, Bytes: 1 << 28, Seed: 1})
		checkWays(t, team, better)
		if after, _ := better.Arrivals(); after > before || n == 11 && after == before {
			t.Errorf("crowd %d arrives after %d moves in all, before it was improved after %d", n, after, before)
		}
	}
}

// A search ends at its limits, and says which; the same limits and seed give the same ways.
func TestLimits(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	f, places := hall(draw, 12, 0.1)
	team := crowdIn(draw, f, places, 30)
	if w, full := team.Search(context.Background(), Limits{Moves: 10, Bytes: 1 << 28}); w != nil || full {
		t.Errorf("%d moves, full %v within 10 decisions", len(w), full)
	}
	if w, full := team.Search(context.Background(), Limits{Moves: 1e6, Bytes: 30000}); w != nil || !full {
		t.Errorf("%d moves, full %v within 30 kB", len(w), full)
	}
	a, _ := team.Search(context.Background(), enough)
	b, _ := team.Search(context.Background(), enough)
	if len(a) != len(b) {
		t.Fatalf("%d and %d moves", len(a), len(b))
	}
	for h := range a {
		for i := range a[h] {
			if a[h][i] != b[h][i] {
				t.Fatalf("robot %d is in cells %d and %d after move %d", i, a[h][i], b[h][i], h)
			}
		}
	}
	if got := team.Improve(context.Background(), a, Limits{Moves: 1e6, Bytes: 100}); &got[0] != &a[0] {
		t.Error("ways were improved without memory")
	}
}

// shelves is a hall whose aisles are one robot wide, with blind ones.
var shelves = []string{
	"...............",
	".@.@@@@@@@@@.@.",
	".@.@@@@@@@@@.@.",
	"...............",
	".@@@@@@.@@@@@@.",
	".@@@@@@.@@@@@@.",
	"...............",
	".@@@@.@@@.@@@@.",
	"...............",
}

// places lists the cells of a floor that have a way to another one.
func places(f *Floor) (out []int32) {
	for v, moves := range f.Moves {
		if moves != 0 {
			out = append(out, int32(v))
		}
	}
	return out
}

// Up to half of the cells between shelves can be filled: who stands at a crossing makes room for
// one who was pushed there by others, also when that one has decided already.
func TestAislesOfOneRobot(t *testing.T) {
	f := floorOf(shelves)
	for n := 12; n <= 36; n += 6 {
		for seed := range uint64(4) {
			team := crowdIn(rand.New(rand.NewPCG(seed, 4)), f, places(f), n)
			w, _ := team.Search(context.Background(), Limits{Moves: 1e5, Bytes: 1 << 28, Seed: 1})
			if w == nil {
				t.Errorf("%d robots with seed %d: no ways", n, seed)
				continue
			}
			checkWays(t, team, w)
		}
	}
}
