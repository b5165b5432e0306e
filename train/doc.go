// Package train fits the networks of package nn to data: noise prediction with
// hard-conditioned points, Adam, an exponential moving average of the weights,
// checkpoints.
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
// the moments of the optimiser; its metadata hold the step, the configuration and a
// digest of the data, and a checkpoint is refused when they do not belong to the
// run. Metrics are JSON lines. Both appear whole or not at all.
package train
