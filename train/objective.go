package train

import (
	"math"

	"github.com/go-pcd/pcd/nn"
)

// Objective is what a training minimises: a loss of networks on examples. It is a
// plain value with exported fields, made by whoever starts a training; [NoiseMSE] is
// the sample to follow. Optimiser, moving average, checkpoints and resuming are the
// [Trainer]'s and the same for all.
type Objective interface {
	// Begin checks the objective and prepares to compute it on minibatches of
	// c.Batch examples. Random choices belong to the field of [Config.Field].
	Begin(c Config) (Loss, error)
}

// Loss computes an objective for a training. It serves one goroutine.
//
// Laws: a step depends on its number and on the parameters alone, not on the steps
// computed before it, so that a training can be resumed; and gradients have the same
// bits for any number of goroutines.
type Loss interface {
	// Params returns the parameters to fit, always in the same order.
	Params() []*nn.Param
	// Refresh is called after the parameters have changed.
	Refresh()
	// Signature says what is learned, so that a checkpoint is not resumed as
	// something else.
	Signature() Signature
	// Step computes the loss on the minibatch of an optimiser step, counted from 0,
	// and sets the gradients of all parameters.
	Step(step int) (Value, error)
	// HeldOut returns the mean loss on the examples held out, and how many they are.
	HeldOut() (Value, int, error)
}

// Value is a loss with the terms that it is the sum of, if it has several.
type Value struct {
	Loss  float64
	Terms []Term
}

// Term is a named part of a loss, with its weight.
type Term struct {
	Name string
	Loss float64
}

// add adds another value times a factor. Values of one loss have the same terms in
// the same order.
func (v *Value) add(w Value, factor float64) {
	v.Loss += factor * w.Loss
	if v.Terms == nil {
		v.Terms = make([]Term, len(w.Terms))
	}
	for i, t := range w.Terms {
		v.Terms[i].Name = t.Name
		v.Terms[i].Loss += factor * t.Loss
	}
}

// finite reports whether the loss is a number.
func (v Value) finite() bool { return !math.IsNaN(v.Loss) && !math.IsInf(v.Loss, 0) }

// byName returns the terms for a line of the log, nil when there are none.
func (v Value) byName() map[string]float64 {
	if len(v.Terms) == 0 {
		return nil
	}
	out := make(map[string]float64, len(v.Terms))
	for _, t := range v.Terms {
		out[t.Name] = t.Loss
	}
	return out
}

// Signature identifies what is learned.
type Signature struct {
	Objective string `json:"objective"`          // kind of loss
	Data      string `json:"data"`               // digest of the examples
	Settings  any    `json:"settings,omitempty"` // whatever else decides about the loss
}
