package pcd

import (
	"context"
	"errors"
	"time"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// workspace holds the intermediate quantities of a chunk, one batch per variable.
type workspace struct {
	pred      []tensor.Batch // predictions of the models
	mean      []tensor.Batch // mean of the step
	guide     []tensor.Batch // what the couplings subtract from it
	grad      []tensor.Batch // gradient of one coupling
	estimate  []tensor.Batch // clean-sample estimates
	cotangent []tensor.Batch // gradients at the estimates
	noise     []tensor.Batch
	guided    []bool             // whether guide is in use
	pullbacks []denoise.Pullback // of the predictions, until they are used
	reports   []project.Report   // per variable
	joint     []project.Report   // per constraint of several variables
	seconds   Seconds
	last      time.Time
}

func newWorkspace(p Problem, rows int) *workspace {
	w := &workspace{
		guided:    make([]bool, len(p.Variables)),
		pullbacks: make([]denoise.Pullback, len(p.Variables)),
		reports:   make([]project.Report, len(p.Variables)),
		joint:     make([]project.Report, len(p.Constraints)),
	}
	coupled, pulled := len(p.Couplings) > 0, false
	for _, c := range p.Couplings {
		pulled = pulled || c.At == AtEstimate
	}
	for _, v := range p.Variables {
		for _, buffer := range []struct {
			dst  *[]tensor.Batch
			used bool
		}{{&w.pred, true}, {&w.mean, true}, {&w.noise, true}, {&w.guide, coupled}, {&w.grad, coupled},
			{&w.estimate, pulled}, {&w.cotangent, pulled}} {
			b := tensor.Batch{Shape: v.shape()}
			if buffer.used {
				b = tensor.New(rows, v.shape()...)
			}
			*buffer.dst = append(*buffer.dst, b)
		}
	}
	return w
}

// view returns the part of w that serves the tuples [lo, hi) of a run: its first
// rows, or rows lo to hi when w serves the whole run.
func view(buffers []tensor.Batch, v int, c chunk, first int, whole bool) tensor.Batch {
	b := buffers[v]
	if b.Data == nil {
		return b
	}
	if whole {
		b = b.Rows(c.lo, c.hi)
	} else {
		b = b.Rows(0, c.hi-c.lo)
	}
	b.First = first + c.lo
	return b
}

// lap adds the time since the last lap to a part.
func (w *workspace) lap(part *float64) {
	now := time.Now()
	*part += now.Sub(w.last).Seconds()
	w.last = now
}

// mover moves one chunk through one step.
type mover struct {
	*run
	w   *workspace
	own *workspace // of the goroutine that does the work: its times and flags
	chunk
	i     int
	whole bool
}

// at returns the chunk's rows of a variable in a buffer of the workspace.
func (m *mover) at(buffers []tensor.Batch, v int) tensor.Batch {
	return view(buffers, v, m.chunk, m.opts.First, m.whole)
}

// state returns the chunk's rows of a variable before the step.
func (m *mover) state(v int) tensor.Batch { return m.states[v].Rows(m.lo, m.hi) }

func (m *mover) fail(v int, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &StepError{Step: m.i, Err: err}
	if v >= 0 {
		e.Variable = m.problem.variableName(v)
	}
	return e
}

func (r *run) mover(w *workspace, c chunk, i int) *mover {
	w.last = time.Now()
	if r.shared != nil {
		return &mover{run: r, w: r.shared, own: w, chunk: c, i: i, whole: true}
	}
	return &mover{run: r, w: w, own: w, chunk: c, i: i}
}

// step moves every tuple once. Costs that look at the whole batch need all means
// before any gradient; without them a chunk goes through the step in one go.
func (r *run) step(ctx context.Context, i int) error {
	if r.shared == nil {
		return r.forChunks(ctx, func(w *workspace, c chunk) error {
			m := r.mover(w, c, i)
			if err := m.denoise(ctx); err != nil {
				return err
			}
			return m.finish(ctx)
		})
	}
	if err := r.forChunks(ctx, func(w *workspace, c chunk) error { return r.mover(w, c, i).denoise(ctx) }); err != nil {
		return err
	}
	r.showBatchwide(i)
	if err := r.askAccept(ctx, i); err != nil {
		return err
	}
	return r.forChunks(ctx, func(w *workspace, c chunk) error { return r.mover(w, c, i).finish(ctx) })
}

// initialise writes the state before the first step of a chunk.
func (r *run) initialise(c chunk, total int) error {
	for v, p := range r.problem.Variables {
		init := p.Init
		if init == nil {
			init = Normal{Std: 1}
		}
		x := r.states[v].Rows(c.lo, c.hi)
		init.fill(x, v, r.noise)
		p.condition(x, total)
	}
	return nil
}

// condition writes the conditions in force after step i.
func (v Variable) condition(x tensor.Batch, i int) {
	for _, c := range v.Conditions {
		if !c.Window.Contains(i) {
			continue
		}
		for r := range x.N {
			copy(x.Sample(r)[c.Offset:], rowOf(c.Values, x.First+r))
		}
	}
}

// denoise evaluates the models and the means of the step.
func (m *mover) denoise(ctx context.Context) error {
	d := m.problem.Dynamics
	for v, p := range m.problem.Variables {
		x, mean := m.state(v), m.at(m.w.mean, v)
		if p.Model == nil {
			mean.CopyFrom(x)
			continue
		}
		pred := m.at(m.w.pred, v)
		if err := m.predict(ctx, pred, x, v); err != nil {
			return m.fail(v, err)
		}
		m.own.lap(&m.own.seconds.Model)
		d.Mean(mean.Data, x.Data, pred.Data, p.Model.Kind(), m.i)
		m.own.lap(&m.own.seconds.Other)
	}
	return nil
}

// finish applies couplings, noise, projections and conditions, in this order.
func (m *mover) finish(ctx context.Context) error {
	if err := m.couple(ctx); err != nil {
		return err
	}
	for v, p := range m.problem.Variables {
		next := m.next[v].Rows(m.lo, m.hi)
		if p.Model == nil {
			next.CopyFrom(m.state(v))
			continue
		}
		m.move(next, v)
		m.own.lap(&m.own.seconds.Other)
		if err := m.project(ctx, next, v); err != nil {
			return m.fail(v, err)
		}
	}
	if err := m.projectJointly(ctx); err != nil {
		return err
	}
	for v, p := range m.problem.Variables {
		if p.Model == nil {
			continue
		}
		next := m.next[v].Rows(m.lo, m.hi)
		p.condition(next, m.i)
		if err := next.CheckFinite(); err != nil {
			return m.fail(v, err)
		}
	}
	m.own.lap(&m.own.seconds.Other)
	return nil
}

// move writes mean - guidance + noise to next.
func (m *mover) move(next tensor.Batch, v int) {
	mean := m.at(m.w.mean, v).Data
	if m.own.guided[v] {
		for j, g := range m.at(m.w.guide, v).Data {
			mean[j] -= g
		}
	}
	if m.problem.ConditionMean {
		m.problem.Variables[v].condition(m.at(m.w.mean, v), m.i)
	}
	m.addNoise(next, mean, v)
}

// addNoise writes mean + noise to next.
func (m *mover) addNoise(next tensor.Batch, mean []float32, v int) {
	std := float32(m.problem.Dynamics.Std(m.i))
	if std == 0 {
		copy(next.Data, mean)
		return
	}
	z := m.at(m.w.noise, v).Data
	m.noise.Normal(z, next.Size(), noise.Address{Variable: v, Sample: next.First, Draw: 1 + m.done})
	for j := range next.Data {
		next.Data[j] = mean[j] + std*z[j]
	}
}

// project maps next to the constraint set of its variable, where the cadence says
// so.
func (m *mover) project(ctx context.Context, next tensor.Batch, v int) error {
	p := m.problem.Variables[v].Project
	if p == nil || !m.problem.Cadence.projects(m.i) {
		return nil
	}
	var report project.Report
	var err error
	if memory := m.memory[v]; memory != nil {
		size := len(memory) / m.opts.Samples
		report, err = p.(project.WarmStarter).ProjectFrom(ctx, next, next, memory[m.lo*size:m.hi*size])
	} else {
		report, err = p.Project(ctx, next, next)
	}
	m.own.reports[v] = m.own.reports[v].Merge(report)
	m.own.lap(&m.own.seconds.Projection)
	return err
}

// projectJointly maps the next states to the sets of several variables, where the
// cadence says so.
func (m *mover) projectJointly(ctx context.Context) error {
	if !m.problem.Cadence.projects(m.i) {
		return nil
	}
	for k, c := range m.problem.Constraints {
		var x []tensor.Batch
		for _, v := range m.problem.arguments(c.Variables) {
			x = append(x, m.next[v].Rows(m.lo, m.hi))
		}
		report, err := c.Project.Project(ctx, x, x)
		m.own.joint[k] = m.own.joint[k].Merge(report)
		m.own.lap(&m.own.seconds.Projection)
		if err != nil {
			return m.fail(-1, &partError{"constraint", m.problem.constraintName(k), err})
		}
	}
	return nil
}
