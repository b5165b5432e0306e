package nn

import "github.com/go-pcd/pcd/internal/kernel"

// graph lays out a network: it builds a plan front to back and leaves the backward pass
// behind. What is laid out runs in one of two ways. The operations of images are shared by all
// goroutines, one operation after the other, because one sample is work enough for all of them.
// Those of sequences take a chunk of samples through all operations, every goroutine its own.
//
// Signals have no memory while a network is laid out. Every operation names what it uses; at
// the end each signal gets memory from its first use to its last. An activation that the
// backward pass reads lives until then, and no layer says so.
type graph struct {
	*plan
	pad     int // rows of zeros around sequences whose samples are shared out
	ops     []use
	undo    []func()
	back    int                // operations of the forward pass
	ways    map[*signal]func() // the way back from a signal
	sums    map[*signal]*gathered
	handled *signal          // the cotangent whose way back is being laid out
	kept    []*signal        // until the end
	whole   map[*signal]bool // of all samples, until the gradients of the parameters are added up
	undoing bool             // the backward pass is being laid out
	once    bool             // what is laid out does not depend on the sample
	only    map[*Param]bool  // the parameters to learn; nil for all
}

// use is an operation with the signals that it uses.
type use struct {
	do      operation
	signals []*signal
}

// gathered is a cotangent that grows with every use of its signal.
type gathered struct {
	signal *signal
	own    bool // nobody else reads it
}

// newGraph begins a network whose operations are shared.
func newGraph(k key) *graph {
	g := newApart(k, 0)
	g.joint = true
	return g
}

// newApart begins a network whose samples are shared out: of sequences, with rows of zeros
// around them.
func newApart(k key, pad int) *graph {
	return &graph{plan: &plan{key: k, purpose: k.purpose}, pad: pad,
		sums: map[*signal]*gathered{}, ways: map[*signal]func(){}, whole: map[*signal]bool{}}
}

// signal returns a signal of rows of channels.
func (g *graph) signal(length, channels int) *signal {
	s := &signal{length: length, channels: channels, place: scratch, slot: -1, lasts: !g.undoing}
	if g.once {
		g.place(s, shared)
	}
	return s
}

// image returns a signal of lines of pixels.
func (g *graph) image(height, width, channels int) *signal {
	s := g.signal(height*width, channels)
	s.height = height
	return s
}

// sequence returns a signal for convolutions along its rows.
func (g *graph) sequence(length, channels int) *signal {
	s := g.image(1, length, channels)
	s.pad = g.pad
	return s
}

// like returns a signal of the size of s with its own number of channels.
func (g *graph) like(s *signal, channels int) *signal {
	t := g.signal(s.length, channels)
	t.height, t.pad = s.height, s.pad
	return t
}

// place gives a signal memory of its own.
func (g *graph) place(s *signal, p place) *signal {
	s.place, s.slot = p, len(g.sizes[p])
	g.sizes[p] = append(g.sizes[p], s.size())
	return s
}

// rows appends an operation whose tasks are blocks of the rows of a signal. What it does is
// made when the network is laid out, so that a pass allocates nothing for it.
func (g *graph) rows(s *signal, do rowTask, others ...*signal) {
	g.does(func(r *run) { r.rows(s, do) }, append([]*signal{s}, others...)...)
}

// tasks appends an operation with some tasks for every sample.
func (g *graph) tasks(perSample int, do task, signals ...*signal) {
	g.does(func(r *run) { r.share(r.n*perSample, do) }, signals...)
}

// does appends an operation that uses some signals.
func (g *graph) does(do operation, signals ...*signal) {
	if g.once {
		g.prelude.ops = append(g.prelude.ops, do)
		return
	}
	g.ops = append(g.ops, use{do, signals})
}

