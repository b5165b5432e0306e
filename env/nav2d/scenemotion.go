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

// TaskTraffic is traffic in the coordinates of the map, at the waypoints of a plan.
// Its radius has grown by as much as the straight ways between waypoints leave its
// path, so that it covers the disk at every moment.
type TaskTraffic struct {
	Name   string
	Radius float64
	Path   []geom.Vec2
}

// at returns the position at a time.
func (m Traffic) at(t float64) geom.Vec2 {
	last := len(m.Path) - 1
	place := func(k int) geom.Vec2 { return geom.Vec2{X: m.Path[k][1], Y: m.Path[k][2]} }
	if t <= m.Path[0][0] {
		return place(0)
	}
	for k := 1; k <= last; k++ {
		if from, to := m.Path[k-1][0], m.Path[k][0]; t <= to {
			return place(k-1).Lerp(place(k), (t-from)/(to-from))
		}
	}
	return place(last)
}

// task returns traffic number i as a plan sees it.
func (m Traffic) task(name string, t *Task) TaskTraffic {
	out := TaskTraffic{Name: name}
	var path []geom.Vec2
	for h := range Waypoints {
		path = append(path, m.at(float64(h)*t.Step))
		out.Path = append(out.Path, t.Frame.ToMap(path[h]))
	}
	out.Radius = (m.Radius + m.deviation(path, t.Step)) / t.Frame.Scale
	return out
}

// deviation returns the largest distance between the path and the straight ways
// between its waypoints at the same time. Both are straight between the points of the
// path and waypoints, so it is found at a point of the path.
func (m Traffic) deviation(path []geom.Vec2, step float64) (d float64) {
	for _, p := range m.Path {
		h := math.Floor(p[0] / step)
		if h < 0 || int(h) >= len(path)-1 {
			continue
		}
		at := path[int(h)].Lerp(path[int(h)+1], p[0]/step-h)
		d = max(d, at.Dist(geom.Vec2{X: p[1], Y: p[2]}))
	}
	return d
}

// setMotion sets limits and velocities of a robot that are lengths.
func (s *Scene) setMotion(out *TaskRobot, r Robot, scale float64) {
	for _, a := range []*float64{s.Acceleration, r.Acceleration} {
		if a != nil {
			out.Acceleration = *a / scale
		}
	}
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
	c.optional("margin", s.Margin, 0, maxCoordinate, fmt.Sprintf("a distance from 0 to %.3g", maxCoordinate))
	c.optional("acceleration", s.Acceleration, 1/maxCoordinate, maxCoordinate, fmt.Sprintf("%.3g to %.3g; leave it out for no limit", 1/maxCoordinate, maxCoordinate))
	for i, r := range s.Robots {
		key := fmt.Sprintf("robots[%d]", i)
		c.optional(key+".acceleration", r.Acceleration, 1/maxCoordinate, maxCoordinate, fmt.Sprintf("%.3g to %.3g; leave it out for that of the scene", 1/maxCoordinate, maxCoordinate))
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

// checkTraffic finds robots that begin or end in the way of traffic.
func (t *Task) checkTraffic(c *sceneCheck, r TaskRobot) {
	for _, m := range t.Traffic {
		for k, at := range [2]geom.Vec2{r.Start, r.Goal} {
			where := m.Path[k*(len(m.Path)-1)]
			if d, need := at.Dist(where), r.Radius+m.Radius+t.Margin; !(d >= need) {
				c.add(&SeparationError{Robots: [2]string{m.Name, r.Name}, Place: [2]string{"starts", "goals"}[k],
					Distance: d * t.Frame.Scale, Need: need * t.Frame.Scale})
			}
		}
	}
}
