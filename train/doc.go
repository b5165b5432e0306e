// Package train fits networks to data: Adam, an exponential moving average of the
// weights, checkpoints, and an [Objective] that says what is minimised.
//
//	t, err := train.New(train.NoiseMSE{Net: net, Data: data, Schedule: s}, train.Config{Steps: 40000})
//	err = t.Run(ctx, train.Hooks{})
//
// [NoiseMSE] is the objective of diffusion models, [Autoencoder] that of the latents
// of images, [CrossEntropy] that of classifiers. Another one is a type whose Begin
// returns a [Loss]: how to compute the loss and the gradients of one numbered step.
//
// A [Trainer] is reproducible to the bit. Every random choice (which examples, at
// which noise level, which noise) is addressed by the number of the optimiser step,
// and gradients are summed in a fixed order, so a run that was killed and resumed
// from a checkpoint has the weights of one that was not, and two goroutines give
// the weights of one.
//
// # Files
//
// A checkpoint is one safetensors file with the weights, their moving average and
// the moments of the optimiser; its metadata hold the step, the configuration and the
// signature of the objective with a digest of the data, and a checkpoint is refused
// when they do not belong to the run; and what the next line of the metrics is the mean
// of, so that a resumed run writes the lines of one that was not stopped. Metrics are
// JSON lines. Both appear whole or not at all.
package train
