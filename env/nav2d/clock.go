package nav2d

import (
	"math"
	"slices"
)

// Clock is how long the motion of a scene takes.
type Clock struct {
	Seconds  float64
	Shortest bool // the shortest time that is found, Seconds does not count then
}

// shortest is the word for it in a scene.
const shortest = "shortest"

// UnmarshalYAML reads a number or the word.
func (c *Clock) UnmarshalYAML(decode func(any) error) error {
	err := decode(&c.Seconds)
	if err == nil {
		return nil
	}
	var word string
	if decode(&word) != nil || word != shortest {
		return err
	}
	*c = Clock{Shortest: true}
	return nil
}

// shortest reports whether a scene asks for the shortest time: in so many words, or by leaving
// the duration out where robots that have to go somewhere have limits and go along curves.
func (s *Scene) shortest() bool {
	if s.Duration != nil {
		return s.Duration.Shortest
	}
	return s.Motion != "polyline" && slices.ContainsFunc(s.Robots, func(r Robot) bool {
		return r.goes() && (s.Acceleration != nil || r.Speed != nil || r.Acceleration != nil)
	})
}

// goes reports whether a robot has anything to do: a goal elsewhere, another heading, or a velocity.
func (r Robot) goes() bool {
	return r.Start.Name != r.Goal.Name || !slices.Equal(r.Start.At, r.Goal.At) ||
		r.StartVelocity != nil || r.GoalVelocity != nil || r.StartHeading != nil || r.GoalHeading != nil
}

// duration returns the seconds of a scene: those of published tasks where it does not say.
func (s *Scene) duration() float64 {
	if s.Duration == nil || s.Duration.Shortest {
		return duration
	}
	return s.Duration.Seconds
}

// checkDuration finds a duration that makes no sense.
func (s *Scene) checkDuration(c *sceneCheck) {
	if d := s.Duration; d != nil && !d.Shortest {
		c.number("duration", d.Seconds, minDuration, maxDuration, "0.001 to 1e6 seconds, or shortest")
	}
}

// anyTime is a step that is long enough for every way.
const anyTime = math.MaxFloat32
