package nav2d

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Traffic is a disk that moves among the robots on a path of its own: straight from
// one point to the next, at rest before the first and after the last.
type Traffic struct {
	Name   string      `yaml:"name"`
	Radius float64     `yaml:"radius"`
	Path   [][]float64 `yaml:"path"` // [seconds, x, y], in the order of time
}

// taskTraffic is traffic in the coordinates of the map, with the points and the times of its
// own path.
type taskTraffic struct {
	Name        string
	Radius      float64
	GivenRadius float64 // in the units of the scene
	Path        []geom.Vec2
	GivenPath   []geom.Vec2 // in the units of the scene
	Times       []float64   // seconds
}

// at returns the position at a time.
func (m taskTraffic) at(t float64) geom.Vec2 {
	last := len(m.Path) - 1
	if t <= m.Times[0] {
		return m.Path[0]
	}
	for k := 1; k <= last; k++ {
		if from, to := m.Times[k-1], m.Times[k]; t <= to {
			return m.Path[k-1].Lerp(m.Path[k], (t-from)/(to-from))
		}
	}
	return m.Path[last]
}

// task returns traffic as a plan sees it.
func (m Traffic) task(name string, f Frame) taskTraffic {
	out := taskTraffic{Name: name, Radius: m.Radius / f.Scale, GivenRadius: m.Radius}
	for _, p := range m.Path {
		out.Times = append(out.Times, p[0])
		out.Path, out.GivenPath = append(out.Path, f.ToMap(point(p[1:]))), append(out.GivenPath, point(p[1:]))
	}
	return out
}

// setMotion sets limits and velocities of a robot that are lengths.
func (s *Scene) setMotion(out *TaskRobot, r Robot, scale float64) {
	for _, a := range []*float64{s.Acceleration, r.Acceleration} {
		if a != nil {
			out.Acceleration = *a / scale
		}
	}
	if r.TurnRate != nil {
		out.TurnRate = *r.TurnRate
	}
	if r.TurningRadius != nil {
		out.TurningRadius = *r.TurningRadius / scale
	}
	out.StartHeading, out.GoalHeading = r.StartHeading, r.GoalHeading
	if r.StartVelocity != nil {
		out.StartVelocity = point(r.StartVelocity).Scale(1 / scale)
	}
	if r.GoalVelocity != nil {
		out.GoalVelocity = point(r.GoalVelocity).Scale(1 / scale)
	}
}

// Limits of traffic, so that a scene stays small.
const (
	maxTraffic = 256
	maxKnots   = 256
)

// checkMotion finds values of margins, accelerations and traffic that make no sense.
func (s *Scene) checkMotion(c *sceneCheck) {
	if s.Motion != "" && s.Motion != "polyline" && s.Motion != "curve" {
		c.value("motion", s.Motion, "curve or polyline")
	}
	c.optional("margin", s.Margin, 0, maxCoordinate, fmt.Sprintf("a distance from 0 to %.3g", maxCoordinate))
	c.optional("lateness", s.Lateness, 0, maxDuration, "seconds from 0 to 1e6")
	if s.Lateness != nil && *s.Lateness > 0 && s.Motion == "polyline" {
		c.value("lateness", *s.Lateness, "0 with motion polyline: plans along curves alone are certified for robots that are late")
	}
	c.optional("acceleration", s.Acceleration, 1/maxCoordinate, maxCoordinate, fmt.Sprintf("%.3g to %.3g; leave it out for no limit", 1/maxCoordinate, maxCoordinate))
	for i, r := range s.Robots {
		key := fmt.Sprintf("robots[%d]", i)
		c.optional(key+".acceleration", r.Acceleration, 1/maxCoordinate, maxCoordinate, fmt.Sprintf("%.3g to %.3g; leave it out for that of the scene", 1/maxCoordinate, maxCoordinate))
		c.optional(key+".turn_rate", r.TurnRate, 1e-6, 1e6, "radians per second from 1e-6 to 1e6; leave it out for no limit")
		c.optional(key+".turning_radius", r.TurningRadius, 1/maxCoordinate, maxCoordinate, fmt.Sprintf("%.3g to %.3g; leave it out for no limit", 1/maxCoordinate, maxCoordinate))
		for k, heading := range []*float64{r.StartHeading, r.GoalHeading} {
			c.optional(key+[2]string{".start_heading", ".goal_heading"}[k], heading, -7, 7, "radians from -7 to 7")
		}
		if s.Motion == "polyline" && (r.TurnRate != nil || r.TurningRadius != nil || r.StartHeading != nil || r.GoalHeading != nil) {
			c.value(key, "given turns or headings", "none with motion polyline, whose robots turn at once at every waypoint")
		}
		if r.StartVelocity != nil {
			c.point(key+".start_velocity", r.StartVelocity, false)
		}
		if r.GoalVelocity != nil {
			c.point(key+".goal_velocity", r.GoalVelocity, false)
		}
		if s.Acceleration == nil && r.Acceleration == nil && (r.StartVelocity != nil || r.GoalVelocity != nil) {
			c.value(key+".acceleration", "left out", "a limit: without one, velocities at the ends have no effect")
		}
	}
	if len(s.Traffic) > maxTraffic {
		c.value("traffic", len(s.Traffic), fmt.Sprintf("at most %d disks", maxTraffic))
		return
	}
	for i, m := range s.Traffic {
		m.check(c, fmt.Sprintf("traffic[%d]", i))
	}
}

func (m Traffic) check(c *sceneCheck, key string) {
	c.number(key+".radius", m.Radius, 1/maxCoordinate, maxCoordinate, "a positive number")
	if len(m.Path) == 0 || len(m.Path) > maxKnots {
		c.value(key+".path", len(m.Path), fmt.Sprintf("1 to %d points [seconds, x, y]", maxKnots))
		return
	}
	for k, p := range m.Path {
		at := fmt.Sprintf("%s.path[%d]", key, k)
		switch {
		case len(p) != 3 || !(math.Abs(p[0]) <= maxDuration):
			c.value(at, p, "[seconds, x, y]")
			return
		case k > 0 && !(p[0] > m.Path[k-1][0]):
			c.value(at, p[0], "a time after the one before it")
			return
		}
		c.point(at, p[1:], false)
	}
}

// nearest returns how near it comes to a place from one time to another.
func (m taskTraffic) nearest(p geom.Vec2, from, to float64) float64 {
	at, least := m.at(from), math.Inf(1)
	for k, t := range append(m.Times[:len(m.Times):len(m.Times)], to) {
		if t <= from && k < len(m.Times) || t > to {
			continue
		}
		next := m.at(t)
		least = min(least, geom.Segment{A: at, B: next}.Distance(p))
		at = next
	}
	return least
}
