// Package images measures sets of images by the features that networks see in them: how like a
// set is to its exemplars, how far from them, and how diverse.
//
//	clip, err := images.OpenCLIP("clip-vit-base-patch32/model.safetensors")
//	lpips, err := images.OpenLPIPS("vgg16.safetensors", "vgg.pth")
//	inception, err := images.OpenInception("pt_inception-2015-12-05.pth")
//	m, err := images.Set{Similarity: clip, Distance: lpips, Frechet: inception}.Measure(ctx, samples, exemplars)
//
// A [Judge] is a classifier of images that does all three, for people without the
// published weights: its numbers are comparable among each other, and with no published
// ones.
//
// # Units
//
// Images are [3, height, width] in [0, 1]. Similarities are cosines; distances have the
// unit of the network.
//
// # Memory
//
// Images pass a network some at a time. A judge holds what it sees in every image of a
// set, about as much as the image.
//
// # Errors
//
// Files that are no network are a [weights.LoadError] or a [weights.FormatError]; sets
// that are too small a [SizeError] or a [CountError].
package images
