package plan

import (
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// A published task is in map units, its speeds and limits in normalised units per
// second, as in the published tables. A scene is in its own units throughout: what
// limits and speeds of one model are to another does not matter there.

// IsScene reports whether the task is a user's scene.
func (t Team) IsScene() bool { return t.Frame != (nav2d.Frame{}) }

// LengthUnit returns the units of the task in a map unit.
func (t Team) LengthUnit() float64 { return t.frame().Scale }

// Origin returns the point in the units of the task that stored positions count from: those
// of samples and of [Plan.Trajectories], which are float32. It is zero unless the
// workspace is far from zero, such as one in metres of a map projection. Certificates, their
// proofs and curves do not count from it, and neither does [Team.States].
func (t Team) Origin() geom.Vec2 { return t.frame().Origin() }

// States returns position and velocity of a robot at the waypoints of a plan or, of curves,
// at their knots, in the units of the task: exactly the numbers that are certified.
func (t Team) States(p *Plan, robot int) (positions, velocities []geom.Vec2) {
	if p.Curves != nil {
		return p.Curves[robot].X, p.Curves[robot].V
	}
	x, origin := p.Trajectories[robot].Data, t.Origin()
	for at := 0; at < len(x); at += channels {
		positions = append(positions, geom.Vec2{X: float64(x[at]), Y: float64(x[at+1])}.Add(origin))
		velocities = append(velocities, geom.Vec2{X: float64(x[at+2]), Y: float64(x[at+3])})
	}
	return positions, velocities
}

// TaskFrame maps between the units of the task and those of the map.
func (t Team) TaskFrame() nav2d.Frame { return t.frame() }

// asGiven returns a length of the map in the units of the task: as it was given, if it was.
func (t Team) asGiven(length, given float64) float64 {
	scaled := length * t.LengthUnit()
	if math.Abs(given-scaled) <= 0x1p-50*scaled {
		return given
	}
	return scaled
}

// RadiusOf returns the radius of a robot in the units of the task.
func (t Team) RadiusOf(r Robot) float64 { return t.asGiven(r.Radius, r.GivenRadius) }

// RadiusOfTraffic returns that of a mover.
func (t Team) RadiusOfTraffic(m Mover) float64 { return t.asGiven(m.Radius, m.GivenRadius) }

// MarginInTask returns the distance that is kept, in the units of the task.
func (t Team) MarginInTask() float64 { return t.asGiven(t.Margin, t.GivenMargin) }

// border returns the workspace in the units of the task: as it was given, if it was.
func (t Team) border() geom.Box {
	f := t.frame()
	scaled := geom.Box{Min: f.FromMap(t.Map.Bounds.Min), Max: f.FromMap(t.Map.Bounds.Max)}
	same := 0x1p-48 * (math.Abs(f.Center.X) + math.Abs(f.Center.Y) + f.Scale)
	if g := t.GivenBounds; g.Min.Dist(scaled.Min) <= same && g.Max.Dist(scaled.Max) <= same {
		return g
	}
	return scaled
}

// SpeedUnit returns the units in which speeds of the task are given, in those
// that they are judged in: [Measures] and [Result.Limits].
func (t Team) SpeedUnit() float64 {
	if t.IsScene() {
		return t.LengthUnit()
	}
	return 1
}

// unitOf returns the units of the task in a normalised unit of a robot's model, for
// lengths of steps and for speeds.
func (t Team) unitOf(r Robot) float64 {
	if t.IsScene() {
		return larger(r.Model.HalfRange()) * t.LengthUnit()
	}
	return 1
}

// AccelerationOf returns the highest acceleration of a robot in the units of the task.
func (t Team) AccelerationOf(r Robot) float64 { return t.unitOf(r) * r.Acceleration }

// LimitTo bounds the speed of a robot, in the units of the task per second. A stricter
// limit of its own stays.
func (t Team) LimitTo(i int, speed float64) {
	r := &t.Robots[i]
	r.Limit = min(r.Limit, speed/t.unitOf(*r))
}

// judgedLimit returns the limit of a robot in the units that speeds are judged in: map
// units per second in scenes, normalised units per second otherwise.
func (t Team) judgedLimit(r Robot) float64 { return r.Limit * t.unitOf(r) / t.SpeedUnit() }

// judgedHalfRange returns the length of a unit in which speeds are judged.
func (t Team) judgedHalfRange() [2]float64 {
	if t.IsScene() {
		return [2]float64{1, 1}
	}
	return t.Robots[0].Model.HalfRange()
}

// collision returns the error of robot i, whose start or goal is too near to something, in the units of the task.
func (t Team) collision(i int, place, with string, clearance, need float64) error {
	unit, at := t.LengthUnit(), func(r Robot) geom.Vec2 { return r.Start }
	if place == "goal" {
		at = func(r Robot) geom.Vec2 { return r.Goal }
	}
	return &CollisionError{Robot: t.Robots[i].Name, Place: place, With: with, Clearance: unit * clearance, Need: unit * need, Free: t.fits(i, at, unit*need)}
}
