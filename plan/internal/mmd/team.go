package mmd

// Channels of a state: x, y and the velocities.
const Channels = 4

// Team lists the robots.
type Team []Robot

// Robot is a disk, as conflicts and constraints see it.
type Robot struct {
	Name   string
	Radius float64
}

// Method says how conflicts are resolved.
type Method struct {
	ByPriority bool // one robot after the other, rather than by conflict-based search
	Soft       bool // the paths of the others are soft constraints: ECBS
	Warm       bool // replans start from the batch before: XCBS
}
