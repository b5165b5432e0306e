package pcd

import "github.com/go-pcd/pcd/tensor"

// kept is what steps keep for later ones. Each variable has the batch that the step in
// progress writes, then those of earlier steps, newest first; nothing where the dynamics
// keep nothing.
type kept [][]tensor.Batch

// newKept returns as many batches as the dynamics need.
func newKept(p Problem, samples int) kept {
	k := make(kept, len(p.Variables))
	for i, v := range p.Variables {
		depth := 0
		for step := 0; v.Model != nil && step < p.Dynamics.Steps(); step++ {
			depth = max(depth, len(p.Dynamics.Transition(step, v.kind()).Kept))
		}
		for j := 0; depth > 0 && j <= depth; j++ {
			k[i] = append(k[i], tensor.New(samples, v.shape()...))
		}
	}
	return k
}

// of returns the rows of a chunk of a variable: those that the step writes and those of
// earlier steps, newest first.
func (k kept) of(variable int, c chunk) (write []float32, read [][]float32) {
	for j, b := range k[variable] {
		if rows := b.Rows(c.lo, c.hi).Data; j == 0 {
			write = rows
		} else {
			read = append(read, rows)
		}
	}
	return write, read
}

// turn makes what the step wrote the newest, and its oldest the next to be written.
func (k kept) turn() {
	for _, batches := range k {
		if last := len(batches) - 1; last > 0 {
			oldest := batches[last]
			copy(batches[1:], batches)
			batches[0] = oldest
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
