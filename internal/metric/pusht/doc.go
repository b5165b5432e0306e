// Package pusht judges pairs of coupled PushT trajectories: the measures of the
// published tables.
//
// A [Pair] is what two coupled policies did, a [Sample] its judgement, a
// [Summary] the measures over several initial conditions. What cannot be judged
// is an [*Error], which names condition, pair and member.
package pusht
