package plan

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// Best is the joint sample to drive: of those without a collision or a speed too
// high, also between the waypoints, the one with the shortest ways.
type Best struct {
	Sample   int  `json:"sample"`   // number of the joint sample
	Feasible bool `json:"feasible"` // no collision and no speed too high at the waypoints
	// Continuous is true when there is no collision between the waypoints either,
	// with robots moving straight from one to the next.
	Continuous bool `json:"continuous"`
	// FirstFeasible is the number of the first feasible sample, -1 for none.
	FirstFeasible int     `json:"first_feasible"`
	Length        float64 `json:"length"`     // of all ways together, in map units
	Separation    float64 `json:"separation"` // smallest gap between two robots; negative when they overlap. +Inf for one robot
	Clearance     float64 `json:"clearance"`  // smallest gap between a robot and an obstacle
}

// best chooses among the judged samples.
func (t Team) best(r *Result) Best {
	first, best := -1, Best{Sample: -1}
	for k, j := range r.Judged {
		feasible := j.Feasible(r.Limits)
		if feasible && first < 0 {
			first = k
		}
		if b := t.appraise(r.Trajectories, k, feasible); best.Sample < 0 || b.beats(best) {
			best = b
		}
	}
	best.FirstFeasible = first
	return best
}

// beats orders appraisals: feasible before not, then free of collisions in
// between, then by length.
func (b Best) beats(o Best) bool {
	if b.Feasible != o.Feasible {
		return b.Feasible
	}
	if b.Continuous != o.Continuous {
		return b.Continuous
	}
	return b.Length < o.Length
}

// appraise measures joint sample k.
func (t Team) appraise(x []tensor.Batch, k int, feasible bool) Best {
	b := Best{Sample: k, Feasible: feasible, Clearance: math.Inf(1)}
	ways := make([][]geom.Vec2, len(x))
	for i := range x {
		ways[i] = t.way(x[i].Sample(k))
		b.Length += length(ways[i])
		b.Clearance = min(b.Clearance, t.clearance(ways[i])-t.Robots[i].Radius)
	}
	b.Separation = t.smallestGap(ways)
	b.Continuous = b.Separation >= 0 && b.Clearance >= 0
	return b
}

// way returns the positions of a trajectory of the task in map units.
func (t Team) way(s []float32) []geom.Vec2 {
	p := geom.Points(nil, s, channels)
	for h := range p {
		p[h] = t.frame().ToMap(p[h])
	}
	return p
}

// length returns the length of a way.
func length(p []geom.Vec2) float64 {
	sum := 0.0
	for h := 1; h < len(p); h++ {
		sum += p[h].Dist(p[h-1])
	}
	return sum
}

// clearanceStep is the longest distance between two points of a way at which its
// clearance is looked up, in map units.
const clearanceStep = 0.005

// clearancePieces is how many points of a step are looked at: one is clearanceStep from
// the next in steps of up to 80 map units, which is forty times across a map.
const clearancePieces = 1 << 14

// clearance returns the smallest distance of a way to an obstacle. The distance
// changes by at most the way between two points, so half their distance is taken
// off: the result is never too large. For the same reason points that are too near to
// one that lies far from all obstacles are passed over: they have more room than the
// smallest so far.
func (t Team) clearance(p []geom.Vec2) float64 {
	smallest, _ := t.Map.Clearance(p[0])
	for h := 1; h < len(p); h++ {
		step := p[h].Sub(p[h-1])
		pieces := min(max(1, math.Ceil(step.Norm()/clearanceStep)), clearancePieces)
		piece := step.Norm() / pieces
		for i := 1.0; i <= pieces; {
			d, _ := t.Map.Clearance(p[h-1].Add(step.Scale(i / pieces)))
			room := d - piece/2
			passed := math.Floor((room - smallest) / piece) // NaN for no step at all, and on a map without obstacles
			smallest = min(smallest, room)
			if i++; passed > 1 {
				i += passed - 1
			}
		}
	}
	return smallest
}
