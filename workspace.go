package pcd

import (
	"time"

	"github.com/go-pcd/pcd/denoise"
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
	coupled, estimated := len(p.Couplings) > 0, p.Accept != nil
	for _, c := range p.Couplings {
		estimated = estimated || c.At == AtEstimate
	}
	for _, v := range p.Variables {
		for _, buffer := range []struct {
			dst  *[]tensor.Batch
			used bool
		}{{&w.pred, true}, {&w.mean, true}, {&w.noise, true}, {&w.guide, coupled}, {&w.grad, coupled},
			{&w.estimate, estimated}, {&w.cotangent, estimated}} {
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

func (r *run) mover(w *workspace, c chunk, i int) *mover {
	w.last = time.Now()
	if r.shared != nil {
		return &mover{run: r, w: r.shared, own: w, chunk: c, i: i, whole: true}
	}
	return &mover{run: r, w: w, own: w, chunk: c, i: i}
}

// at returns the chunk's rows of a variable in a buffer of the workspace.
func (m *mover) at(buffers []tensor.Batch, v int) tensor.Batch {
	return view(buffers, v, m.chunk, m.opts.First, m.whole)
}

// state returns the chunk's rows of a variable before the step.
func (m *mover) state(v int) tensor.Batch { return m.states[v].Rows(m.lo, m.hi) }

// after returns the chunk's rows of a variable after the step.
func (m *mover) after(v int) tensor.Batch { return m.next[v].Rows(m.lo, m.hi) }
