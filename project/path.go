package project

import (
	"fmt"
	"math"
	"sync"

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
// [SpeedLimit] and [AccelerationLimit] have in common.
type path struct {
	set         string
	order       int // see [linkage]
	limit       float64
	start, goal perSample
	velocity    perSample // of second differences; may not be given
	skip, dims  int
	pool        *sync.Pool // of *linkage
}

const maxDims = 3

func newPath(set string, order int, limit float64, p Path) (path, error) {
	if err := checkNumber(set, "limit", limit, 0, math.MaxFloat64, "a finite number, at least 0"); err != nil {
		return path{}, err
	}
	if p.Dims == 0 {
		p.Dims = p.Start.Size()
	}
	if p.Dims < 1 || p.Dims > maxDims {
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
			return path{}, &SizeError{Set: set + ": " + v.name, Shape: v.b.Shape, Want: p.Dims}
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

// pathView is the constrained part of one sample: point 0 is the start, points 1
// to n are waypoints.
type pathView struct {
	start  []float32
	x      []float32 // from the first constrained waypoint
	n      int       // number of constrained waypoints
	dims   int
	stride int // channels of a waypoint
}

// view returns the constrained part of row k of x.
func (p *path) view(x tensor.Batch, k int) pathView {
	channels := x.Shape[1]
	return pathView{
		start: p.start.at(x.First + k), x: x.Sample(k)[p.skip*channels:],
		n: x.Shape[0] - p.skip, dims: p.dims, stride: channels,
	}
}

// point returns point h of 0..n.
func (v *pathView) point(h int) []float32 {
	if h == 0 {
		return v.start
	}
	at := (h - 1) * v.stride
	return v.x[at : at+v.dims]
}

// at returns point h as a vector.
func (v *pathView) at(h int) vec { return vecOf(v.point(h)) }

// longestSquared returns the largest squared distance of neighbouring points.
func (v *pathView) longestSquared() (longest float64) {
	if v.dims == 2 {
		px, py := float64(v.start[0]), float64(v.start[1])
		for at := 0; at+1 < len(v.x); at += v.stride {
			x, y := float64(v.x[at]), float64(v.x[at+1])
			if d := (x-px)*(x-px) + (y-py)*(y-py); d > longest {
				longest = d
			}
			px, py = x, y
		}
		return longest
	}
	p := v.start
	for h := 1; h <= v.n; h++ {
		q := v.point(h)
		longest = max(longest, squaredDistance(p, q))
		p = q
	}
	return longest
}

// squaredDistance returns ‖b − a‖² of stored points, in float64.
func squaredDistance(a, b []float32) (s float64) {
	for i, p := range a {
		d := float64(b[i]) - float64(p)
		s += d * d
	}
	return s
}

// initial returns the step that led to the start.
func (p *path) initial(sample int) vec {
	if !p.velocity.given() {
		return vec{}
	}
	return vecOf(p.velocity.at(sample))
}

// mechanism returns that of the path in one sample with the given number of
// channels. It goes back to the pool after use.
func mechanism[F float](p *path, x []F, channels, sample int) *linkage {
	m, ok := p.pool.Get().(*linkage)
	if !ok {
		m = new(linkage)
	}
	m.order, m.dims, m.pinned, m.limit = p.order, p.dims, p.goal.given(), p.limit
	m.velocity = p.initial(sample)
	n := len(x)/channels - p.skip
	m.reset(n)
	l := m.links
	l[0].p = vecOf(p.start.at(sample))
	for h := 1; h <= n; h++ {
		at := (p.skip + h - 1) * channels
		q := vecOf(x[at : at+p.dims])
		if h == n && m.pinned {
			q = vecOf(p.goal.at(sample))
		}
		l[h].p, l[h].r = q, q.sub(l[h-1].p)
	}
	if m.order == 2 {
		for h := n; h > 1; h-- {
			l[h].r = l[h].r.sub(l[h-1].r)
		}
		l[1].r = l[1].r.sub(m.velocity)
	}
	return m
}

// solve returns the mechanism of row k of x with its nodes at the solution, and
// copies what is not part of the path to dst. It starts from the forces in memory,
// if there are any, and leaves its own there.
func (p *path) solve(dst, x tensor.Batch, k int, memory []float64) (*linkage, outcome) {
	m := mechanism(p, x.Sample(k), x.Shape[1], x.First+k)
	o := m.project(p.limit, m.scale(), m.recall(memory))
	m.remember(memory)
	if &dst.Data[0] != &x.Data[0] {
		copy(dst.Sample(k), x.Sample(k))
	}
	return m, o
}

// ProjectExact implements [Exact].
func (p *path) ProjectExact(dst, x []float64, shape tensor.Shape, sample int) {
	m := mechanism(p, x, shape[1], sample)
	defer p.pool.Put(m)
	m.minimise(exactTolerance*p.limit+1e-15*m.scale(), false)
	copy(dst, x)
	m.place()
	p.store(dst, m, shape[1])
}

// store writes the nodes of m to the waypoints of x.
func (p *path) store(x []float64, m *linkage, channels int) {
	for h := 1; h <= m.n; h++ {
		at := m.links[h].p.array()
		copy(x[(p.skip+h-1)*channels:], at[:p.dims])
	}
}
