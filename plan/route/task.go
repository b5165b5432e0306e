package route

import (
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// Task is a team of disks on a map: what searches need to know of it. Lengths are in any
// one unit, times are counted in waypoints.
type Task struct {
	Map    *nav2d.Map // its obstacles are convex
	Margin float64    // distance that disks keep from each other, from traffic and from obstacles
	Disks  []Disk
	// Smooth says that robots move along curves of which the waypoints are the control points,
	// from rest to rest; otherwise straight from waypoint to waypoint.
	Smooth bool
	// Lateness is how much later than at its time, in waypoints, each body may be where it is.
	// [Task.Shift] and [Task.StepAside] know of it.
	Lateness float64
	// Traffic is on courses that are given, each with as many waypoints as the paths.
	Traffic []Body
}

// Disk is a robot that moves from waypoint to waypoint, at the same time as all others. Lengths are
// in the units of the task; between two waypoints passes as much time as the task likes, the same
// everywhere, so that limits of speed and acceleration are lengths of steps:
//
//	Start ●──────●──────●───╮      each ● is a waypoint,
//	      ├ Step ┤          ●──● Goal   at most Step from the one before
//
// Two disks that touch are in contact, and so are a disk and an obstacle. [Find] needs all of it but
// Change; the other searches take paths, whose ends are what they are, instead of Start and Goal.
type Disk struct {
	Radius      float64   // more than 0
	Step        float64   // longest way from one waypoint to the next; +Inf is no limit
	Change      float64   // largest change from one step to the next; 0 is no limit
	Start, Goal geom.Vec2 // of the middle of the disk
}

// Body is a disk on a course that is given.
type Body struct {
	Radius float64
	Course Course
}
