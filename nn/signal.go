package nn

import "github.com/go-pcd/pcd/internal/kernel"

// place says whose memory a signal lives in.
type place int

const (
	scratch  place = iota // of the worker, for the samples of a chunk
	kept                  // of a training step, for all its samples
	shared                // of a call, one for all samples
	external              // the caller's
	places
)

// signal is an activation, channels last: for every sample length rows of
// channels, between pad rows of zeros that nobody writes. The rows of an image are
// its pixels, line by line, without padding.
type signal struct {
	length, channels, pad int
	height                int // lines of an image; 0 for sequences
	place                 place
	slot                  int
	needs                 bool // something that the plan is for depends on it
	single                bool // one operation uses it
	lasts                 bool // laid out on the way forward: its memory is nobody else's until its way back
}

// width returns the pixels of a line of an image.
func (s *signal) width() int { return s.length / s.height }

// size returns the elements of one sample.
func (s *signal) size() int { return (s.length + 2*s.pad) * s.channels }

// row returns the offset of row h of a sample.
func (s *signal) row(h int) int { return (s.pad + h) * s.channels }

// run is the memory of one worker for one chunk of samples.
type run struct {
	n, first int     // samples of the chunk, and the number of the first in its call
	time     float64 // timestep, if one for all samples
	times    []int
	ids      []int // tokens of the samples of the call
	slots    [places][][]float32
	work     []float32    // of products
	crew     *kernel.Crew // of a joint plan: who shares its operations
	sharing  sharing      // of a joint plan: the operation under way
	sums     []float64    // of an operation, for a goroutine that works alone
	vectors  [9][]float32 // per-channel numbers, for group normalisation
}

// data returns the samples of the chunk, the first one at 0.
func (r *run) data(s *signal) []float32 {
	all := r.slots[s.place][s.slot]
	if s.place == kept || s.place == external {
		return all[r.first*s.size():]
	}
	return all
}

// sample returns the offset of sample i of the chunk.
func (s *signal) sample(i int) int {
	if s.place == shared {
		return 0
	}
	return i * s.size()
}

// matrix returns the rows of sample i of the chunk without the padding.
func (r *run) matrix(s *signal, i int) kernel.Matrix {
	return kernel.Matrix{
		Data: r.data(s)[s.sample(i)+s.row(0):], Rows: s.length, Cols: s.channels, Stride: s.channels,
	}
}

// vector returns the numbers of sample i of a signal of one row.
func (r *run) vector(s *signal, i int) []float32 {
	at := s.sample(i)
	return r.data(s)[at : at+s.channels]
}

// timestep returns the timestep of sample i of the chunk.
func (r *run) timestep(i int) float64 {
	if r.times != nil {
		return float64(r.times[r.first+i])
	}
	return r.time
}
