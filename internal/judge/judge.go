package judge

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
	"github.com/go-pcd/pcd/internal/gaps"
)

// court is a world that is being judged.
type court struct {
	*World
	tracks  []*track
	index   *field.Index // of obstacles
	boxes   []geom.Box   // around them
	verdict *Verdict
	margins map[Kind]*Margin
}

// Judge judges a world. The error is that of the context, or says what is wrong with the
// world.
func (w *World) Judge(ctx context.Context) (*Verdict, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	c := w.open()
	c.verdict = &Verdict{Begin: c.tracks[0].knots[0], End: c.tracks[0].knots[len(c.tracks[0].hulls)]}
	c.margins = map[Kind]*Margin{}
	for i := range w.Robots {
		c.judgeLimits(i)
		c.judgeTurns(i)
		c.judgeEnds(i)
		c.judgeObstacles(i)
		c.judgeBorder(i)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if err := c.judgePairs(ctx); err != nil {
		return nil, err
	}
	for _, kind := range Kinds {
		if m := c.margins[kind]; m != nil {
			c.verdict.Margins = append(c.verdict.Margins, *m)
		}
	}
	slices.SortStableFunc(c.verdict.Faults, func(a, b Fault) int { return cmp.Compare(a.From, b.From) })
	return c.verdict, nil
}

// open makes the tracks, all of them over the time of all.
func (w *World) open() *court {
	begin, end := math.Inf(1), math.Inf(-1)
	for i := range w.bodies() {
		if t := w.body(i).Path.Times; t != nil && i < len(w.Robots) {
			begin, end = min(begin, t[0]), max(end, t[len(t)-1])
		}
	}
	if begin > end { // no robot has times
		begin, end = 0, 1
	}
	end = max(end, w.Until)
	c := &court{World: w}
	for i := range w.bodies() {
		c.tracks = append(c.tracks, newTrack(w.body(i).Path, begin, max(end, begin+1e-9)))
	}
	solids := make([]geom.Solid, len(w.Obstacles))
	for k, o := range w.Obstacles {
		solids[k] = o
		c.boxes = append(c.boxes, o.Bounds())
	}
	c.index = field.NewIndex(solids)
	return c
}

// offer keeps the smallest margin of a kind.
func (c *court) offer(m Margin) {
	if best := c.margins[m.Kind]; best == nil || m.Value < best.Value {
		c.margins[m.Kind] = &m
	}
}

// marginOf returns the smallest margin of a kind so far.
func (c *court) marginOf(k Kind) float64 {
	if m := c.margins[k]; m != nil {
		return m.Value
	}
	return math.Inf(1)
}

// told enters what a look found between robot i and something. gap is that of a time.
func (c *court) told(l *look, kind Kind, i, other int, gap func(time float64) float64) {
	if !math.IsInf(l.least, 1) {
		c.offer(Margin{kind, l.least, i, other, l.when, c.tracks[i].at(l.when)})
	}
	for _, f := range l.fails {
		at, value := worst(gap, f[0], f[1])
		c.verdict.Faults = append(c.verdict.Faults, Fault{
			Kind: kind, Robot: i, Other: other, From: f[0], To: f[1], At: at, Place: c.tracks[i].at(at),
			Gap: value, By: max(l.need-value, 0), Anytime: !c.tracks[i].timed,
		})
	}
}

// judgeObstacles looks at obstacles near each piece only: those beyond the smallest gap so
// far decide nothing.
func (c *court) judgeObstacles(i int) {
	r, t := c.Robots[i], c.tracks[i]
	looks := map[int]*look{}
	smallest := c.marginOf(Obstacles)
	var found []int
	for k, hull := range t.hulls {
		around := hull.Bounds().Grow(r.Radius)
		for reach := max(2*r.Radius, c.Margin); ; reach *= 4 {
			far := min(reach, max(smallest, c.Margin, 0))
			found = c.index.Near(found[:0], around.Grow(far))
			for _, o := range found {
				l := looks[o]
				if l == nil {
					l = c.lookAtObstacle(r, o)
					looks[o] = l
				}
				l.most = smallest
				l.see(hull, t.blur[k], t.knots[k], t.knots[k+1])
				smallest = min(smallest, l.best)
			}
			if smallest <= far || len(found) == len(c.Obstacles) || !(reach < 1e300) {
				break
			}
		}
	}
	for _, o := range slices.Sorted(maps.Keys(looks)) {
		solid := c.Obstacles[o]
		c.told(looks[o], Obstacles, i, o, func(time float64) float64 {
			d, _ := solid.SignedDistance(t.at(time))
			return d - r.Radius
		})
	}
}

func (c *court) lookAtObstacle(r Robot, o int) *look {
	l, solid := newLook(c.Margin, r.Radius), c.Obstacles[o]
	l.gap = func(b geom.Bezier, blur float64) float64 {
		g, _ := gaps.HullTo(solid, b, r.Radius+blur)
		return g
	}
	l.at = func(p geom.Vec2) float64 {
		d, _ := solid.SignedDistance(p)
		return d - r.Radius
	}
	return l
}

// judgeBorder keeps a robot within the border.
func (c *court) judgeBorder(i int) {
	if c.Border == nil {
		return
	}
	r, t := c.Robots[i], c.tracks[i]
	l := newLook(0, r.Radius)
	room := func(p geom.Vec2) float64 {
		return min(p.X-c.Border.Min.X, c.Border.Max.X-p.X, p.Y-c.Border.Min.Y, c.Border.Max.Y-p.Y) - r.Inset
	}
	l.at = room
	l.gap = func(b geom.Bezier, blur float64) float64 {
		return min(room(b[0]), room(b[3]), min(room(b[1]), room(b[2]))-blur)
	}
	for k, hull := range t.hulls {
		l.see(hull, t.blur[k], t.knots[k], t.knots[k+1])
	}
	c.told(l, Border, i, -1, func(time float64) float64 { return room(t.at(time)) })
}

// judgeEnds asks whether a robot starts where it is, and ends at its goal.
func (c *court) judgeEnds(i int) {
	r, t := c.Robots[i], c.tracks[i]
	if r.Ends == nil {
		return
	}
	for k, kind := range [2]Kind{Start, Goal} {
		x, at := r.Path.X[0], t.knots[0]
		if k == 1 {
			x, at = r.Path.X[len(r.Path.X)-1], t.knots[len(t.hulls)]
		}
		if d := x.Dist(r.Ends[k]); d > r.Radius/100 {
			c.verdict.Faults = append(c.verdict.Faults, Fault{Kind: kind, Robot: i, Other: -1, From: at, To: at, At: at, Place: x, Gap: -d, By: d})
		}
	}
}
