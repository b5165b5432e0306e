package passages

import (
	"math"
	"slices"
)

// Execution follows a team that keeps an order. It belongs to one goroutine.
type Execution struct {
	order    *Order
	progress []float64
	waits    [][]Passage // per robot, in order of At
	next     []int       // per robot: the first of them that is not fulfilled
}

// NewExecution returns an execution in which all robots are at their starts.
func NewExecution(o *Order) *Execution {
	e := &Execution{order: o, progress: make([]float64, o.Robots), waits: make([][]Passage, o.Robots), next: make([]int, o.Robots)}
	for _, p := range o.Passages {
		e.waits[p.Robot] = append(e.waits[p.Robot], p)
	}
	return e
}

// Report says that a robot has reached a progress. It may be told late, never too soon.
// What is less than before, or not a number, changes nothing.
func (e *Execution) Report(robot int, progress float64) {
	if progress > e.progress[robot] {
		e.progress[robot] = min(progress, float64(e.order.Spans))
	}
}

// Limit returns how far a robot may go now: it has to be able to stop there.
func (e *Execution) Limit(robot int) float64 {
	if p, waits := e.Waits(robot); waits {
		return p.At
	}
	return float64(e.order.Spans)
}

// May reports whether a robot may enter a span now. It may go on to [Execution.Limit],
// which may lie within the span.
func (e *Execution) May(robot, span int) bool { return e.Limit(robot) > float64(span) }

// Waits returns the passage at which a robot has to wait as things are, and whether there
// is one.
func (e *Execution) Waits(robot int) (Passage, bool) {
	all := e.waits[robot]
	for n := e.next[robot]; n < len(all); n++ {
		if e.progress[all[n].After] < all[n].Reached {
			e.next[robot] = n
			return all[n], true
		}
	}
	e.next[robot] = len(all)
	return Passage{}, false
}

// Arrived reports whether all robots are at their goals.
func (e *Execution) Arrived() bool {
	return !slices.ContainsFunc(e.progress, func(p float64) bool { return p < float64(e.order.Spans) })
}

// Lateness returns, per robot and waypoint, how late the robot may be from there on,
// counted in spans, before anybody has to wait for it; +Inf is as late as it likes.
func (o *Order) Lateness() [][]float64 {
	out := make([][]float64, o.Robots)
	for i := range out {
		out[i] = slices.Repeat([]float64{math.Inf(1)}, o.Spans+1)
	}
	for _, p := range o.Passages {
		last := int(math.Floor(p.Reached)) // it counts for whoever is late on the way there
		own := out[p.After]
		own[last] = min(own[last], p.At-p.Reached)
	}
	for _, own := range out {
		for h := len(own) - 2; h >= 0; h-- {
			own[h] = min(own[h], own[h+1])
		}
	}
	return out
}
