// Package cost holds coupling costs: differentiable functions of several
// variables whose gradient correlates their samples.
//
// A [Cost] works on batches: row k of each variable is tuple k, and tuples are
// independent. Samples are read as points: a shape {H, D} is a path of H points
// with D coordinates, a shape {D} one point. Costs that know positions use the
// leading Dims coordinates of each point, so that velocity channels can stay
// where they are.
//
// Pair costs ([LogBarrier], [Hinge], [DPP], [LogCosine], [XOR]) take two
// variables; [Pairwise] and [Graph] extend them to N. [Obstacle], [Smoothness]
// and [NegLogLikelihood] take one. [Sum], [Scale] and [Func] build the rest.
//
// # Kinks
//
// Where a cost has no gradient its documentation says which element of the
// sub-differential it returns; that is always 0 for coinciding points.
//
// # Memory and errors
//
// Add adds to buffers that the caller owns and keeps nothing. Parameters are
// checked by Check, before any compute; its errors name the parameter and the range
// that it may have, or are a [ShapeError].
package cost
