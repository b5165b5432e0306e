// Package projecttest checks the laws of [project.Projector] and [project.Joint] on
// any of them, those in package project and those of third parties.
//
// A [Suite] names a projector, the shape of its samples and how to draw inputs.
// [Run] checks every law as a sub-test; [Check] returns what is broken as an error.
// A [JointSuite] with [RunJoint] and [CheckJoint] does the same for sets of several
// variables.
package projecttest