// onBackward leaves behind how the way back from out is laid out. It is called with the
// cotangent of out, unless there is none or nobody wants those of its sources.
func (g *graph) onBackward(out *signal, back func(d *signal)) {
	if !g.purpose.backwards() || g.once || !out.needs {
		return
	}
	way := func() {
		if d := g.sums[out]; d != nil {
			before := g.handled
			delete(g.sums, out)
			g.handled = d.signal
			back(d.signal)
			g.handled = before
		}
	}
	g.ways[out], g.undo = way, append(g.undo, way)
}

// counts adds multiplications of the forward pass for a sample.
func (g *graph) counts(n int) {
	g.nominal += n
	g.useful += n
}

// trains reports whether the plan learns a parameter.
func (g *graph) trains(p *Param) bool {
	return p != nil && g.purpose == training && !g.once && (g.only == nil || g.only[p])
}

// from says that a signal depends on a parameter, which may be nil, and on others: it
// needs a cotangent when they do, or when there is something to learn.
func (g *graph) from(out *signal, p *Param, sources ...*signal) {
	out.needs = g.trains(p)
	for _, s := range sources {
		out.needs = out.needs || s != nil && s.needs
	}
}

// grown returns where the sum of a new part of the cotangent of s and of what there is of it
// is written, and what there is: nothing, the sum itself, or what others read, too.
func (g *graph) grown(s *signal) (sum, old *signal) {
	if g.sums[s] != nil {
		old = g.sums[s].signal
		if g.sums[s].own || !g.joint && old != g.handled && g.holders(old) == 1 { // whoever else read it has done so
			return old, old
		}
	}
	sum = g.like(s, s.channels)
	if s.needs {
		g.sums[s] = &gathered{sum, true}
	}
	return sum, old
}

// holders returns how many signals have d as their cotangent so far.
func (g *graph) holders(d *signal) (n int) {
	for _, sum := range g.sums {
		if sum.signal == d {
			n++
		}
	}
	return n
}

// into returns where a part of the cotangent of s is written, and whether it is added to
// what is there; nil when nobody wants it.
func (g *graph) into(s *signal) (d *signal, add bool) {
	if !s.needs {
		return nil, false
	}
	d, old := g.grown(s)
	if old != nil && old != d {
		g.copies(d, old)
	}
	return d, old != nil
}

// room is into for operations that write a cotangent whether anybody wants it or not.
func (g *graph) room(s *signal) (d *signal, add bool) {
	if d, add = g.into(s); d == nil {
		d = g.like(s, s.channels)
	}
	return d, add
}

// lend makes d, which others read, too, a part of the cotangent of s.
func (g *graph) lend(s, d *signal) {
	switch {
	case !s.needs:
	case g.sums[s] == nil:
		g.sums[s] = &gathered{d, false}
	default:
		t, _ := g.into(s)
		g.rows(t, func(r *run, m kernel.Matrix, first int) { kernel.Add(m, m, r.block(d, first, m.Rows)) }, d)
	}
}

// watch names an activation for the tests.
func (g *graph) watch(name string, s *signal) {
	if g.purpose == observing && !g.once {
		g.stages = append(g.stages, stage{name, s})
		g.kept = append(g.kept, s)
	}
}

// finish lays out the backward pass and assigns memory.
func (g *graph) finish() *plan {
	g.back, g.undoing = len(g.ops), true
	for i := len(g.undo) - 1; i >= 0; i-- {
		g.undo[i]()
	}
	if g.joint {
		g.assign()
	} else {
		g.assignApart()
	}
	for i, u := range g.ops {
		if i < g.back {
			g.forward = append(g.forward, u.do)
		} else {
			g.backward = append(g.backward, u.do)
		}
	}
	p := g.plan
	*g = graph{plan: p, only: g.only} // operations keep it: not what it was built with
	return p
}

// all returns the elements of a signal for all samples of the chunk.
func (r *run) all(s *signal) []float32 {
	n := r.n
	if s.place == shared {
		n = 1
	}
	return r.data(s)[: n*s.size() : n*s.size()+min(kernel.Slack, cap(r.data(s))-n*s.size())]
}

