package pcd

import (
	"context"
	"time"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Sample runs a problem. It returns a [ProblemError] and no result for a problem
// that is not valid. Otherwise it always returns a result: when the context is
// cancelled, the observer or a part of the problem fails, that of the last
// finished step together with the error.
func Sample(ctx context.Context, p Problem, opts Options) (*Result, error) {
	if err := p.Validate(opts); err != nil {
		return nil, err
	}
	r := newRun(ctx, p, opts)
	err := r.steps(ctx)
	return r.result(err), err
}

// run is the state of one call of Sample.
type run struct {
	ctx       context.Context // to tell its end from that of others
	start     time.Time
	problem   Problem
	opts      Options
	noise     noise.Source
	couplings []coupling
	pullers   []int          // by variable; see [Problem.pullers]
	states    []tensor.Batch // by variable, after the last finished step
	next      []tensor.Batch // being written by the step in progress
	block     int            // tuples that a model is given at a time
	chunks    []chunk
	workers   []*worker   // one per goroutine
	memory    [][]float64 // of warm-starting projectors, per variable
	kept      kept        // by steps for later ones
	done      int         // steps finished
	accepted  int         // of them without couplings
	observed  error       // of the observer
}

// chunk is the range [lo, hi) of tuples that are moved together.
type chunk struct{ lo, hi int }

func newRun(ctx context.Context, p Problem, opts Options) *run {
	r := &run{ctx: ctx, start: time.Now(), problem: p, opts: opts, noise: opts.Noise}
	r.couplings, r.pullers = newCouplings(p), p.pullers()
	if r.noise == nil {
		r.noise = noise.New(opts.Seed)
	}
	for i, v := range p.Variables {
		for _, states := range []*[]tensor.Batch{&r.states, &r.next} {
			b := tensor.New(opts.Samples, v.shape()...)
			b.First = opts.First
			*states = append(*states, b)
		}
		r.memory = append(r.memory, nil)
		if w, ok := v.Project.(project.WarmStarter); ok && p.Cadence.WarmStart {
			r.memory[i] = make([]float64, opts.Samples*w.MemorySize(v.shape()))
		}
	}
	r.kept = newKept(p, opts.Samples)
	r.block = r.chunkSize()
	rows, workers := r.block, parallel.Workers(opts.Workers)
	if p.seesBatch() { // one chunk, whose models are given blocks
		rows, workers = opts.Samples, 1
	}
	for lo := 0; lo < opts.Samples; lo += rows {
		r.chunks = append(r.chunks, chunk{lo, min(lo+rows, opts.Samples)})
	}
	for range workers {
		r.workers = append(r.workers, newWorker(p, rows))
	}
	return r
}

// chunkSize returns the number of tuples that are moved together, or given to a model at
// a time: about 2^14 elements per variable keep the buffers of a goroutine in its cache,
// and models may limit how many they can keep the activations of.
func (r *run) chunkSize() int {
	size, largest, n := r.opts.ChunkSize, 1, r.opts.Samples
	for _, b := range r.states {
		largest = max(largest, b.Size())
	}
	if size == 0 {
		workers := parallel.Workers(r.opts.Workers)
		size = min(max(16384/largest, 16), 4096, (n+workers-1)/workers)
	}
	for v, k := range r.pullers {
		if k >= 0 {
			size = min(size, denoise.LinearizeLimit(r.problem.Variables[v].Model))
		}
	}
	return min(size, n)
}

// initialise writes the state before the first step of a chunk.
func (r *run) initialise(c chunk, total int) error {
	for v, p := range r.problem.Variables {
		x := r.states[v].Rows(c.lo, c.hi)
		p.initOr(r.problem.Dynamics).fill(x, v, r.noise)
		p.condition(x, total)
	}
	return nil
}

// steps runs the chain. States are swapped only after a whole step, so they
// always belong to one step, whatever happens.
func (r *run) steps(ctx context.Context) error {
	total := r.problem.Dynamics.Steps()
	if err := r.forChunks(ctx, func(_ *worker, c chunk) error { return r.initialise(c, total) }); err != nil {
		return err
	}
	for i := total - 1; i >= 0; i-- {
		if err := r.forChunks(ctx, func(w *worker, c chunk) error { return r.newStep(w, c, i).take(ctx) }); err != nil {
			return err
		}
		r.states, r.next = r.next, r.states
		r.done++
		r.kept.turn()
		if o := r.opts.Observer; o != nil {
			r.observed = o.Step(StepInfo{Step: i, Done: r.done, Total: total, Seconds: r.seconds(), states: r.states})
			if r.observed != nil {
				return r.observed
			}
		}
	}
	return nil
}

func (r *run) forChunks(ctx context.Context, f func(w *worker, c chunk) error) error {
	return parallel.For(ctx, len(r.workers), len(r.chunks), func(worker, k int) error { return f(r.workers[worker], r.chunks[k]) })
}
