// Package judge says whether moving disks keep clear of each other, of convex obstacles and
// of a border, and within limits of speed and acceleration, at every instant, whoever planned
// their motion. Paths have times of their own, which need not be those of others; between
// their points they are straight or cubic.
//
// A [World] is judged by [World.Judge]. Where everything holds the [Verdict] can be proven:
// [World.Prove] returns directions in which two disks, or a disk and an obstacle, stay apart
// from one time to another. Where something fails the verdict lists all of it: who, from
// when to when, where and when it is worst, and by how much.
//
// Bodies are compared span by span of both: the difference of two cubics is a cubic, which
// lies in the hull of four points. Where the hull does not tell, the span is halved. What
// cannot be told after [halvings] counts as contact: nothing passes that is not certain, up
// to rounding, which is taken off every gap.
//
// Paths without times, of orders for instance, may be followed at any speed: two ways of
// which one has no times are judged wherever on them both may be.
package judge
