package scenes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/geom"
)

// Scene is a random task for robots, in its own units.
type Scene struct {
	Units    string
	Motion   string // "" is the default, along curves
	Duration float64
	Margin   float64
	Lateness float64
	Bounds   geom.Box
	Boxes    []Box
	Circles  []Circle
	Robots   []Robot
}

// Box is an obstacle.
type Box struct{ Center, Size geom.Vec2 }

// Circle is an obstacle.
type Circle struct {
	Center geom.Vec2
	Radius float64
}

// Robot goes from a place to another one. Limits that are 0 are none.
type Robot struct {
	Name                    string
	Start, Goal             geom.Vec2
	Radius                  float64
	Speed, Acceleration     float64
	TurnRate, TurningRadius float64
}

// Draw draws a workspace of ten units with a few obstacles and up to seven robots, whose
// ends are apart. Coordinates are sixteenths: they stay what they are when they are moved
// and scaled by powers of two.
func Draw(r *rand.Rand) Scene {
	s := Scene{Units: "m", Duration: 20, Bounds: geom.Box{Min: geom.Vec2{X: -5, Y: -5}, Max: geom.Vec2{X: 5, Y: 5}}}
	if r.IntN(3) == 0 {
		s.Motion = "polyline"
	}
	if r.IntN(3) == 0 {
		s.Margin = 1. / 16
	}
	place := func() geom.Vec2 {
		return geom.Vec2{X: float64(r.IntN(129)-64) / 16, Y: float64(r.IntN(129)-64) / 16}
	}
	for range r.IntN(4) {
		s.Boxes = append(s.Boxes, Box{place(), geom.Vec2{X: float64(4+r.IntN(20)) / 16, Y: float64(4+r.IntN(20)) / 16}})
	}
	for range r.IntN(3) {
		s.Circles = append(s.Circles, Circle{place(), float64(2+r.IntN(8)) / 16})
	}
	largest := 2 + r.IntN(10)
	for i := range 2 + r.IntN(6) {
		a := Robot{Name: fmt.Sprint("r", i), Radius: float64(2+r.IntN(largest)) / 16}
		if r.IntN(2) == 0 {
			a.Speed = 1 + float64(r.IntN(8))/4
		}
		if r.IntN(3) == 0 {
			a.Acceleration = 1 + float64(r.IntN(8))/4
		}
		for range 100 {
			a.Start, a.Goal = place(), place()
			if s.fits(a) {
				s.Robots = append(s.Robots, a)
				break
			}
		}
	}
	return s
}

// fits reports whether the ends of a robot keep off everything by a quarter.
func (s Scene) fits(a Robot) bool {
	const apart = 0.25
	for _, at := range []geom.Vec2{a.Start, a.Goal} {
		for _, b := range s.Boxes {
			half := b.Size.Scale(0.5)
			if d, _ := (geom.Box{Min: b.Center.Sub(half), Max: b.Center.Add(half)}).SignedDistance(at); d < a.Radius+apart {
				return false
			}
		}
		for _, c := range s.Circles {
			if at.Dist(c.Center) < c.Radius+a.Radius+apart {
				return false
			}
		}
	}
	for _, o := range s.Robots {
		if a.Start.Dist(o.Start) < a.Radius+o.Radius+apart || a.Goal.Dist(o.Goal) < a.Radius+o.Radius+apart {
			return false
		}
	}
	return true
}

// Turning returns the scene with limits of turns for some of its robots, and of lateness for some of all scenes.
func (s Scene) Turning(r *rand.Rand) Scene {
	s = s.Clone()
	kind := r.IntN(4)
	for i := range s.Robots {
		if kind&1 != 0 && r.IntN(2) == 0 {
			s.Robots[i].TurnRate = float64(1+r.IntN(4)) / 2
		}
		if kind&2 != 0 && r.IntN(2) == 0 {
			s.Robots[i].TurningRadius = s.Robots[i].Radius
		}
	}
	if r.IntN(4) == 0 {
		s.Lateness = 0.5
	}
	return s
}

// Clone returns a scene that shares nothing with s.
func (s Scene) Clone() Scene {
	s.Boxes, s.Circles, s.Robots = slices.Clone(s.Boxes), slices.Clone(s.Circles), slices.Clone(s.Robots)
	return s
}

