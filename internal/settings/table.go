package settings

import "math"

// The numbers that more than one request, package or evaluation knows. Those that only one
// request has are beside it.
var (
	// Workers are goroutines; every one has memory of its own.
	Workers = Number{Name: "workers", High: 1024, Whole: true, Help: "goroutines (default: one per processor)"}
	// Gamma is the strength of a coupling. The strongest that is of any use is far below,
	// and its product with a gradient stays in the range of float32.
	Gamma = Number{Name: "gamma", Low: -1e6, High: 1e6}
	// SyncWeight is that of the gradient of SyncDiffusion at the first step.
	SyncWeight = Number{Name: "sync-weight", High: Gamma.High, Above: true}
	// Limit is a speed limit.
	Limit = Number{Name: "vmax", High: math.Inf(1), Above: true}
	// Steps are those of sampling.
	Steps = Number{Name: "sampling-steps", Low: 1, High: 100_000, Whole: true}
	// NoiseScale multiplies the noise of a step: at a thousand times the published factor
	// nothing is left of a latent.
	NoiseScale = Number{Name: "noise-scale", High: 1e4}
	// Guidance exaggerates a prompt.
	Guidance = Number{Name: "guidance", Low: -1e3, High: 1e3}
	// Control is how strongly edges steer.
	Control = Number{Name: "control", High: 100}
	// Eta is the noise of DDIM relative to that of DDPM.
	Eta = Number{Name: "eta", High: 1}
	// First is the number of the first of several samples.
	First = Number{Name: "first", High: math.MaxInt32, Whole: true}
	// Side is one of an image.
	Side = Number{Name: "size", Low: 1, High: 1 << 14, Whole: true, Unit: "pixels"}
)

// Those of a training.
var (
	TrainSteps = Number{Name: "steps", Low: 1, High: math.MaxInt32, Whole: true}
	TrainBatch = Number{Name: "batch", Low: 1, High: 1 << 20, Whole: true}
	TrainRate  = Number{Name: "rate", High: 1e3, Above: true}
	// TrainHeldOut is the share that is held out.
	TrainHeldOut = Number{Name: "validation", High: 0.9}
)

// Those of a server, of which 0 is the default.
var (
	ServeCores       = Number{Name: "cores", High: 1 << 16, Whole: true, Help: "cores that plans share (default: all)"}
	ServeWaiting     = Number{Name: "waiting", Default: 64, High: 1 << 20, Whole: true, Help: "requests that may wait for a core"}
	ServeConnections = Number{Name: "connections", Default: 4096, High: 1 << 20, Whole: true, Help: "connections at a time"}
	ServeRobots      = Number{Name: "robots", Default: 256, High: 1 << 16, Whole: true, Help: "robots of the largest team"}
	ServeSessions    = Number{Name: "sessions", Default: 256, High: 1 << 20, Whole: true, Help: "sessions at a time"}
	ServeSamples     = Number{Name: "samples", Default: 1024, High: 1 << 20, Whole: true, Help: "joint samples of the largest request"}
	ServeBytes       = Number{Name: "bytes", Default: 1 << 20, High: 1 << 30, Whole: true}
)
