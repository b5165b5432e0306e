// Package pair draws pairs of images from latent diffusion models: each image inside
// the convex hull of a few exemplars in latent space, and an attribute that has to
// differ between the images of a pair. Three images, or more, go the same way.
//
//	model, err := pair.Open("models/portraits")
//	result, err := pair.Do(ctx, pair.Request{
//		Model:   model,
//		Method:  pair.PCD,
//		Members: []pair.Member{{Name: "male", Exemplars: men}, {Name: "female", Exemplars: women}},
//		Pairs:   25,
//	})
//
// A [Method] says what is done: [SD] draws from the model alone, [SDP] projects on the
// hulls, [SDC] couples, [PCD] does both; the baselines of the published tables are
// methods too. [Methods] lists them. What a request leaves open is chosen by the rules
// of [Request.Choose], which carry the published settings to models of other sizes.
//
// # Certificate
//
// After every projection the latent is a convex combination of the exemplars. The
// [Certificate] says so from the stored numbers alone: the weights are none of them
// negative, their sum is 1 without any rounding, and the stored latent is the
// combination up to the rounding of its numbers.
//
// # Randomness
//
// Pair 17 of a seed is the same, bit for bit, alone or among others.
//
// # Units
//
// Images are [3, height, width] in about [-1, 1], latents are [channels, height, width]
// as the denoising network sees them.
//
// # Errors
//
// Exemplars that span no hull are an [ExemplarError], settings out of range a
// [latent.SettingError], what a model or the program lacks for a method a [NeedsError].
// All come before any step.
//
// Source: Projected Coupled Diffusion, the image-pair experiment.
package pair
