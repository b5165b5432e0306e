package pcd

import "github.com/go-pcd/pcd/tensor"

// kept is what steps keep for later ones: a ring of batches for each variable with a model.
type kept struct {
	rings  [][]tensor.Batch // by variable; all of one length
	newest int              // in the ring
}

// newKept returns rings as long as the dynamics need.
func newKept(p Problem, samples int) kept {
	k := kept{rings: make([][]tensor.Batch, len(p.Variables))}
	for i, v := range p.Variables {
		if v.Model == nil {
			continue
		}
		depth := 0
		for step := range p.Dynamics.Steps() {
			depth = max(depth, len(p.Dynamics.Transition(step, v.Model.Kind()).Kept))
		}
		if depth == 0 {
			continue
		}
		for range depth + 1 { // one more is written while the others are read
			k.rings[i] = append(k.rings[i], tensor.New(samples, v.shape()...))
		}
	}
	return k
}

// of returns what steps before kept of the rows of a chunk of a variable, newest first, and
// where this step writes; nothing where the dynamics keep nothing.
func (k *kept) of(variable int, c chunk) (read [][]float32, write []float32) {
	ring := k.rings[variable]
	n := len(ring)
	if n == 0 {
		return nil, nil
	}
	for j := range n - 1 {
		read = append(read, ring[((k.newest-j)%n+n)%n].Rows(c.lo, c.hi).Data)
	}
	return read, ring[(k.newest+1)%n].Rows(c.lo, c.hi).Data
}

// turn makes what the step wrote the newest.
func (k *kept) turn() {
	for _, ring := range k.rings {
		if n := len(ring); n > 0 {
			k.newest = (k.newest + 1) % n
			return
		}
	}
}

// keep writes what the step keeps of a variable, as couplings guided it.
func (v *variable) keep() {
	if v.keeps == nil || v.Model == nil {
		return
	}
	switch v.transition.Keep {
	case KeepState:
		copy(v.keeps, v.x.Data)
	case KeepEstimate:
		v.transition.WriteEstimate(v.keeps, v.x.Data, v.prediction.Data)
	case KeepPrediction:
		copy(v.keeps, v.prediction.Data)
	}
	if shift := float32(v.transition.keptShift()); shift != 0 && v.guided {
		for j, g := range v.guidance.Data {
			v.keeps[j] -= shift * g
		}
	}
}
