package metamorph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/geom"
)

// scene is a random task for robots, in its own units.
type scene struct {
	units    string
	motion   string // "" is the default, along curves
	duration float64
	margin   float64
	bounds   geom.Box
	boxes    []box
	circles  []circle
	robots   []robot
}

type box struct{ center, size geom.Vec2 }

type circle struct {
	center geom.Vec2
	radius float64
}

type robot struct {
	name                string
	start, goal         geom.Vec2
	radius              float64
	speed, acceleration float64 // none if 0
}

// drawScene draws a workspace of ten units with a few obstacles and up to seven robots, whose
// ends are apart. Coordinates are sixteenths: they stay what they are when they are moved
// and scaled by powers of two.
func drawScene(r *rand.Rand) scene {
	s := scene{units: "m", duration: 20, bounds: geom.Box{Min: geom.Vec2{X: -5, Y: -5}, Max: geom.Vec2{X: 5, Y: 5}}}
	if r.IntN(3) == 0 {
		s.motion = "polyline"
	}
	if r.IntN(3) == 0 {
		s.margin = 1. / 16
	}
	place := func() geom.Vec2 {
		return geom.Vec2{X: float64(r.IntN(129)-64) / 16, Y: float64(r.IntN(129)-64) / 16}
	}
	for range r.IntN(4) {
		s.boxes = append(s.boxes, box{place(), geom.Vec2{X: float64(4+r.IntN(20)) / 16, Y: float64(4+r.IntN(20)) / 16}})
	}
	for range r.IntN(3) {
		s.circles = append(s.circles, circle{place(), float64(2+r.IntN(8)) / 16})
	}
	largest := 2 + r.IntN(10)
	for i := range 2 + r.IntN(6) {
		a := robot{name: fmt.Sprint("r", i), radius: float64(2+r.IntN(largest)) / 16}
		if r.IntN(2) == 0 {
			a.speed = 1 + float64(r.IntN(8))/4
		}
		if r.IntN(3) == 0 {
			a.acceleration = 1 + float64(r.IntN(8))/4
		}
		for range 100 {
			a.start, a.goal = place(), place()
			if s.fits(a) {
				s.robots = append(s.robots, a)
				break
			}
		}
	}
	return s
}

// fits reports whether the ends of a robot keep off everything by a quarter.
func (s scene) fits(a robot) bool {
	const apart = 0.25
	for _, at := range []geom.Vec2{a.start, a.goal} {
		for _, b := range s.boxes {
			half := b.size.Scale(0.5)
			if d, _ := (geom.Box{Min: b.center.Sub(half), Max: b.center.Add(half)}).SignedDistance(at); d < a.radius+apart {
				return false
			}
		}
		for _, c := range s.circles {
			if at.Dist(c.center) < c.radius+a.radius+apart {
				return false
			}
		}
	}
	for _, o := range s.robots {
		if a.start.Dist(o.start) < a.radius+o.radius+apart || a.goal.Dist(o.goal) < a.radius+o.radius+apart {
			return false
		}
	}
	return true
}

// clone returns a scene that shares nothing with s.
func (s scene) clone() scene {
	s.boxes, s.circles, s.robots = slices.Clone(s.boxes), slices.Clone(s.circles), slices.Clone(s.robots)
	return s
}

// mapped returns the scene with all points moved by f, and all lengths multiplied. Sides of
// boxes change places where f is a quarter turn.
func (s scene) mapped(f func(geom.Vec2) geom.Vec2, scale float64, turned bool) scene {
	s = s.clone()
	a, b := f(s.bounds.Min), f(s.bounds.Max)
	s.bounds = geom.Box{Min: geom.Vec2{X: min(a.X, b.X), Y: min(a.Y, b.Y)}, Max: geom.Vec2{X: max(a.X, b.X), Y: max(a.Y, b.Y)}}
	s.margin *= scale
	for i := range s.boxes {
		size := s.boxes[i].size.Scale(scale)
		if turned {
			size.X, size.Y = size.Y, size.X
		}
		s.boxes[i] = box{f(s.boxes[i].center), size}
	}
	for i, c := range s.circles {
		s.circles[i] = circle{f(c.center), c.radius * scale}
	}
	for i, a := range s.robots {
		s.robots[i] = robot{a.name, f(a.start), f(a.goal), a.radius * scale, a.speed * scale, a.acceleration * scale}
	}
	return s
}

// text returns the scene as a file.
func (s scene) text() string {
	var b strings.Builder
	pair := func(v geom.Vec2) string { return fmt.Sprintf("[%v, %v]", v.X, v.Y) }
	fmt.Fprintf(&b, "units: %s\nmodel: empty\nduration: %v\nbounds: {min: %s, max: %s}\n", s.units, s.duration, pair(s.bounds.Min), pair(s.bounds.Max))
	if s.motion != "" {
		fmt.Fprintf(&b, "motion: %s\n", s.motion)
	}
	if s.margin > 0 {
		fmt.Fprintf(&b, "margin: %v\n", s.margin)
	}
	b.WriteString("boxes:\n")
	for _, o := range s.boxes {
		fmt.Fprintf(&b, "  - {center: %s, size: %s}\n", pair(o.center), pair(o.size))
	}
	b.WriteString("circles:\n")
	for _, o := range s.circles {
		fmt.Fprintf(&b, "  - {center: %s, radius: %v}\n", pair(o.center), o.radius)
	}
	b.WriteString("robots:\n")
	for _, a := range s.robots {
		fmt.Fprintf(&b, "  - {name: %s, start: %s, goal: %s, radius: %v", a.name, pair(a.start), pair(a.goal), a.radius)
		if a.speed > 0 {
			fmt.Fprintf(&b, ", speed: %v", a.speed)
		}
		if a.acceleration > 0 {
			fmt.Fprintf(&b, ", acceleration: %v", a.acceleration)
		}
		b.WriteString("}\n")
	}
	return b.String()
}