// pixels returns the rows of all samples of the chunk.
func (r *run) pixels(s *signal) kernel.Matrix {
	return kernel.Matrix{Data: r.all(s), Rows: r.n * s.length, Cols: s.channels, Stride: s.channels}
}

// images returns the images of the samples of the chunk.
func (r *run) images(s *signal) kernel.Images {
	return kernel.Images{Data: r.all(s), N: r.n, Height: s.height, Width: s.width(), Channels: s.channels, Pixel: s.channels}
}

// copies lays out the copy of a signal to another one of its size.
func (g *graph) copies(dst, src *signal) {
	g.rows(dst, func(r *run, m kernel.Matrix, first int) {
		copy(m.Data[:m.Rows*m.Cols], r.block(src, first, m.Rows).Data)
	}, src)
}

// task is one of those that the goroutines of a crew share.
type task func(r *run, task int, h *kernel.Hand)

// rowTask is a task on a block of the rows of a signal, and the number of the first.
type rowTask func(r *run, m kernel.Matrix, first int)

// sharing is the operation under way of a run whose crew shares it.
type sharing struct {
	start func(task int, h *kernel.Hand) // made once, so that an operation allocates nothing for it
	do    task
	rows  rowTask
	of    *signal
	block int // rows of a task
}

// share does the tasks 0 ... tasks-1, several at a time.
func (r *run) share(tasks int, do task) {
	if r.sharing.start == nil {
		r.sharing.start = func(task int, h *kernel.Hand) { r.sharing.do(r, task, h) }
	}
	r.sharing.do = do
	r.crew.Do(tasks, r.sharing.start)
}

// doubles returns memory for n sums in float64, zeros, for an operation that one goroutine does.
func (r *run) doubles(n int) []float64 {
	if len(r.sums) < n {
		r.sums = make([]float64, n)
	}
	clear(r.sums[:n])
	return r.sums[:n]
}

// blockElements is about how many elements a task of an operation on rows has, and
// leastElements how many it has where there would be few tasks.
const (
	blockElements = 1 << 14
	leastElements = 1 << 12
)

// rows does a task for every block of the rows of a signal: several at a time, or for one
// sample after the other where these are shared out.
func (r *run) rows(s *signal, do rowTask) {
	if r.crew == nil {
		for i := range r.n {
			do(r, r.matrix(s, i), i*s.length)
		}
		return
	}
	m, w := r.pixels(s), &r.sharing
	w.rows, w.of = do, s
	w.block = max(1, min(blockElements, max(leastElements, m.Rows*m.Cols/(2*r.crew.Size())))/m.Cols)
	r.share((m.Rows+w.block-1)/w.block, blockTask)
}

// blockTask does the task of a block of rows.
func blockTask(r *run, task int, _ *kernel.Hand) {
	w := &r.sharing
	w.rows(r, r.block(w.of, task*w.block, w.block), task*w.block)
}

// block returns up to n rows of a signal from the given one on; with zeros around them, all of
// a sample.
func (r *run) block(s *signal, first, n int) kernel.Matrix {
	if s.pad > 0 {
		return r.matrix(s, first/s.length)
	}
	return block(r.pixels(s), first, n)
}

// elements returns the elements of up to n rows of a signal from the given one on.
func (r *run) elements(s *signal, first, n int) []float32 {
	m := r.block(s, first, n)
	return m.Data[:m.Rows*m.Cols]
}

// sample returns the rows of sample i of the chunk.
func (r *run) sample(s *signal, i int) kernel.Matrix { return r.block(s, i*s.length, s.length) }

// block returns up to n rows of a matrix from the given one on.
func block(m kernel.Matrix, first, n int) kernel.Matrix {
	m.Rows = min(n, m.Rows-first)
	m.Data = m.Data[first*m.Stride:]
	return m
}
