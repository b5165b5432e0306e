package nn

import (
	"github.com/go-pcd/pcd/internal/kernel"
)

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
	joint     bool // the workers share every operation instead of the samples: a graph made it
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

// wiring builds a plan. The forward pass is wired front to back; every layer
// leaves behind how its backward pass is wired, which happens back to front. Memory
// is taken and released on the way, so a plan knows all of it before it runs.
type wiring struct {
	*plan
	free       map[[3]int][]int    // slots of scratch of a geometry that are not in use
	undo       []func()            // backward wiring of the layers so far
	grads      map[*signal]*signal // cotangents so far
	leaf       *signal             // an activation whose cotangent nobody wants
	pad        int                 // rows of zeros around every sequence
	modulation *signal             // what the residual blocks are conditioned on, nil if only on common
	common     *signal             // its first channels, where all samples have them in common
	once       bool                // what is wired does not depend on the sample
}

func newWiring(p purpose, pad int) *wiring {
	return &wiring{plan: &plan{purpose: p, timed: true}, free: map[[3]int][]int{}, grads: map[*signal]*signal{}, pad: pad}
}

// backwards reports whether a plan for the purpose has a backward pass.
func (p purpose) backwards() bool { return p != predicting && p != observing }

// backwards reports whether the plan has a backward pass.
func (w *wiring) backwards() bool { return w.purpose.backwards() }

// new returns memory in a place.
func (w *wiring) new(p place, length, channels, pad int) *signal {
	s := &signal{length: length, channels: channels, pad: pad, place: p, slot: len(w.sizes[p])}
	w.sizes[p] = append(w.sizes[p], s.size())
	return s
}

// take returns scratch of a geometry, used before if possible: the padding of
// scratch stays zero because only its own geometry ever lives there.
func (w *wiring) take(length, channels, pad int) *signal {
	key := [3]int{length, channels, pad}
	f := w.free[key]
	if len(f) == 0 || w.purpose == observing {
		return w.new(scratch, length, channels, pad)
	}
	w.free[key] = f[:len(f)-1]
	return &signal{length: length, channels: channels, pad: pad, slot: f[len(f)-1]}
}

// like returns scratch of the geometry of s.
func (w *wiring) like(s *signal) *signal { return w.take(s.length, s.channels, s.pad) }

// release gives scratch back: the pass that is being wired does not need it again.
func (w *wiring) release(s *signal) {
	if s.place == scratch {
		key := [3]int{s.length, s.channels, s.pad}
		w.free[key] = append(w.free[key], s.slot)
	}
}

// activation returns memory for an activation of the forward pass: in a training
// plan it is kept for all samples.
func (w *wiring) activation(length, channels, pad int) *signal {
	if w.once {
		return w.new(shared, length, channels, pad)
	}
	if w.purpose == training {
		return w.new(kept, length, channels, pad)
	}
	return w.take(length, channels, pad)
}

// sequence is activation with the padding that convolutions need.
func (w *wiring) sequence(length, channels int) *signal { return w.activation(length, channels, w.pad) }

// does appends an operation to the forward pass.
func (w *wiring) does(op operation) {
	if w.once {
		w.prelude.ops = append(w.prelude.ops, op)
		return
	}
	w.forward = append(w.forward, op)
}

// undoes appends an operation to the backward pass.
func (w *wiring) undoes(op operation) { w.backward = append(w.backward, op) }

// sharing wires what does not depend on the sample.
func (w *wiring) sharing(wire func() *signal) *signal {
	w.once = true
	s := wire()
	w.once = false
	return s
}

// onBackward leaves behind the backward wiring of a layer.
func (w *wiring) onBackward(f func()) {
	if w.backwards() && !w.once {
		w.undo = append(w.undo, f)
	}
}

// unwind wires the backward pass.
func (w *wiring) unwind() {
	for i := len(w.undo) - 1; i >= 0; i-- {
		w.undo[i]()
	}
}

// cotangentOf returns the cotangent of an activation that all its users have
// contributed to, nil if nothing that the plan is for depends on it.
func (w *wiring) cotangentOf(s *signal) *signal {
	d := w.grads[s]
	delete(w.grads, s)
	return d
}

