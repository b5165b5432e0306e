package hasten

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// phasesOf returns where on the curve robots are at all waypoints, counted in spans.
func phasesOf(law []float64) []float64 {
	out, time := []float64{0}, 0.0
	for k, x := range law {
		took := 1 / (cuts * x)
		for time+took >= float64(len(out))-1e-9 {
			out = append(out, (float64(k)+(float64(len(out))-time)/took)/cuts)
		}
		time += took
	}
	for len(out) < len(law)/cuts+1 {
		out = append(out, float64(len(law)/cuts))
	}
	return out[:len(law)/cuts+1]
}

// timeOf returns when robots are at a phase, in spans.
func timeOf(law []float64, phase float64) (time float64) {
	for k, x := range law {
		if float64(k) >= phase*cuts {
			break
		}
		time += 1 / (cuts * x)
	}
	return time
}

// atPhases returns the control points with which a robot goes along a curve, whose control points were some, at phases of
// it. A spline lies inside the bends of its control points: these lie outside by as much. At the
// beginning it lies behind them.
func atPhases(phases []float64, were []geom.Vec2, c geom.Curve, arrival float64) []geom.Vec2 {
	const begun = 10 // waypoints after which only bends count
	n := len(c.X)
	on, ahead := make([]geom.Vec2, n), make([]geom.Vec2, n)
	arrived := n - 1
	for h := range on {
		on[h] = c.X[n-1]
		if phases[h] < arrival {
			on[h], ahead[h], _ = c.At(phases[h] * c.Step)
		} else if h < arrived {
			arrived = h
		}
	}
	out := slices.Clone(on)
	for h := 1; h < arrived; h++ {
		second := on[h-1].Add(on[h+1]).Sub(on[h].Scale(2))
		if v := ahead[h]; v != (geom.Vec2{}) {
			second = second.Sub(v.Scale(min(1, float64(h-1)/begun) * second.Dot(v) / v.Dot(v)))
		}
		out[h] = on[h].Sub(second.Scale(1.0 / 6))
	}
	for h := 1; h < n-1 && math.Abs(phases[h+1]-float64(h+1)) < 1e-6; h++ {
		out[h] = were[h] // on the old clock
	}
	return out
}

// straightEnds puts the two control points nearest to each end of a way on a line through it, along a heading if one is
// given: a robot that turns leaves its start and comes to its end straight.
func straightEnds(points []geom.Vec2, r Robot) {
	if !r.Turns {
		return
	}
	leave := func(points []geom.Vec2, heading *geom.Vec2) {
		k := slices.IndexFunc(points, func(p geom.Vec2) bool { return p != points[0] })
		if k < 1 || k+2 > len(points)-1 {
			return
		}
		if k > 1 && r.OnSpot {
			heading = nil // it turns first
		}
		from := points[0]
		e := points[k+1].Sub(from)
		if heading != nil {
			e = *heading
		}
		if e == (geom.Vec2{}) {
			return
		}
		e = e.Unit()
		for h := k; h < k+2; h++ {
			points[h] = from.Add(e.Scale(max(0, points[h].Sub(from).Dot(e))))
		}
	}
	leave(points, r.From)
	slices.Reverse(points)
	to := r.To
	if to != nil {
		to = new(to.Scale(-1))
	}
	leave(points, to)
	slices.Reverse(points)
}
