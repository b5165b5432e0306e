package plan

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/passages"
)

// Order says, for every place where the ways of two robots meet, who goes first. While it
// is kept nobody touches anybody, however late the robots are, and everybody arrives; on
// time nobody waits. See [Team.Order].
//
// Progress counts waypoints along the motion of a plan, with fractions: 12.5 is where the
// plan is half-way between the times of waypoints 12 and 13. Order.Passages says what waits
// for what, Order.Open where no order keeps two robots apart, and Order.Lateness how late,
// counted in waypoints, each may be before another has to wait.
type Order = passages.Order

// Passage says that robot Robot goes beyond progress At only when robot After has reached
// progress Reached.
type Passage = passages.Passage

// Execution follows a team that keeps an order: Report takes how far a robot has come, late
// perhaps and never too soon; May answers whether a robot may enter a span now, Limit how far it
// may go, where it has to be able to stop, and Waits for which robots it waits.
// It belongs to one goroutine.
type Execution = passages.Execution

// NewExecution returns an execution with all robots at their starts.
func NewExecution(o *Order) *Execution { return passages.NewExecution(o) }

// orderMargins are shares of the margin of a team that late robots keep, from the largest on. On time hardly more than the
// margin may be left, and of two robots on spans of one time an order can only keep less than that.
var orderMargins = []float64{1, 0.5, 0.25}

// Order returns who goes first in a plan. Robots that keep to their ways and to the order
// are free of contact whatever their delays, and keep as much of the team's margin as an order of all places can: Order.Margin, in the
// units of the task. Localisation errors of two robots together have to be within that. Traffic does not wait: beside it the times of
// the plan are what counts. The error is that of the context.
func (t Team) Order(ctx context.Context, p *Plan) (*Order, error) {
	motions := make([]passages.Motion, len(t.Robots))
	for i, r := range t.Robots {
		m := &motions[i]
		m.Radius = t.RadiusOf(r)
		if p.Curves != nil {
			for h := range p.Curves[i].Spans() {
				m.Spans = append(m.Spans, p.Curves[i].Span(h))
			}
			continue
		}
		way := geom.Points(nil, p.Trajectories[i].Data, channels)
		for h := range len(way) - 1 {
			m.Spans = append(m.Spans, geom.Straight(way[h], way[h+1]))
		}
	}
	for _, share := range orderMargins {
		margin := share * t.MarginInTask()
		if kept, err := passages.Kept(ctx, motions, margin); err != nil {
			return nil, err
		} else if kept {
			return passages.New(ctx, motions, margin)
		}
	}
	return passages.New(ctx, motions, 0)
}