// contribute makes d a part of the cotangent of s and takes it over.
func (w *wiring) contribute(s, d *signal) {
	sum := w.grads[s]
	if sum == nil {
		w.grads[s] = d
		return
	}
	w.adds(sum, d)
	w.release(d)
}

// adds wires sum += d in the backward pass.
func (w *wiring) adds(sum, d *signal) {
	w.undoes(func(r *run) {
		for i := range r.n {
			kernel.Add(r.matrix(sum, i), r.matrix(sum, i), r.matrix(d, i))
		}
	})
}

// kept returns d in memory that lasts for all samples of a training step.
func (w *wiring) kept(d *signal) *signal {
	if d.place != scratch {
		return d
	}
	k := w.new(kept, d.length, d.channels, 0)
	w.undoes(func(r *run) { copyRows(r, k, d, 0, 0, d.channels) })
	return k
}

// copyRows copies channels of every row of src to dst.
func copyRows(r *run, dst, src *signal, to, from, channels int) {
	for i := range r.n {
		x, y := r.matrix(src, i), r.matrix(dst, i)
		if x.Stride == channels && y.Stride == channels {
			copy(y.Data[:x.Rows*channels], x.Data)
			continue
		}
		for h := range x.Rows {
			copy(y.Data[h*y.Stride+to:][:channels], x.Data[h*x.Stride+from:])
		}
	}
}

// convolve wires a convolution into new memory.
func (w *wiring) convolve(c *conv, in *signal) *signal {
	out := w.activation(c.outLength(in.length), c.out, in.pad)
	if in.pad > 0 && (w.shortest == 0 || out.length < w.shortest) {
		w.shortest = out.length
	}
	w.convolveTo(c, out, in)
	return out
}

func (w *wiring) convolveTo(c *conv, out, in *signal) {
	p := w.products(c.forward, out, in, false)
	nominal, useful := p.multiplyAdds()
	w.nominal += nominal
	w.useful += useful
	w.does(p.run)
}

// products returns the products of the phases and sees that there is room for them.
func (w *wiring) products(phases []phase, dst, src *signal, add bool) *products {
	p := newProducts(phases, dst, src, add)
	w.work = max(w.work, p.work())
	return p
}

// transpose wires the backward pass of a convolution: the cotangent of in gets its
// part of the cotangent d of the output.
func (w *wiring) transpose(c *conv, in, d *signal) {
	if in == w.leaf {
		return
	}
	sum := w.grads[in]
	add := sum != nil
	if !add {
		sum = w.like(in)
		w.grads[in] = sum
	}
	w.undoes(w.products(c.backward, sum, d, add).run)
}

// learn adds the gradient tasks of a convolution to a training plan.
func (w *wiring) learn(c *conv, in, d *signal) {
	if w.purpose != training {
		return
	}
	w.gradients = append(w.gradients, c.gradients(in, w.kept(d))...)
	w.sumSize = max(w.sumSize, c.sumRows()*panel)
	w.rowSize = max(w.rowSize, c.in*c.kernel, panel*c.kernel)
}

// resample wires a convolution that stands alone.
func (w *wiring) resample(c *conv, in *signal) *signal {
	out := w.convolve(c, in)
	w.onBackward(func() {
		d := w.cotangentOf(out)
		w.learn(c, in, d)
		w.transpose(c, in, d)
		w.release(d)
	})
	return out
}

// concat wires the concatenation of channels, a first.
func (w *wiring) concat(a, b *signal) *signal {
	out := w.activation(a.length, a.channels+b.channels, a.pad)
	w.does(func(r *run) {
		copyRows(r, out, a, 0, 0, a.channels)
		copyRows(r, out, b, a.channels, 0, b.channels)
	})
	w.onBackward(func() {
		d := w.cotangentOf(out)
		if d == nil {
			return
		}
		da, db := w.like(a), w.like(b)
		w.undoes(func(r *run) {
			copyRows(r, da, d, 0, 0, a.channels)
			copyRows(r, db, d, 0, a.channels, b.channels)
		})
		w.release(d)
		w.contribute(a, da)
		w.contribute(b, db)
	})
	return out
}

// watch names an activation for the tests.
func (w *wiring) watch(name string, s *signal) { w.stages = append(w.stages, stage{name, s}) }
