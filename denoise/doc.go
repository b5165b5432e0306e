// Package denoise defines what the samplers need of a pretrained diffusion model.
//
// A model is a [Denoiser]; one that can be differentiated, as posterior sampling
// needs, is also a [VJPer]. The trained networks of package nn satisfy both, and so do
// the exact models of package denoise/analytic. [Compose] adds the energies of models,
// [ClassifierFree] guides one by another, [Convert] changes what a model predicts.
//
// # Memory
//
// Destinations come first and are provided by the caller; a model never keeps or
// returns a slice of its arguments.
//
// # Errors
//
// Constructors return errors for parameters that make no distribution. Predict
// and VJP return an error for an unknown timestep or a cancelled context, and
// panic for batches of the wrong shape.
package denoise