// Scaled returns the scene with all lengths multiplied.
func (s Scene) Scaled(by float64) Scene {
	return s.mapped(func(p geom.Vec2) geom.Vec2 { return p.Scale(by) }, by, false)
}

// Slowed returns the scene with all times multiplied.
func (s Scene) Slowed(by float64) Scene {
	s = s.Clone()
	s.Duration, s.Lateness = s.Duration*by, s.Lateness*by
	for i, a := range s.Robots {
		a.Speed, a.Acceleration, a.TurnRate = a.Speed/by, a.Acceleration/(by*by), a.TurnRate/by
		s.Robots[i] = a
	}
	return s
}

// Moved returns the scene elsewhere.
func (s Scene) Moved(by geom.Vec2) Scene {
	return s.mapped(func(p geom.Vec2) geom.Vec2 { return p.Add(by) }, 1, false)
}

// Turned returns the scene after a quarter turn.
func (s Scene) Turned() Scene {
	return s.mapped(func(p geom.Vec2) geom.Vec2 { return geom.Vec2{X: -p.Y, Y: p.X} }, 1, true)
}

// mapped returns the scene with all points moved by f, and all lengths multiplied. Sides of
// boxes change places where f is a quarter turn.
func (s Scene) mapped(f func(geom.Vec2) geom.Vec2, scale float64, turned bool) Scene {
	s = s.Clone()
	a, b := f(s.Bounds.Min), f(s.Bounds.Max)
	s.Bounds = geom.Box{Min: geom.Vec2{X: min(a.X, b.X), Y: min(a.Y, b.Y)}, Max: geom.Vec2{X: max(a.X, b.X), Y: max(a.Y, b.Y)}}
	s.Margin *= scale
	for i := range s.Boxes {
		size := s.Boxes[i].Size.Scale(scale)
		if turned {
			size.X, size.Y = size.Y, size.X
		}
		s.Boxes[i] = Box{f(s.Boxes[i].Center), size}
	}
	for i, c := range s.Circles {
		s.Circles[i] = Circle{f(c.Center), c.Radius * scale}
	}
	for i, a := range s.Robots {
		a.Start, a.Goal = f(a.Start), f(a.Goal)
		a.Radius, a.Speed, a.Acceleration, a.TurningRadius = a.Radius*scale, a.Speed*scale, a.Acceleration*scale, a.TurningRadius*scale
		s.Robots[i] = a
	}
	return s
}

// Text returns the scene as a file.
func (s Scene) Text() string {
	var b strings.Builder
	pair := func(v geom.Vec2) string { return fmt.Sprintf("[%v, %v]", v.X, v.Y) }
	fmt.Fprintf(&b, "units: %s\nmodel: empty\nduration: %v\nbounds: {min: %s, max: %s}\n", s.Units, s.Duration, pair(s.Bounds.Min), pair(s.Bounds.Max))
	if s.Motion != "" {
		fmt.Fprintf(&b, "motion: %s\n", s.Motion)
	}
	if s.Margin > 0 {
		fmt.Fprintf(&b, "margin: %v\n", s.Margin)
	}
	if s.Lateness > 0 {
		fmt.Fprintf(&b, "lateness: %v\n", s.Lateness)
	}
	b.WriteString("boxes:\n")
	for _, o := range s.Boxes {
		fmt.Fprintf(&b, "  - {center: %s, size: %s}\n", pair(o.Center), pair(o.Size))
	}
	b.WriteString("circles:\n")
	for _, o := range s.Circles {
		fmt.Fprintf(&b, "  - {center: %s, radius: %v}\n", pair(o.Center), o.Radius)
	}
	b.WriteString("robots:\n")
	for _, a := range s.Robots {
		fmt.Fprintf(&b, "  - {name: %s, start: %s, goal: %s, radius: %v", a.Name, pair(a.Start), pair(a.Goal), a.Radius)
		for _, limit := range []struct {
			name  string
			value float64
		}{{"speed", a.Speed}, {"acceleration", a.Acceleration}, {"turn_rate", a.TurnRate}, {"turning_radius", a.TurningRadius}} {
			if limit.value > 0 {
				fmt.Fprintf(&b, ", %s: %v", limit.name, limit.value)
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}
