package nn

import (
	"sync"

	"github.com/go-pcd/pcd/internal/kernel"
)

// prelude is the part of a plan that all samples of a call have in common. It depends
// on the timestep alone, and a sampler asks for the same timesteps again and again, so
// the results are kept.
type prelude struct {
	ops   []operation // on one row
	mu    sync.Mutex
	steps map[float64][][]float32 // the shared signals, by timestep
}

// stepsKept is the most timesteps whose results are kept: more than samplers with few
// steps have, and little memory beside the parameters.
const stepsKept = 128

// at returns the shared signals of the given sizes at a timestep. They are not changed
// afterwards.
func (p *prelude) at(t float64, sizes []int) [][]float32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.steps[t]; s != nil {
		return s
	}
	for old := range p.steps {
		if len(p.steps) < stepsKept {
			break
		}
		delete(p.steps, old)
	}
	s := slots(sizes)
	r := run{n: 1, time: t, crew: kernel.NewCrew(1)}
	r.slots[shared] = s
	for _, op := range p.ops {
		op(&r)
	}
	if p.steps == nil {
		p.steps = map[float64][][]float32{}
	}
	p.steps[t] = s
	return s
}

// slots returns memory for signals of the given sizes in one allocation.
func slots(sizes []int) [][]float32 {
	s := make([][]float32, len(sizes))
	all := kernel.Alloc(slotsSize(sizes))
	for i, size := range sizes {
		s[i], all = all[:size], all[kernel.Round(size, cacheLine):]
	}
	return s
}

// cacheLine is where signals start, in elements.
const cacheLine = 16

// slotsSize returns the elements that slots allocates.
func slotsSize(sizes []int) int {
	n := 0
	for _, size := range sizes {
		n += kernel.Round(size, cacheLine)
	}
	return n
}

// forget drops all results, because the parameters have changed.
func (p *prelude) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.steps)
}
