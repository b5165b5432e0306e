// Package render draws results: figures as SVG and PNG, and animations as GIF and
// as pages that a browser plays.
//
// A [Figure] holds a drawing function and a size; the same drawing goes to every
// format. Functions such as [Toy] and [Plan] turn plain numbers into figures and
// know nothing of how the numbers were made. An [Animation], made by [Animate],
// shows actors that move over maps; it is written as one file that needs no other.
//
// Pictures of plans show judgements and do not make them: where a rule is broken
// is given by [Mark] values, which [FindMarks] computes by the comparisons of
// package metric.
//
// Plans that cannot be drawn (numbers that are not finite, paths of different
// lengths) are refused with a [PlanViewError].
package render
