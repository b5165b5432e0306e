package hasten

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
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
	for k := range p.most {
		b, t := c.Span(k/cuts), (float64(k%cuts)+0.5)/cuts
		v, a := b.Velocity(t), b.Acceleration(t)
		if s := profile.Measure(r, v); r.Step > 0 && s > 0 {
			p.most[k] = min(p.most[k], r.Step*(1-profile.Spare)/s)
		}
		if r.TurnRate > 0 && v != (geom.Vec2{}) {
			p.most[k] = min(p.most[k], r.TurnRate*v.Dot(v)/max(math.Abs(v.Cross(a)), 1e-300))
		} else if r.TurnRate > 0 { // it may be turning, and then leaves as it did
			for h := k; h < min(len(p.most), k+leaving); h++ {
				p.most[h] = min(p.most[h], 1)
			}
		}
		if d.change {
			d.speed, d.bend = append(d.speed, profile.Measure(r, v)/r.Change), append(d.bend, profile.Measure(r, a)/r.Change)
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
