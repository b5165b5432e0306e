// Package steer finds ways of vehicles, which go forwards and bend their ways no more tightly than a
// radius: in an empty place, and round what is in their way. Lengths are in one unit, angles in radians.
package steer
