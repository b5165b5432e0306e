package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
)

// pace is how fast some robots may go along curves that they have, all by the same clock: how many spans of
// these in the time of one. Its law gives it for each part of a span.
type pace struct {
	most  []float64 // by part, what may not be exceeded
	eager []float64 // by part, the share of their accelerations that robots use
	moves []drive   // of the robots
	held  int       // parts on which they keep to the clock that they have
}

// drive is how a robot goes along its curve as it is: by part.
type drive struct {
	speed, bend []float64 // per span, and its square, in units of the limits
	change      bool      // it has a limit of acceleration
}

const (
	cuts     = 4   // parts of a span
	quickest = 8   // the largest pace: what is left out between two waypoints nobody sees
	slowest  = 0.5 // the smallest one
)

// newPace returns the pace of nobody over so many spans.
func newPace(spans int) *pace {
	const first = 0.9 // of the accelerations: the rest is for what happens between waypoints
	return &pace{most: slices.Repeat([]float64{quickest}, spans*cuts), eager: slices.Repeat([]float64{first}, spans*cuts)}
}

// add lets a robot take part.
func (p *pace) add(r separation.Robot, c geom.Curve) {
	const leaving = 2*cuts + 1
	d := drive{change: r.Change > 0}
	if c.V[0] != (geom.Vec2{}) { // it goes already
		for k := range min(len(p.most), 2*cuts) {
			p.most[k] = 1
		}
	}
	unit := [2]float64{cmp.Or(r.Unit[0], 1), cmp.Or(r.Unit[1], 1)}
	norm := func(v geom.Vec2) float64 { return math.Hypot(v.X/unit[0], v.Y/unit[1]) }
	for k := range p.most {
		b, t := c.Span(k/cuts), (float64(k%cuts)+0.5)/cuts
		v, a := b.Velocity(t), b.Acceleration(t)
		if s := norm(v); r.Step > 0 && s > 0 {
			p.most[k] = min(p.most[k], r.Step*(1-spare)/s)
		}
		if r.TurnRate > 0 && v != (geom.Vec2{}) {
			p.most[k] = min(p.most[k], r.TurnRate*v.Dot(v)/max(math.Abs(v.Cross(a)), 1e-300))
		} else if r.TurnRate > 0 { // it may be turning, and then leaves as it did
			for h := k; h < min(len(p.most), k+leaving); h++ {
				p.most[h] = min(p.most[h], 1)
			}
		}
		if d.change {
			d.speed, d.bend = append(d.speed, norm(v)/r.Change), append(d.bend, norm(a)/r.Change)
			p.most[k] = min(p.most[k], 1/math.Sqrt(max(d.bend[k], 1e-300)))
		}
	}
	p.moves = append(p.moves, d)
	if r.TurningRadius > 0 {
		p.steer(r.TurningRadius, c)
	}
}

// steer lets a vehicle go so gradually that its arcs can be told: its steps are short beside the radius that
// it turns with, and so is what they grow by.
func (p *pace) steer(radius float64, c geom.Curve) {
	const step, growth = 0.5, 0.15
	d := drive{change: true, bend: make([]float64, len(p.most))}
	for k := range p.most {
		v := c.Span(k / cuts).Velocity((float64(k%cuts) + 0.5) / cuts).Norm()
		d.speed = append(d.speed, v/(growth*radius))
		p.most[k] = min(p.most[k], max(1, step*radius/max(v, 1e-300)))
	}
	p.moves = append(p.moves, d)
}

// slow lets robots go slower on a part of their ways, and brake and accelerate less.
func (p *pace) slow(from, to, by, eager float64) {
	for k := max(p.held, int(from*cuts)); k < min(len(p.most), int(math.Ceil(to*cuts))); k++ {
		p.most[k] = max(slowest, p.most[k]/by)
		p.eager[k] *= eager
	}
}

// hold lets robots keep to the clock that they have up to a phase, and further than before.
func (p *pace) hold(until float64) {
	const further = 4 // spans
	p.held = min(len(p.most), max(int(until*cuts), p.held+further*cuts))
	for k := range p.held {
		p.most[k] = 1
	}
}

// law returns the pace by part.
func (p *pace) law() []float64 {
	w := evened(p.most)
	for k := range w {
		w[k] *= w[k]
	}
	for _, d := range p.moves {
		if d.change {
			for k := 1; k < len(w); k++ {
				w[k] = min(w[k], p.after(w[k-1], d, k-1))
			}
			for k := len(w) - 1; k > 0; k-- {
				w[k-1] = min(w[k-1], p.after(w[k], d, k))
			}
		}
	}
	for k := range w {
		w[k] = math.Sqrt(w[k])
	}
	return w
}

// after returns the square of the pace that a robot can have beside a part.
func (p *pace) after(w float64, d drive, k int) float64 {
	return max(min(w, slowest), w+2*max(0, p.eager[k]-d.bend[k]*w)/max(d.speed[k], 1e-300)/cuts)
}

// evened returns a pace that changes gradually, and is nowhere larger.
func evened(p []float64) []float64 {
	const around = cuts
	low, out := make([]float64, len(p)), make([]float64, len(p))
	for k := range p {
		low[k] = slices.Min(p[max(0, k-around):min(len(p), k+around+1)])
	}
	for k := range p {
		sum, part := 0.0, low[max(0, k-around):min(len(p), k+around+1)]
		for _, x := range part {
			sum += x
		}
		out[k] = sum / float64(len(part))
	}
	return out
}

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
	if !r.turns() {
		return
	}
	leave := func(points []geom.Vec2, heading *geom.Vec2) {
		k := slices.IndexFunc(points, func(p geom.Vec2) bool { return p != points[0] })
		if k < 1 || k+2 > len(points)-1 {
			return
		}
		if k > 1 && r.onTheSpot() {
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
	leave(points, along(r.StartHeading))
	slices.Reverse(points)
	heading := along(r.GoalHeading)
	if heading != nil {
		*heading = heading.Scale(-1)
	}
	leave(points, heading)
	slices.Reverse(points)
}
