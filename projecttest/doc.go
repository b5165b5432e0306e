// Package projecttest checks the laws of [project.Projector] on any projector,
// for the ones in package project and for those of third parties.
//
// A [Suite] names a projector, the shape of its samples and how to draw inputs.
// [Run] checks every law as a sub-test; [Check] returns what is broken as an error.
package projecttest
