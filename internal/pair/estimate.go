package pair

import (
	"context"

	"github.com/go-pcd/pcd/latent"
)

// Estimate says what a request will take, before it is run.
type Estimate struct {
	latent.Work
	Rate    float64 `json:"rate"`    // operations per second of a prediction here and now
	Seconds float64 `json:"seconds"` // of the work at this rate
}

// Estimate measures two predictions of the request's model and carries their time over to
// all of its work: with models of the size of Stable Diffusion that is hours. Decoders are
// somewhat faster than predictions; what is small beside them does not count.
func (r Request) Estimate(ctx context.Context) (e Estimate, err error) {
	if e.Work, err = r.Work(); err != nil {
		return e, err
	}
	height, width := r.Model.Size()
	shape, err := r.Model.Codec.Latent(height, width)
	if err != nil {
		return e, err
	}
	if e.Rate, err = r.Model.Rate(ctx, shape); err != nil {
		return e, err
	}
	e.Seconds = e.Work.Seconds(e.Rate)
	return e, nil
}

// Work returns the arithmetic of a request. What an adapter adds to the network does not
// count: it is small.
func (r Request) Work() (w latent.Work, err error) {
	if err := r.Check(); err != nil {
		return w, err
	}
	r = r.withDefaults()
	for i := range r.Members {
		model := r.modelOf(i)
		height, width := r.Model.Size()
		run := latent.Run{Latents: r.Pairs, Steps: r.Steps, Passes: 1}
		if run.Latent, err = model.Codec.Latent(height, width); err != nil {
			return w, err
		}
		if r.Method.Prompted() && r.Guidance != 1 && model.Text != nil {
			run.Passes = 2
		}
		if r.Method.Projected() {
			run.Exemplars = len(r.Members[i].Exemplars)
		}
		switch t := r.Method.traits(); {
		case t.coupled:
			run.Coupled = r.Model.Classifier
			if t.estimate { // the gradient goes back through the network
				run.Passes *= 2
			}
		case t.guided:
			network, decoder := latent.Synchronized{Members: make([]latent.Member, len(r.Members)), Together: r.SyncTogether}.Passes(i)
			run.Coupled, run.Pictured = r.Model.Guide, decoder
			run.Passes *= network
		}
		part, err := model.Work(run)
		if err != nil {
			return w, err
		}
		w = w.Plus(part)
	}
	if r.Undecoded {
		w.Decode = 0
	}
	return w, nil
}
