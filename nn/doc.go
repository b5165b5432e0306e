// Package nn holds the networks of the experiments, with derivatives written by
// hand: [TemporalUNet] for trajectories, [ConditionalUNet1D] for action sequences
// given observations. Both predict the noise in a sample.
//
//	net, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{})
//	net.Init(noise.New(1))                 // or fill net.Params() and call net.Refresh()
//	err = net.Predict(ctx, dst, x, t)      // denoise.Denoiser
//	err = net.VJP(ctx, dst, x, cotangent, t) // denoise.VJPer
//
// Parameters carry the names, shapes and order of the published PyTorch state
// dicts. Gradients for training come from [Training]: a forward pass, a backward
// pass, and the gradients in [Param].Grad.
//
// # Determinism
//
// A sample's prediction, Jacobian product and contribution to a gradient have the
// same bits for any batch, number of workers and chunk; gradients are sums over
// the samples in order. AVX2 and AVX-512 machines give the same bits.
//
// # Memory
//
// Calls take the samples of a batch in chunks, one goroutine of Workers each, in
// memory that the network keeps for the next call, and what depends on the timestep
// alone is computed once for each of up to 128 timesteps: predictions, products and
// training steps allocate nothing once they have run. Calls may run concurrently,
// each in its own memory; MemoryBound says how much. Only Init and Refresh change a
// network, and nothing else may run meanwhile.
//
// # Errors
//
// Constructors return a [ConfigError] for sizes that make no network, and an error
// when PCD_KERNEL asks for kernels that are not there. Predict and VJP return a
// [TimestepError], a [ConditionError], or the error of the context, and panic for
// arrays of the wrong shape.
//
// # Inside
//
// A network is wired once for each purpose, predicting, differentiating or
// training, into a list of operations on memory that is known in advance (wiring).
// A layer has a function that wires its forward pass, takes its memory there, and
// leaves behind how its backward pass is wired; back to front, these make the
// backward pass. A new layer is a type with such a function: it touches none of
// the others. A two-dimensional convolution is a product of overlapping rows for
// each row of its kernel, with the same panels and tiles.
package nn
