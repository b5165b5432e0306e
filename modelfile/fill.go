package modelfile

import (
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// Fill gives a network the weights of a part. The tensors are compared first; memory
// for parameters that have none yet is made once.
func (p *Part) Fill(net Parameters) error {
	sd, err := p.Open()
	if err != nil {
		return err
	}
	defer sd.Close()
	if err := p.check(net, sd); err != nil {
		return err
	}
	for _, q := range State(net) {
		if q.Data == nil {
			q.Data = make([]float32, q.Shape.Size())
		}
	}
	if err := weights.Load(Targets(net), sd, weights.LoadOptions{Keys: p.Keys(sd)}); err != nil {
		return &Error{Path: p.Weights[0], Reason: "its weights do not fit", Err: err}
	}
	net.Refresh()
	return nil
}

// Keep gives a network the weights of a part, and leaves those that can be used as they
// are in the file, which is mapped: numbers of half precision then need half the memory,
// and opening a model reads little of it. The caller closes the file when the network is
// not used any more, and never before.
func (p *Part) Keep(net Parameters) (*weights.StateDict, error) {
	sd, err := p.Open()
	if err != nil {
		return nil, err
	}
	if err := p.keep(net, sd); err != nil {
		sd.Close() // the first error says more
		return nil, err
	}
	return sd, nil
}

func (p *Part) keep(net Parameters, sd *weights.StateDict) error {
	if err := p.check(net, sd); err != nil {
		return err
	}
	source, err := sd.Rename(p.Keys(sd))
	if err != nil {
		return &Error{Path: p.Weights[0], Reason: "its tensors cannot be renamed", Err: err}
	}
	var misfit weights.LoadError
	for _, q := range State(net) {
		t, _ := source.Tensor(q.Name) // check found it
		n, err := t.NonFinite()
		if n > 0 {
			misfit.NonFinite = append(misfit.NonFinite, weights.NonFinite{Name: q.Name, Count: n})
		}
		if err == nil {
			err = give(q, t)
		}
		if err != nil {
			return &Error{Path: p.Weights[0], Reason: "cannot be read", Err: err}
		}
	}
	if len(misfit.NonFinite) > 0 {
		return &Error{Path: p.Weights[0], Reason: "its weights do not fit", Err: &misfit}
	}
	net.Refresh()
	return nil
}

// give makes a tensor the values of a parameter: in the file if it can stay there.
func give(q *nn.Param, t weights.Tensor) error {
	if q.CanKeep(t.DType) {
		raw, ok, err := t.Mapped()
		if err != nil {
			return err
		}
		if ok {
			q.Keep(raw, t.DType)
			return nil
		}
	}
	if q.Data == nil {
		q.Data = make([]float32, q.Shape.Size())
	}
	_, err := t.Float32s(q.Data)
	return err
}
