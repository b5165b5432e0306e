// Package separation keeps a team of moving disks apart in continuous time: from
// each other, from convex obstacles, from traffic on given paths and within a
// border, while they keep limits of speed and acceleration.
//
// A [World] says who moves among what. Robots move straight from waypoint to
// waypoint, all at the same time, or along the curve that has the waypoints for control
// points, see [Motion]. [World.Judge] measures a joint path: the smallest
// margin of every kind of constraint, exact up to rounding and never too large.
// [World.Witness] returns the directions that prove it: over some segments, one
// direction n in which two robots stay at least the sum of their radii apart at
// every waypoint of them, and hence in between.
//
// [World.Repair] moves a joint path as little as it can, in shape and speed, to one
// that satisfies all of it. It solves a sequence of convex problems, each with the
// directions of the iterate before as separating lines, by the alternating direction
// method of multipliers. The problem is not convex: a repair can fail where a path
// exists, and never claims success that the judge does not confirm.
//
// [Set] is a world as a constraint set of several variables, [project.Joint].
//
// # Units and memory
//
// Lengths are in the units of the paths. Paths are batches of shape [waypoint,
// channel], one per robot, of which channels 0 and 1 are coordinates; row k of all
// of them is one joint path. First and last waypoints are held. Results are float32
// numbers that the judge accepted as they are stored. Nothing depends on the number
// of goroutines.
package separation
