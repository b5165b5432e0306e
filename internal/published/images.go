package published

// The settings of steered image pairs.
const (
	EdgesLow, EdgesHigh = 100, 250 // thresholds of the edges
	ControlScale        = 0.95
	ControlGuidance     = 9.5
	ControlEta          = 0.5 // noise of DDIM
)

// The settings of SyncDiffusion for image pairs.
const (
	SyncDecay    = 0.99
	SyncGuidance = 7.5
)
