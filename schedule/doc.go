// Package schedule holds the noise schedules of diffusion models and the algebra
// between what a model may predict.
//
// A [Schedule] is a table of [Step] values in order of increasing noise: step i
// describes x_t = √ᾱ x_0 + √(1-ᾱ) ε and the posterior of the state before it.
// Tables are float64; the constructors of published schedules reproduce the
// float32 arithmetic of the reference where the published numbers depend on it
// (the exponential schedule divides by zero in exact arithmetic).
//
// [Step.Coefficients] converts between noise, clean sample, velocity, score
// and flow predictions; [Schedule.Respace] and [Schedule.Leading] run a model on fewer
// steps than it was trained on, [Schedule.EndAt] ends them before the clean sample.
// A [Grid] is the levels that samplers of few steps visit, of a diffusion model by
// [Schedule.Grid] or of a flow model by [FlowGrid]: each a [Level], x = Signal x_0 +
// Noise ε, whose timestep may be a real number.
package schedule
