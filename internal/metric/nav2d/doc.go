// Package nav2d judges joint trajectories of robots in the plane: the measures
// of the published navigation tables.
//
// [Criteria] say how a sample is judged, a [Sample] is the judgement, a [Tally]
// accumulates judgements trial by trial, and a [Summary] holds the measures.
// Trajectories are read, never kept. Those that cannot be judged are a
// [*ShapeError] or a [*tensor.NonFiniteError].
package nav2d
