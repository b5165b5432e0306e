// Package lawtest checks the laws that models, costs and constraint sets keep, those of
// this module and those of third parties. A test of your own is one call:
//
//	func TestModel(t *testing.T) {
//		lawtest.Denoiser(t, myModel, lawtest.DenoiserOptions{Timesteps: []int{0, 12, 24}})
//	}
//
//	func TestCost(t *testing.T) {
//		shape := tensor.Shape{16, 2}
//		lawtest.Cost(t, myCost, []tensor.Shape{shape, shape}, lawtest.CostOptions{})
//	}
//
// A [ProjectorSuite] names a projector, the shape of its samples and how to draw inputs:
// [Projector] checks every law as a sub-test, [CheckProjector] returns what is broken as an
// error. A [JointSuite] with [Joint] and [CheckJoint] does the same for sets of several
// variables.
package lawtest
