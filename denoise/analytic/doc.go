// Package analytic holds models whose score is known in closed form at every step of a
// schedule: [Gaussian] and [Mixture]. They are exact, so that what is drawn from them can
// be compared with what has to come out.
//
// # Errors
//
// Constructors return errors for parameters that make no distribution; predictions fail as
// package denoise says.
package analytic
