package turns

import (
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// Team is robots on a map, as far as it counts for how they turn.
type Team struct {
	Robots    []Robot
	Map       *nav2d.Map
	Frame     nav2d.Frame // from map units to those in which ways are given
	Margin    float64     // that robots keep, in map units
	Step      float64     // seconds between control points
	Waypoints int         // control points of a way
	Lines     *Lines      // that are known; nil keeps none
	// Round returns a way of a robot round the obstacles of a map, in map units, where there is none as far from them as
	// its arcs ask for; nil for none.
	Round func(i int, on *nav2d.Map, from, to geom.Vec2) []geom.Vec2
}

// Robot is a disk that goes from rest to rest, or stays.
type Robot struct {
	Start, Goal geom.Vec2 // in map units
	Radius      float64   // in map units
	Size        float64   // the same in units of ways
	// Speed and Acceleration are the highest ones, in units of ways per second, and its square; +Inf is none.
	Speed, Acceleration float64
	TurnRate            float64     // in radians per second; 0 is no limit
	TurningRadius       float64     // in map units; 0 is no limit
	Headings            [2]*float64 // in which it leaves and comes to rest, in radians; nil is any
	Turns               bool        // its turning is limited, or a heading given
	OnSpot              bool        // it has headings to keep, and may turn where it stands to keep them
	Rests               bool        // it begins and ends at rest
	Stays               bool        // it ends where it starts
}

// pace returns how fast a robot may go on arcs.
func (r Robot) pace(radius float64) float64 {
	speed := r.Speed
	if r.TurnRate > 0 {
		speed = min(speed, 0.85*r.TurnRate*radius)
	}
	return min(speed, math.Sqrt(0.85*r.Acceleration*radius))
}

// arcs returns the radius of the arcs of a robot's way.
func (t Team) arcs(r Robot, factor float64) float64 {
	apart := t.Frame.FromMap(r.Start).Dist(t.Frame.FromMap(r.Goal))
	radius := factor * r.TurningRadius * t.Frame.Scale
	if r.TurnRate > 0 {
		pace := min(r.Speed, 1.5*apart/(t.Step*float64(t.Waypoints-1)))
		radius = max(radius, min(factor*pace/r.TurnRate, apart/4))
	}
	if radius == 0 {
		radius = apart / 4
	}
	return radius
}
