package pcd

import (
	"context"
	"errors"
	"time"

	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Options says how many samples to draw and how. Only Samples must be set.
type Options struct {
	Samples  int          // tuples to draw
	First    int          // sample number of the first tuple; shards of a run use different ranges
	Seed     uint64       // of the random field
	Noise    noise.Source // replaces the field of Seed when not nil
	Workers  int          // goroutines; 0 is one per processor
	Observer Observer     // called after every step; may be nil
	// ChunkSize is the number of tuples that one goroutine moves at a time; 0 lets
	// the sizes of the variables decide. It does not change the samples.
	ChunkSize int
}

// Sample runs a problem. It returns a [ProblemError] and no result for a problem
// that is not valid. Otherwise it always returns a result: when the context is
// cancelled, the observer or a part of the problem fails, that of the last
// finished step together with the error.
func Sample(ctx context.Context, p Problem, opts Options) (*Result, error) {
	if err := p.Validate(opts); err != nil {
		return nil, err
	}
	r := newRun(p, opts)
	err := r.steps(ctx)
	res := &Result{Samples: r.states, Steps: r.done, Accepted: r.acceptances, Status: r.status(err)}
	res.Projections = make([]project.Report, len(p.Variables))
	res.JointProjections = make([]project.Report, len(p.Constraints))
	for _, w := range r.workspaces {
		for i := range res.Projections {
			res.Projections[i] = res.Projections[i].Merge(w.reports[i])
		}
		for i := range res.JointProjections {
			res.JointProjections[i] = res.JointProjections[i].Merge(w.joint[i])
		}
	}
	res.Certificate = p.certify(r.states)
	res.Certificate.limited(res.Projections, res.JointProjections)
	res.Seconds = r.seconds()
	return res, err
}

// run is the state of one call of Sample.
type run struct {
	start      time.Time
	problem    Problem
	opts       Options
	noise      noise.Source
	couplings  []coupling
	pullers    []int          // per variable; see newPullers
	states     []tensor.Batch // after the last finished step
	next       []tensor.Batch // being written by the current step
	chunks     []chunk
	workspaces []*workspace // one per goroutine
	shared     *workspace   // of all tuples, when a step looks at the whole batch
	memory     [][]float64  // of warm-starting projectors, per variable
	values     []float64    // of the acceptance rule, per tuple
	accepted   bool         // the step in progress does without couplings
	done       int          // steps finished
	// acceptances counts the steps that were accepted.
	acceptances int
	observed    error // of the observer
}

// chunk is the range [lo, hi) of tuples that are moved together.
type chunk struct{ lo, hi int }

func newRun(p Problem, opts Options) *run {
	r := &run{start: time.Now(), problem: p, opts: opts, noise: opts.Noise}
	if r.noise == nil {
		r.noise = noise.New(opts.Seed)
	}
	largest := 1
	for i, v := range p.Variables {
		shape := v.shape()
		largest = max(largest, shape.Size())
		for _, states := range []*[]tensor.Batch{&r.states, &r.next} {
			b := tensor.New(opts.Samples, shape...)
			b.First = opts.First
			*states = append(*states, b)
		}
		r.memory = append(r.memory, nil)
		if w, ok := v.Project.(project.WarmStarter); ok && p.Cadence.WarmStart {
			r.memory[i] = make([]float64, opts.Samples*w.MemorySize(shape))
		}
	}
	r.couplings = newCouplings(p)
	r.pullers = r.newPullers()
	size := r.cut(largest)
	for range parallel.Workers(opts.Workers) {
		r.workspaces = append(r.workspaces, newWorkspace(p, size))
	}
	if r.wholeBatch() {
		r.shared = newWorkspace(p, opts.Samples)
	}
	if p.Accept != nil {
		r.values = make([]float64, opts.Samples)
	}
	return r
}

// cut divides the tuples into chunks and returns the size of the largest. A
// chunk of about 2^14 elements per variable keeps the buffers of a goroutine in
// its cache.
func (r *run) cut(elements int) int {
	n := r.opts.Samples
	size := r.opts.ChunkSize
	if size == 0 {
		workers := parallel.Workers(r.opts.Workers)
		size = min(max(16384/elements, 16), 4096, (n+workers-1)/workers)
	}
	if limit := r.maxLinearized(); limit > 0 {
		size = min(size, limit)
	}
	size = min(size, n)
	for lo := 0; lo < n; lo += size {
		r.chunks = append(r.chunks, chunk{lo, min(lo+size, n)})
	}
	return size
}

// steps runs the chain. States are swapped only after a whole step, so they
// always belong to one step, whatever happens.
func (r *run) steps(ctx context.Context) error {
	total := r.problem.Dynamics.Steps()
	err := r.forChunks(ctx, func(w *workspace, c chunk) error { return r.initialise(c, total) })
	if err != nil {
		return err
	}
	for i := total - 1; i >= 0; i-- {
		if err := r.step(ctx, i); err != nil {
			return err
		}
		r.states, r.next = r.next, r.states
		r.done++
		if r.opts.Observer == nil {
			continue
		}
		r.observed = r.opts.Observer.Step(StepInfo{Step: i, Done: r.done, Total: total, Seconds: r.seconds(), states: r.states})
		if r.observed != nil {
			return r.observed
		}
	}
	return nil
}

// seconds returns where the time went until now.
func (r *run) seconds() (s Seconds) {
	for _, w := range r.workspaces {
		s.Add(w.seconds)
	}
	s.Total = time.Since(r.start).Seconds()
	return s
}

func (r *run) forChunks(ctx context.Context, f func(w *workspace, c chunk) error) error {
	return parallel.For(ctx, len(r.workspaces), len(r.chunks), func(worker, k int) error {
		return f(r.workspaces[worker], r.chunks[k])
	})
}

// status names the outcome of a run that ended with err.
func (r *run) status(err error) Status {
	switch {
	case err == nil:
		return Complete
	case r.observed != nil:
		return Stopped
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Interrupted
	default:
		return Failed
	}
}
