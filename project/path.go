package project

import (
	"fmt"
	"math"
	"sync"

	solver "github.com/go-pcd/pcd/internal/path"
	"github.com/go-pcd/pcd/tensor"
)

// Path says which part of a sample is a path and where it is held. A sample has
// the shape [waypoint, channel].
type Path struct {
	// Start holds the point before the first constrained waypoint: shape [Dims],
	// one row for all samples, or one row per sample, found by sample number.
	Start tensor.Batch
	// Goal pins the last waypoint; same form as Start. Without rows the end is
	// free. Only [SpeedLimit] supports it.
	Goal tensor.Batch
	// Skip is the number of leading waypoints that are left alone. Paths whose
	// waypoint 0 repeats the start skip 1.
	Skip int
	// Dims is the number of leading channels that are coordinates, 1 to 3. The
	// others are left alone. 0 stands for the size of a row of Start.
	Dims int
}

// path is a checked Path and a limit of its differences of an order, which is what
// [SpeedLimit] and [accelerationSet] have in common.
type path struct {
	set         string
	order       int // of the differences
	limit       float64
	start, goal perSample
	velocity    perSample // of second differences; may not be given
	skip, dims  int
	pool        *sync.Pool // of *solver.Linkage
}

func newPath(set string, order int, limit float64, p Path) (path, error) {
	if err := checkNumber(set, "limit", limit, 0, math.MaxFloat64, "a finite number, at least 0"); err != nil {
		return path{}, err
	}
	if p.Dims == 0 {
		p.Dims = p.Start.Size()
	}
	if p.Dims < 1 || p.Dims > solver.MaxDims {
		return path{}, &ParameterError{Set: set, Name: "Dims", Value: float64(p.Dims), Want: "1 to 3 coordinates"}
	}
	if p.Skip < 0 {
		return path{}, &ParameterError{Set: set, Name: "Skip", Value: float64(p.Skip), Want: "0 or more waypoints"}
	}
	out := path{set: set, order: order, limit: limit, skip: p.Skip, dims: p.Dims, pool: new(sync.Pool)}
	var err error
	if out.start, err = newPerSample(set, "start", p.Start); err != nil {
		return path{}, err
	}
	if p.Goal.N > 0 {
		if out.goal, err = newPerSample(set, "goal", p.Goal); err != nil {
			return path{}, err
		}
	}
	for _, v := range []perSample{out.start, out.goal} {
		if v.given() && v.b.Size() != p.Dims {
			return path{}, &sizeError{Set: set + ": " + v.name, Shape: v.b.Shape, Want: p.Dims}
		}
	}
	return out, nil
}

// Check reports whether samples of this shape contain the path.
func (p *path) Check(shape tensor.Shape) error {
	if len(shape) != 2 || shape[0] <= p.skip || shape[1] < p.dims {
		want := fmt.Sprintf("[waypoint, channel] with more than %d waypoints and at least %d channels", p.skip, p.dims)
		return &ShapeError{Set: p.set, Shape: shape, Want: want}
	}
	return nil
}

// view returns the constrained part of row k of x.
func (p *path) view(x tensor.Batch, k int) solver.View {
	channels := x.Shape[1]
	return solver.View{
		Start: p.start.at(x.First + k), X: x.Sample(k)[p.skip*channels:],
		N: x.Shape[0] - p.skip, Dims: p.dims, Stride: channels,
	}
}

// initial returns the step that led to the start, or nil for a start at rest.
func (p *path) initial(sample int) []float32 {
	if !p.velocity.given() {
		return nil
	}
	return p.velocity.at(sample)
}

// end returns the goal, or nil where the end is free.
func (p *path) end(sample int) []float32 {
	if !p.goal.given() {
		return nil
	}
	return p.goal.at(sample)
}

// linkage returns one from the pool, where it goes back after use.
func (p *path) linkage() *solver.Linkage {
	m, ok := p.pool.Get().(*solver.Linkage)
	if !ok {
		m = new(solver.Linkage)
	}
	return m
}

// load sets m up for the path in one sample with the given number of channels.
func load[F float](p *path, m *solver.Linkage, x []F, channels, sample int) {
	solver.Load(m, solver.Limit{
		Order: p.order, Dims: p.dims, Limit: p.limit,
		Start: p.start.at(sample), Goal: p.end(sample), Velocity: p.initial(sample),
	}, x[p.skip*channels:], channels)
}

// solve returns the mechanism of row k of x with its nodes at the solution, and
// copies what is not part of the path to dst. It starts from the forces in memory,
// if there are any, and leaves its own there.
func (p *path) solve(dst, x tensor.Batch, k int, memory []float64) (*solver.Linkage, solver.Outcome) {
	m := p.linkage()
	load(p, m, x.Sample(k), x.Shape[1], x.First+k)
	o := m.Project(memory)
	copyRow(dst, x, k)
	return m, o
}

// copyRow copies row k unless it is there already.
func copyRow(dst, x tensor.Batch, k int) {
	if &dst.Data[0] != &x.Data[0] {
		copy(dst.Sample(k), x.Sample(k))
	}
}

// ProjectExact implements [Exact].
func (p *path) ProjectExact(dst, x []float64, shape tensor.Shape, sample int) {
	m := p.linkage()
	defer p.pool.Put(m)
	load(p, m, x, shape[1], sample)
	copy(dst, x)
	m.ProjectExact(dst[p.skip*shape[1]:], shape[1])
}

// outcomeOf is what a [Report] says of a solution.
func outcomeOf(o solver.Outcome) outcome {
	out := outcome{iterations: o.Iterations, residual: o.Residual}
	if !o.Converged {
		out.status = IterationLimit
	}
	return out
}
