package nn

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/go-pcd/pcd/internal/kernel"
)

// session is the memory of one call: a worker for each goroutine. It is used by one call
// at a time and kept for the next.
type session struct {
	plan    *plan
	chunk   int           // most samples that a worker takes at a time
	kept    [][]float32   // signals of a training step
	chunks  [][][]float32 // scratch of every chunk, where it outlives a pass
	workers []*worker
	crew    *kernel.Crew // of a joint plan, whose only worker leads it
	wait    sync.WaitGroup
	next    atomic.Int64 // the next piece of work

	// Of the call that runs.
	ctx     context.Context
	shared  [][]float32
	samples int
	step    int // samples that a worker takes at a time
	passes  [2][]operation
	job     func(*worker)
}

// worker computes pieces of a call in its own memory.
type worker struct {
	run
	session *session
	scratch gradientScratch
	start   func() // made once, so that starting a goroutine allocates nothing
}

func newSession(p *plan, workers int) *session {
	s := &session{plan: p, chunk: p.chunk(), workers: make([]*worker, workers)}
	if p.joint {
		s.crew = kernel.NewCrew(workers)
	}
	s.kept = make([][]float32, len(p.sizes[kept]))
	return s
}

func newRun(p *plan) run {
	var r run
	for place := range places {
		r.slots[place] = make([][]float32, len(p.sizes[place]))
	}
	for i := range r.vectors {
		r.vectors[i] = kernel.Alloc(p.channels)
	}
	return r
}

// worker returns worker i with memory for chunks.
func (s *session) worker(i int) *worker {
	if s.workers[i] == nil {
		w := &worker{run: newRun(s.plan), session: s}
		if w.crew = s.crew; s.plan.purpose != linearizing && !s.plan.joint {
			w.slots[scratch] = s.plan.scratch(s.chunk)
		}
		w.work = kernel.Alloc(s.plan.work)
		copy(w.slots[kept], s.kept)
		w.scratch = gradientScratch{kernel.Alloc(s.plan.sumSize), kernel.Alloc(s.plan.rowSize)}
		w.start = func() {
			defer s.wait.Done()
			s.job(w)
		}
		s.workers[i] = w
	}
	return s.workers[i]
}

// run computes a call: the part that all samples share, then chunks of samples.
func (s *session) run(ctx context.Context, t float64, b bindings) error {
	s.shared = s.plan.prelude.at(t, s.plan.sizes[shared])
	return s.pass(ctx, t, b, s.plan.forward, s.plan.backward)
}

// pass runs one or two lists of operations on all samples, in chunks.
func (s *session) pass(ctx context.Context, t float64, b bindings, first, second []operation) error {
	s.ctx, s.samples = ctx, b.samples
	s.passes = [2][]operation{first, second}
	s.step, _ = s.plan.divide(b.samples, len(s.workers))
	workers := min(len(s.workers), s.samples)
	if s.plan.joint {
		workers = 1
		s.crew.Gather()
		defer s.crew.Dismiss()
	}
	for i := range workers {
		w := s.worker(i)
		w.time, w.times, w.ids = t, b.times, b.ids
		copy(w.slots[shared], s.shared)
		w.bind(s.plan, b)
	}
	s.distribute(workers, takeChunks)
	for i := range workers {
		s.workers[i].bind(s.plan, bindings{})
	}
	s.ctx = nil
	return ctx.Err()
}

// bind sets the caller's arrays.
func (w *worker) bind(p *plan, b bindings) {
	set := func(s *signal, data []float32) {
		if s != nil {
			w.slots[external][s.slot] = data
		}
	}
	for i := range ports {
		set(p.in[i], b.in[i])
		set(p.out[i], b.out[i])
		set(p.dOut[i], b.dOut[i])
		set(p.dIn[i], b.dIn[i])
	}
}

// distribute lets workers do a job together.
func (s *session) distribute(workers int, job func(*worker)) {
	s.next.Store(0)
	s.job = job
	s.wait.Add(workers)
	for i := 1; i < workers; i++ {
		go s.workers[i].start()
	}
	s.workers[0].start()
	s.wait.Wait()
}

// takeChunks is the job of a pass: chunk after chunk until none is left.
func takeChunks(w *worker) {
	s := w.session
	for {
		chunk := int(s.next.Add(1)) - 1
		first := chunk * s.step
		if first >= s.samples {
			return
		}
		w.first, w.n = first, min(s.step, s.samples-first)
		switch {
		case s.chunks != nil:
			w.slots[scratch] = s.chunks[chunk]
		case s.plan.joint:
			s.plan.grow(w.slots[scratch], w.n)
		}
		for _, ops := range s.passes {
			if !w.perform(s.ctx, ops) {
				return
			}
		}
	}
}

// perform runs operations on the chunk and reports whether the context let it.
func (w *worker) perform(ctx context.Context, ops []operation) bool {
	for _, op := range ops {
		if ctx.Err() != nil {
			return false
		}
		op(&w.run)
	}
	return true
}

// chunkRows is how many rows the products of the shortest sequences have: enough
// to use the weights, which come from the third-level cache or from memory, for a
// while, and few enough to leave the activations in the second-level cache. A
// multiple of the tile height.
const chunkRows = 192

// chunk returns how many samples a worker takes at a time.
func (p *plan) chunk() int {
	if p.joint {
		return p.jointChunk()
	}
	return max(1, chunkRows/max(4, p.shortest))
}

// divide cuts samples into chunks for workers: most of them of step samples.
func (p *plan) divide(samples, workers int) (step, chunks int) {
	if p.joint {
		return p.divideJointly(samples)
	}
	most := p.chunk()
	chunks = kernel.Round((samples+most-1)/most, min(workers, samples))
	step = (samples + chunks - 1) / chunks
	return step, (samples + step - 1) / step
}
