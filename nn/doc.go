// Package nn holds the networks of the experiments, with derivatives written by
// hand: [TemporalUNet] for trajectories, [ConditionalUNet1D] for action sequences
// given observations; [UNet2DCondition] and [ControlNetXS] for images and latents,
// [AutoencoderKL], [Classifier], [CLIPText], [CLIPVision], [LPIPS] and
// [InceptionStage] around them; [ActionUNet] and [VisionEncoder] for the policies of
// robots that others have trained.
//
//	net, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{})
//	net.Init(noise.New(1))                 // or fill net.Params() and call net.Refresh()
//	err = net.Predict(ctx, dst, x, t)      // denoise.Denoiser
//	err = net.VJP(ctx, dst, x, cotangent, t) // denoise.VJPer
//
// A network with conditions becomes a model by its Bind. Networks without a timestep are
// a [Map]: Apply, VJP, Linearize. The configurations of published networks of images are
// read by ParseConfig, strictly.
//
// Parameters carry the names, shapes and order of the published PyTorch state
// dicts. Gradients for training come from [Training]: a forward pass, a backward
// pass, and the gradients in [Param].Grad.
//
// # Determinism
//
// A sample's prediction, Jacobian product and contribution to a gradient have the
// same bits for any batch, number of workers and chunk; gradients are sums over
// the samples in order. AVX2 and AVX-512 machines give the same bits; where there are
// matrix tiles (AMX), large networks of images have others. The exception says so: a batch
// normalisation that is not frozen sees the whole batch.
//
// # Memory
//
// Calls take the samples of a batch in chunks, in memory that the network keeps for the
// next call, and what depends on the timestep alone is computed once for each of up to
// 128 timesteps. Networks of sequences give every one of Workers goroutines a chunk of its
// own; in networks of images all goroutines share every operation, so that one image uses
// all cores. Predictions, products and training steps of both allocate nothing once they
// have run. Parameters of networks of images have no memory until they get values, and the
// weights of products may stay as a file holds them, see [Param.Keep]. Calls may run
// concurrently, each in its own memory; MemoryBound says how much. Only Init and Refresh
// change a network, and nothing else may run meanwhile.
//
// # Errors
//
// Constructors return a [ConfigError] for sizes that make no network, and an error
// when PCD_KERNEL asks for kernels that are not there. Predict and VJP return an
// error that names what cannot be: a timestep, a sample without a condition, a parameter
// without values; or the error of the context; a [Map] returns a [ShapeError] for samples that it does not
// take. They panic for arrays that do not fit one another.
//
// # Inside
//
// A network is laid out once for each purpose, predicting, differentiating or
// training, into a list of operations on memory that is known in advance (plan).
// A layer has a function that lays out its forward pass and leaves behind how its
// backward pass is laid out; back to front, these make the backward pass. A new layer is
// a type with such a function: it touches none of the others.
//
// One language lays out all networks (graph): operations name the signals that they use, and
// get memory from the first use to the last. A network runs in one of two ways. In networks
// of images, and of robots' policies, a crew of goroutines (kernel.Crew) shares every
// operation. In networks of trajectories and of short sequences every goroutine takes chunks
// of samples through all operations: weights are packed once, rows of zeros stand around
// sequences, and a normalisation with what follows it is one pass. A layer is one type in one
// file; where the two ways have arithmetic of their own, it is beside it (conv.go has
// packed.go and windows.go, groupnorm.go has normmish.go).
package nn
