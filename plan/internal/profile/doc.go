// Package profile computes velocity profiles along given ways: how far from each other the control
// points of a curve may be so that a robot keeps its limits of speed and acceleration, what a curve
// uses of such limits, and when it arrives.
package profile
