package teams

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
)

// Sampled is what samples of a delivered curve show: a judge that knows neither hulls nor
// directions. It evaluates the cubics of the numbers that are written, and differentiates by
// differences.
type Sampled struct {
	Gap          float64 `json:"gap"`          // least between surfaces, less the margin, in units of the task
	Speed        float64 `json:"speed"`        // largest part of a limit
	Acceleration float64 `json:"acceleration"` // the same, by second differences; 0 without limits
	Ends         float64 `json:"ends"`         // farthest from a start or goal
	Rest         float64 `json:"rest"`         // largest velocity there that is not the one given
}

// Kept reports whether all is kept, up to the rounding of differences.
func (s Sampled) Kept() bool {
	const rounding = 1e-6
	return s.Gap >= -1e-12 && s.Speed <= 1+rounding && s.Acceleration <= 1+rounding && s.Ends <= rounding && s.Rest <= rounding
}

// state returns where a robot is on its cubics at a time, in other words than
// [geom.Curve.At]: by the basis of Hermite.
func state(c geom.Curve, t float64) geom.Vec2 {
	h := min(max(int(t/c.Step), 0), len(c.X)-2)
	u := min(max(t/c.Step-float64(h), 0), 1)
	p, q := (1+2*u)*(1-u)*(1-u), u*u*(3-2*u)
	v, w := u*(1-u)*(1-u)*c.Step, -u*u*(1-u)*c.Step
	return geom.Vec2{
		X: p*c.X[h].X + q*c.X[h+1].X + v*c.V[h].X + w*c.V[h+1].X,
		Y: p*c.X[h].Y + q*c.X[h+1].Y + v*c.V[h].Y + w*c.V[h+1].Y,
	}
}

// sampleRate is how many times a second, and parts how many times from knot to knot, curves are
// looked at, whichever is more often.
const (
	sampleRate = 1000
	parts      = 32
)

// Sample looks at a plan on curves, whose radii, limits, obstacles and traffic are those of the
// team.
func Sample(team plan.Team, p *plan.Plan) Sampled {
	out := Sampled{Gap: math.Inf(1)}
	step := p.Times[1]
	end := p.Times[len(p.Times)-1]
	n := int(math.Ceil(max(end*sampleRate, parts*float64(len(p.Times)-1))))
	dt := end / float64(n)
	at := make([][3]geom.Vec2, len(team.Robots)) // of each robot now and twice before
	for k := range n + 1 {
		t := float64(k) * dt
		for i := range team.Robots {
			at[i] = [3]geom.Vec2{at[i][1], at[i][2], state(p.Curves[i], t)}
		}
		out.gaps(team, at, t, step)
		for i := range team.Robots {
			out.limits(team, i, at[i], k, dt)
		}
	}
	for i, r := range team.Robots {
		c, last := p.Curves[i], len(p.Curves[i].X)-1
		f := team.TaskFrame()
		out.Ends = max(out.Ends, c.X[0].Dist(f.FromMap(r.Start)), c.X[last].Dist(f.FromMap(r.Goal)))
		out.Rest = max(out.Rest, c.V[0].Dist(r.StartVelocity.Scale(f.Scale)), c.V[last].Dist(r.GoalVelocity.Scale(f.Scale)))
	}
	return out
}

// gaps measures those of all robots at a time.
func (s *Sampled) gaps(team plan.Team, at [][3]geom.Vec2, t, step float64) {
	frame, margin := team.TaskFrame(), team.MarginInTask()
	for i, r := range team.Robots {
		x := at[i][2]
		for j := range i {
			s.Gap = min(s.Gap, x.Dist(at[j][2])-team.RadiusOf(r)-team.RadiusOf(team.Robots[j])-margin)
		}
		for _, m := range team.Traffic {
			s.Gap = min(s.Gap, x.Dist(frame.FromMap(placeOf(m, t, step)))-team.RadiusOf(r)-team.RadiusOfTraffic(m)-margin)
		}
		p := frame.ToMap(x)
		for _, o := range team.Map.Obstacles {
			d, _ := o.SignedDistance(p)
			s.Gap = min(s.Gap, (d-r.Radius-team.Margin)*frame.Scale+rounded*frame.Scale)
		}
	}
}

// rounded is what the way to map units and back may cost.
const rounded = 1e-12

// placeOf returns where a mover is.
func placeOf(m plan.Mover, t, step float64) geom.Vec2 {
	times := m.Times
	if times == nil {
		for h := range m.Path {
			times = append(times, float64(h)*step)
		}
	}
	for k := 1; k < len(times); k++ {
		if t <= times[k] {
			return m.Path[k-1].Lerp(m.Path[k], max(0, (t-times[k-1])/(times[k]-times[k-1])))
		}
	}
	return m.Path[len(m.Path)-1]
}

// limits measures the speed and the acceleration of robot i by the differences of three places.
func (s *Sampled) limits(team plan.Team, i int, x [3]geom.Vec2, k int, dt float64) {
	r := team.Robots[i]
	half := r.Model.HalfRange()
	if team.IsScene() {
		half = [2]float64{max(half[0], half[1]), max(half[0], half[1])}
	}
	norm := func(v geom.Vec2) float64 { return math.Hypot(v.X/half[0], v.Y/half[1]) / team.LengthUnit() }
	if k >= 1 && !math.IsInf(r.Limit, 1) {
		s.Speed = max(s.Speed, norm(x[2].Sub(x[1]))/dt/r.Limit)
	}
	if k >= 2 && r.Acceleration > 0 {
		blur := 8 * 0x1p-52 * (math.Abs(x[2].X) + math.Abs(x[2].Y)) / (dt * dt * team.LengthUnit())
		s.Acceleration = max(s.Acceleration, (norm(x[2].Sub(x[1]).Sub(x[1].Sub(x[0])))/(dt*dt)-blur)/r.Acceleration)
	}
}
