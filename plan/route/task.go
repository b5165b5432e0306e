package route

import (
	"github.com/go-pcd/pcd/env/nav2d"
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

// Disk is a robot as searches see it.
type Disk struct {
	Radius float64
	Step   float64 // longest way from one waypoint to the next; +Inf is no limit
	Change float64 // largest change from one step to the next; 0 is no limit
}

// Body is a disk on a course that is given.
type Body struct {
	Radius float64
	Course Course
}
