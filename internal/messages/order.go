package messages

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/passages"
	"github.com/go-pcd/pcd/internal/paths"
)

// ways are the polylines that orders give to robots, and who goes first on them: certified for
// these polylines, with what robots may deviate from them.
type ways struct {
	points    [][]geom.Vec2 // by robot: one more than pieces, at equal times
	order     *passages.Order
	deviation float64 // that robots may be off their ways by
	open      int     // places that no order covers
}

// finest is into how many pieces a span of a curve is cut at most.
const finest = 16

// ways cuts motions into polylines, so fine that they keep clear of everything as certified:
// the polylines are judged, and not the curves that they come from. Half of the room that is
// left beside obstacles, and a quarter of what is left between robots, is for deviations.
func (m *Team) ways(ctx context.Context) (*ways, error) {
	smallest := math.Inf(1)
	for _, r := range m.Robots {
		smallest = min(smallest, r.Radius)
	}
	for pieces := 1; ; pieces *= 2 {
		w := &ways{}
		off := 0.0
		for i := range m.Robots {
			points, error := m.Robots[i].polyline(pieces)
			w.points, off = append(w.points, points), max(off, error)
		}
		if off > smallest/50 && pieces < finest {
			continue
		}
		room, err := m.room(ctx, w.points)
		if err != nil {
			return nil, err
		}
		if room < 0 && pieces < finest {
			continue
		}
		if room < 0 {
			return nil, &WayError{Room: room}
		}
		if err := w.decide(ctx, m, room, smallest); err != nil {
			return nil, err
		}
		return w, nil
	}
}

// WayError says that the polylines of orders would touch something, however fine.
type WayError struct{ Room float64 }

func (e *WayError) Error() string {
	return fmt.Sprintf("messages: polylines come %.3g too near to an obstacle or to the border: plan with a margin", -e.Room)
}

// polyline returns the motion of a robot cut into pieces of equal times, and how far from it
// these are at most.
func (r *Robot) polyline(pieces int) (points []geom.Vec2, off float64) {
	p := r.Path
	if p.V == nil {
		return p.X, 0
	}
	for k := range len(p.X) - 1 {
		h := p.Times[k+1] - p.Times[k]
		b := geom.Curve{X: p.X[k : k+2], V: p.V[k : k+2], Step: h}.Span(0)
		for j := range pieces {
			points = append(points, b.At(float64(j)/float64(pieces)))
		}
		// A chord is off by an eighth of the largest second derivative, in pieces.
		bend := max(b.Acceleration(0).Norm(), b.Acceleration(1).Norm())
		off = max(off, bend/float64(8*pieces*pieces))
	}
	return append(points, p.X[len(p.X)-1]), off
}

// room returns how far polylines stay away from obstacles and from the border at least, beyond
// contact.
func (m *Team) room(ctx context.Context, points [][]geom.Vec2) (float64, error) {
	room := math.Inf(1)
	for i, r := range m.Robots {
		inset := r.Radius
		w := &judge.World{Obstacles: m.Obstacles, Border: m.Border}
		if m.Border != nil {
			for _, end := range [2]geom.Vec2{points[i][0], points[i][len(points[i])-1]} {
				gap, _ := gaps.Inner(*m.Border, geom.Segment{A: end, B: end}, 0)
				inset = min(inset, gap)
			}
			inset = max(0, inset-1e-9*r.Radius)
		}
		w.Robots = []judge.Robot{{Name: r.Name, Radius: r.Radius, Inset: inset, Path: &paths.Path{Robot: r.Name, X: points[i]}}}
		v, err := w.Judge(ctx)
		if err != nil {
			return 0, err
		}
		for _, margin := range v.Margins {
			if margin.Kind == judge.Obstacles || margin.Kind == judge.Border && inset == r.Radius {
				room = min(room, margin.Value)
			}
		}
	}
	return room, nil
}

// decide finds who goes first, with as much deviation as leaves an order everywhere.
func (w *ways) decide(ctx context.Context, m *Team, room, smallest float64) (err error) {
	motions := make([]passages.Motion, len(m.Robots))
	for i, r := range m.Robots {
		motions[i].Radius = r.Radius
		for k := range len(w.points[i]) - 1 {
			motions[i].Spans = append(motions[i].Spans, geom.Straight(w.points[i][k], w.points[i][k+1]))
		}
	}
	deviation := min(room/2, smallest/10, max(m.Made.Margin/4, smallest/100))
	for try := 0; ; try++ {
		if w.order, err = passages.New(ctx, motions, 2*deviation); err != nil {
			return err
		}
		w.deviation = deviation
		if w.open = len(w.order.Open); w.open == 0 || deviation == 0 {
			return nil
		}
		if deviation /= 4; try == 2 {
			deviation = 0
		}
	}
}

// stop is a place on a way at which a robot may be told to wait, or others wait for it to have
// been there.
type stop struct {
	from, to float64 // progress: it may stand there for a while
	at       geom.Vec2
}

// stops returns the places of robot i: start, goal and both ends of its passages. Places at
// which it stands for a while are one.
func (w *ways) stops(i int) (out []stop) {
	last := float64(len(w.points[i]) - 1)
	all := []float64{0, last}
	for _, p := range w.order.Passages {
		if p.Robot == i {
			all = append(all, p.At)
		}
		if p.After == i {
			all = append(all, p.Reached)
		}
	}
	slices.Sort(all)
	for _, s := range slices.Compact(all) {
		at := w.at(i, s)
		if n := len(out); n > 0 && w.stands(i, out[n-1].to, s) {
			out[n-1].to = s
			continue
		}
		out = append(out, stop{s, s, at})
	}
	return out
}

// at returns where robot i is at a progress.
func (w *ways) at(i int, s float64) geom.Vec2 {
	k := min(int(s), len(w.points[i])-2)
	if s == float64(k) {
		return w.points[i][k]
	}
	return w.points[i][k].Lerp(w.points[i][k+1], s-float64(k))
}

// stands reports whether robot i does not move from one progress to another.
func (w *ways) stands(i int, from, to float64) bool {
	at := w.at(i, from)
	for k := int(math.Ceil(from)); float64(k) < to; k++ {
		if w.points[i][k] != at {
			return false
		}
	}
	return w.at(i, to) == at
}

// between returns the corners of the way of robot i from one progress to another, both ends
// among them and no point twice.
func (w *ways) between(i int, from, to float64) []geom.Vec2 {
	out := []geom.Vec2{w.at(i, from)}
	add := func(p geom.Vec2) {
		if p != out[len(out)-1] {
			out = append(out, p)
		}
	}
	for k := int(math.Floor(from)) + 1; float64(k) < to; k++ {
		add(w.points[i][k])
	}
	add(w.at(i, to))
	return out
}
