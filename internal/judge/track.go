package judge

import (
	"math"
	"sort"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/paths"
)

// track is a path as cubics on the clock, one after the other and without gaps.
type track struct {
	knots []float64 // ends of the pieces, one more than pieces
	hulls []geom.Bezier
	blur  []float64 // by how much rounding may have moved the points of a piece
	boxes []geom.Box
	leaf  int // of the tree: where the boxes of the pieces begin
	timed bool
	most  float64 // largest of blur
}

// newTrack returns a path from one time to another, between which it has its own times, if
// any. A path without times has the numbers of its points in their place.
func newTrack(p *paths.Path, begin, end float64) *track {
	t := &track{timed: p.Times != nil}
	last := len(p.X) - 1
	if t.timed && begin < p.Times[0] {
		t.add(p.X[0], p.X[0], geom.Vec2{}, geom.Vec2{}, begin, p.Times[0], false)
	}
	for k := range last {
		from, to := float64(k), float64(k+1)
		if t.timed {
			from, to = p.Times[k], p.Times[k+1]
		}
		var v, w geom.Vec2
		if p.V != nil {
			v, w = p.V[k], p.V[k+1]
		}
		t.add(p.X[k], p.X[k+1], v, w, from, to, p.V != nil)
	}
	if t.timed && end > p.Times[last] {
		t.add(p.X[last], p.X[last], geom.Vec2{}, geom.Vec2{}, p.Times[last], end, false)
	}
	if len(t.hulls) == 0 { // one point that never moves
		t.add(p.X[0], p.X[0], geom.Vec2{}, geom.Vec2{}, begin, math.Max(end, begin+1), false)
	}
	t.plant()
	return t
}

func (t *track) add(x, y, v, w geom.Vec2, from, to float64, curved bool) {
	c := geom.Curve{X: []geom.Vec2{x, y}, V: []geom.Vec2{v, w}, Step: to - from}
	hull := geom.Straight(x, y)
	if curved {
		hull = c.Span(0)
	}
	if t.knots == nil {
		t.knots = []float64{from}
	}
	t.most = max(t.most, gaps.RoundingOf(c, 0))
	t.knots, t.hulls, t.blur = append(t.knots, to), append(t.hulls, hull), append(t.blur, gaps.RoundingOf(c, 0))
}

// plant makes the tree of boxes: node k has those of 2k and 2k+1.
func (t *track) plant() {
	for t.leaf = 1; t.leaf < len(t.hulls); {
		t.leaf *= 2
	}
	t.boxes = make([]geom.Box, 2*t.leaf)
	for k := range t.boxes {
		t.boxes[k] = nothing
	}
	for k, h := range t.hulls {
		t.boxes[t.leaf+k] = h.Bounds()
	}
	for k := t.leaf - 1; k > 0; k-- {
		t.boxes[k] = t.boxes[2*k].Join(t.boxes[2*k+1])
	}
}

var nothing = geom.Box{Min: geom.Vec2{X: math.Inf(1), Y: math.Inf(1)}, Max: geom.Vec2{X: math.Inf(-1), Y: math.Inf(-1)}}

// around returns the box of pieces from to to, the last one left out.
func (t *track) around(from, to int) geom.Box {
	b := nothing
	for lo, hi := t.leaf+from, t.leaf+to; lo < hi; lo, hi = lo/2, hi/2 {
		if lo%2 == 1 {
			b = b.Join(t.boxes[lo])
			lo++
		}
		if hi%2 == 1 {
			hi--
			b = b.Join(t.boxes[hi])
		}
	}
	return b
}

// pieceAt returns the piece of a time.
func (t *track) pieceAt(time float64) int {
	k := sort.SearchFloat64s(t.knots, time)
	return min(max(k-1, 0), len(t.hulls)-1)
}

// at returns where the track is at a time.
func (t *track) at(time float64) geom.Vec2 {
	k := t.pieceAt(time)
	u := (time - t.knots[k]) / (t.knots[k+1] - t.knots[k])
	return t.hulls[k].At(min(max(u, 0), 1))
}

// cut returns a part of a piece, and by how much rounding may have moved its points.
func (t *track) cut(k int, from, to float64) (geom.Bezier, float64) {
	a, b := t.knots[k], t.knots[k+1]
	if from <= a && to >= b {
		return t.hulls[k], t.blur[k]
	}
	u, v := max((from-a)/(b-a), 0), min((to-a)/(b-a), 1)
	return t.hulls[k].Between(u, v), 3 * t.blur[k]
}
