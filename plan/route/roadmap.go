package route

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/memory"
)

// roadmap is a lattice of places where a disk may be, and the straight ways between
// neighbours, for the search in space and time.
type roadmap struct {
	places []geom.Vec2 // of which the last two are the start and the goal
	ways   [][]int32   // of each place
	reach  float64     // longest way
	away   []float64   // see distances
}

func (r *roadmap) start() int { return len(r.places) - 2 }
func (r *roadmap) goal() int  { return len(r.places) - 1 }

// Ways of a lattice in its spacing: at least to the neighbours across, at most so long
// that a place has some twenty of them.
const (
	shortestReach = 1.5
	longestReach  = 2.6
)

// newRoadmap returns the lattice of a spacing for a disk that keeps a distance from
// obstacles, with a start and a goal added, the last two places. The start lies on its
// lines, so that narrow ways that begin there are on it; so are the places of via, which
// may be nearer to obstacles. No way is longer than reach.
func newRoadmap(m *nav2d.Map, distance, inset, spacing, reach float64, via []geom.Vec2, start, goal geom.Vec2) *roadmap {
	b := newRoadBuilder(m, inset, spacing, reach, start)
	for i := range b.nx {
		for j := range b.ny {
			p := b.corner.Add(geom.Vec2{X: float64(i) * spacing, Y: float64(j) * spacing})
			if d, _ := m.Clearance(p); d >= distance && b.within.Contains(p) && p != start {
				b.add(p, d, distance)
			}
		}
	}
	for _, p := range append(slices.Clip(via), start, goal) {
		d, _ := m.Clearance(p)
		b.add(p, d, min(distance, d))
	}
	return b.roadmap
}

// roadBuilder adds places to a roadmap, with an index of those that it has by cells of
// its lattice.
type roadBuilder struct {
	*roadmap
	walls     walls
	within    geom.Box // where places may be
	corner    geom.Vec2
	spacing   float64
	nx, ny    int
	cells     [][]int   // places, by cell
	clearance []float64 // of every place
}

// nearCells is how many cells away neighbours may be.
const nearCells = 3

func newRoadBuilder(m *nav2d.Map, inset, spacing, reach float64, start geom.Vec2) *roadBuilder {
	within := m.Bounds.Grow(-inset)
	size := within.Size()
	b := &roadBuilder{roadmap: &roadmap{reach: reach}, walls: wallsOf(m), within: within, spacing: spacing}
	b.nx, b.ny = int(size.X/spacing)+1, int(size.Y/spacing)+1
	left := math.Floor((start.X - within.Min.X) / spacing)
	below := math.Floor((start.Y - within.Min.Y) / spacing)
	b.corner = start.Sub(geom.Vec2{X: left * spacing, Y: below * spacing})
	b.cells = make([][]int, (b.nx+2*nearCells)*(b.ny+2*nearCells))
	return b
}

// add adds a place and its ways, which keep a distance from obstacles.
func (b *roadBuilder) add(p geom.Vec2, clearance, distance float64) {
	d := p.Sub(b.corner).Scale(1 / b.spacing)
	x := min(max(int(math.Round(d.X)), 0), b.nx-1) + nearCells
	y := min(max(int(math.Round(d.Y)), 0), b.ny-1) + nearCells
	height := b.ny + 2*nearCells
	me := len(b.places)
	b.places, b.ways, b.clearance = append(b.places, p), append(b.ways, nil), append(b.clearance, clearance)
	for i := x - nearCells; i <= x+nearCells; i++ {
		for j := y - nearCells; j <= y+nearCells; j++ {
			for _, k := range b.cells[i*height+j] {
				if b.joins(k, me, distance) {
					b.ways[me], b.ways[k] = append(b.ways[me], int32(k)), append(b.ways[k], int32(me))
				}
			}
		}
	}
	b.cells[x*height+y] = append(b.cells[x*height+y], me)
}

// joins reports whether the straight way between two places is short enough and keeps a
// distance. The clearance along it is at least half of what those of the places exceed its
// length by.
func (b *roadBuilder) joins(k, l int, distance float64) bool {
	length := b.places[k].Dist(b.places[l])
	return length <= b.reach && ((b.clearance[k]+b.clearance[l]-length)/2 >= distance || b.walls.apart(distance, b.places[k], b.places[l]))
}

// bytes returns the memory that a roadmap takes, with its distances.
func (r *roadmap) bytes() (n int) {
	for _, ways := range r.ways {
		n += 4 * cap(ways)
	}
	return n + len(r.places)*(3*memory.WordBytes+memory.SliceBytes)
}

// joined reports whether ways lead from the start to the goal.
func (r *roadmap) joined() bool { return !math.IsInf(r.distances()[r.start()], 1) }

// distances returns the lengths of the shortest ways from all places to the goal, +Inf
// where there is none (Dijkstra 1959). They are kept.
func (r *roadmap) distances() []float64 {
	if r.away != nil {
		return r.away
	}
	r.away = slices.Repeat([]float64{math.Inf(1)}, len(r.places))
	r.away[r.goal()] = 0
	queue := &stateQueue{{0, r.goal()}}
	for len(*queue) > 0 {
		at := queue.pop()
		if at.estimate > r.away[at.state] {
			continue
		}
		for _, k := range r.ways[at.state] {
			if d := at.estimate + r.places[at.state].Dist(r.places[k]); d < r.away[k] {
				r.away[k] = d
				queue.push(queued{d, int(k)})
			}
		}
	}
	return r.away
}
