// Package latent samples images from latent diffusion models: folders in the layout
// that Stable Diffusion is published in.
//
//	model, err := latent.Open("stable-diffusion-2-1-base")
//	result, err := model.Generate(ctx, latent.Request{Images: 4, Prompt: "a lighthouse", Guidance: 7.5})
//	result.Pictures[0].WritePNG("lighthouse.png")
//
// A [Model] is an autoencoder, a denoising network of its latents, the schedule that it
// was trained on and, if it listens to text, a tokenizer and a text encoder. Sampling is
// that of package pcd: [Model.Denoiser] and [Model.Dynamics] are one variable of a
// [pcd.Problem], to be coupled and constrained like any other; an [Ensemble] is several.
//
// # Units
//
// Images are [3, height, width] in [-1, 1], latents are [channels, height, width] and
// scaled: what the denoising network sees. Encoded latents are multiplied by the
// autoencoder's scaling factor, and divided by it before they are decoded.
//
// # Memory
//
// The weights of large networks stay as they are stored, and those of half precision are
// widened where they are used: they need half the memory. Once a model is open, its files
// may change.
// Encoding and decoding take a few images at a time, because a decoder's activations
// are hundreds of times as large as its images.
//
// # Errors
//
// A folder that is no model is a [modelfile.Error] that names the file; sizes and
// settings out of range are a [SettingError]. Both come before any compute.
package latent
