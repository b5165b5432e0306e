package nn

// purpose says what a plan is for, and so which activations it keeps.
type purpose int

const (
	predicting      purpose = iota // none: memory is used again at once
	differentiating                // those that the cotangent of the input needs
	linearizing                    // the same, with the prediction, for a backward pass later
	conditioning                   // and of the condition
	training                       // and the parameters, for the whole batch
	observing                      // predict, but keep all, for tests
)

// operation is a step of a plan on the samples of a chunk.
type operation func(r *run)

// ports is the most arrays of a kind that a caller gives.
const ports = 5

// plan is a network laid out for one purpose: the operations in order, and the
// memory they work in.
type plan struct {
	key       key
	joint     bool // the workers share every operation instead of the samples
	timed     bool // operations depend on the timestep
	purpose   purpose
	prelude   prelude
	forward   []operation
	backward  []operation
	gradients []gradientTask
	sizes     [places][]int // elements per sample, by slot; external are the caller's
	channels  int           // most channels of a normalisation
	work      int           // elements that products need beside the signals
	sumSize   int           // most elements of the sum of a gradient task
	rowSize   int
	nominal   int // multiply-adds of the forward pass for one sample
	useful    int // those that are not with padding
	shortest  int // length of the shortest sequence
	stages    []stage

	// The caller's arrays, by port: what goes in, what comes out, and their cotangents.
	in, out, dOut, dIn [ports]*signal
}

// stage is a named activation.
type stage struct {
	name   string
	signal *signal
}

// backwards reports whether a plan for the purpose has a backward pass.
func (p purpose) backwards() bool { return p != predicting && p != observing }
