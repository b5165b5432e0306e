package modelfile

import (
	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/memory"
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
	if err := p.checkRoom(net, func(*nn.Param) int { return 4 }); err != nil {
		return err
	}
	for _, q := range State(net) {
		if q.Data == nil {
			q.Data = make([]float32, q.Shape.Size())
		}
	}
	if err := weights.Load(Targets(net), sd, weights.LoadOptions{Keys: p.keys(sd)}); err != nil {
		return &Error{Path: p.Weights[0], Reason: "its weights do not fit", Err: err}
	}
	net.Refresh()
	return nil
}

// Keep is Fill for weights that stay as the file has them, where the network can use them
// so: numbers of half precision then need half the memory. They are copied, so that the file
// may be changed afterwards.
func (p *Part) Keep(net Parameters) error {
	sd, err := p.Open()
	if err != nil {
		return err
	}
	defer sd.Close()
	if err := p.check(net, sd); err != nil {
		return err
	}
	source, err := sd.Rename(p.keys(sd))
	if err != nil {
		return &Error{Path: p.Weights[0], Reason: "its tensors cannot be renamed", Err: err}
	}
	stored := func(q *nn.Param) int {
		if t, _ := source.Tensor(q.Name); q.CanKeep(t.DType) {
			return t.DType.Size()
		}
		return 4
	}
	if err := p.checkRoom(net, stored); err != nil {
		return err
	}
	var misfit weights.LoadError
	for _, q := range State(net) {
		t, _ := source.Tensor(q.Name) // check found it
		strange, err := give(q, t)
		if err != nil {
			return &Error{Path: p.Weights[0], Reason: "cannot be read", Err: err}
		}
		if strange > 0 {
			misfit.NonFinite = append(misfit.NonFinite, weights.NonFinite{Name: q.Name, Count: strange})
		}
	}
	if len(misfit.NonFinite) > 0 {
		return &Error{Path: p.Weights[0], Reason: "its weights do not fit", Err: &misfit}
	}
	net.Refresh()
	return nil
}

// checkRoom returns an error for weights that the memory has no room for, where bytes says
// how many a number takes.
func (p *Part) checkRoom(net Parameters, bytes func(*nn.Param) int) error {
	need := 0.0
	for _, q := range State(net) {
		if q.Data == nil {
			need += float64(bytes(q)) * float64(q.Shape.Size())
		}
	}
	err := memory.CheckMachine(1, need, "its weights")
	if err != nil {
		return &Error{Path: p.Weights[0], Reason: "is too large for this machine", Err: err}
	}
	return nil
}

// give makes a tensor the values of a parameter, as they are stored if it can use them so.
// It returns how many of them are not finite.
func give(q *nn.Param, t weights.Tensor) (strange int, err error) {
	if q.CanKeep(t.DType) {
		raw, err := t.Stored()
		if err != nil {
			return 0, err
		}
		q.Keep(raw, t.DType)
		return dtype.NonFinite(t.DType, raw), nil
	}
	if strange, err = t.NonFinite(); err != nil {
		return 0, err
	}
	if q.Data == nil {
		q.Data = make([]float32, q.Shape.Size())
	}
	_, err = t.Float32s(q.Data)
	return strange, err
}
