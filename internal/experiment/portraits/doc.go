// Package portraits trains the image model of the program: portraits that the program
// draws, an autoencoder of them, a denoising network of its latents that listens to
// prompts, a classifier of latents, and an independent judge of pictures.
//
//	training, err := portraits.NewTraining(ctx, "models/images", "", portraits.DefaultRecipe(portraits.Autoencoder), nil)
//	err = training.Run(ctx, nil, nil)
//	…                                       // likewise the other parts
//	card, err := portraits.Assemble(ctx, "models/images", "", "models/portraits", portraits.CardSteps, nil)
//
// Every part is trained in a folder of its own, and is an [experiment.Training]: it
// continues from its last checkpoint. The denoising network and the classifier learn
// from latents, so the autoencoder comes first. [Assemble] writes the folder of the
// model in the layout that latent diffusion models are published in, which package
// latent reads.
//
// # Data
//
// Portraits are drawn as they are needed, each part from an album of its own: no two
// parts see the same people. The last photos of an album are held out.
//
// # Errors
//
// A part that has to be trained before another is a [MissingError]; a setting out of
// range is a train.ConfigError; files that are no model are a modelfile.Error.
package portraits
