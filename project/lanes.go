package project

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// Planar paths without a goal are projected four at a time, one per lane of a
// vector register, by the method of dualnewton.go in the form of [kernel.Chains].
// Paths that Newton's method does not finish, or whose rounding needs more than one
// try, leave the group and go through the code for a single one. All that happens
// to a path depends on that path only, so that results do not depend on its company.

// tooFine and tooCoarse bound the limits of which the lanes can take squares and
// reciprocals.
const tooFine, tooCoarse = 1e-30, 1e30

// vectorised reports whether paths go through the lanes.
func (s *SpeedLimit) vectorised() bool {
	return s.dims == 2 && !s.goal.given() && s.limit > tooFine && s.limit < tooCoarse && kernel.HasChains()
}

// laneGroup is up to four rows that are projected together.
type laneGroup struct {
	chains kernel.Chains
	count  int
	lanes  [kernel.ChainLanes]lane
}

// lane is the part of a laneGroup that belongs to one row.
type lane struct {
	row    int
	before float64   // violation of the input
	memory []float64 // of the row, or nothing
	warm   bool      // the forces are those of memory
	tol    float64
	outcome
}

// projectLanes is projectChecked for a set that is vectorised. memory has a row of
// forces per row of x, or nothing.
func (s *SpeedLimit) projectLanes(ctx context.Context, dst, x tensor.Batch, memory []float64) (Report, error) {
	g, ok := s.groups.Get().(*laneGroup)
	if !ok {
		g = new(laneGroup)
	}
	defer func() {
		clear(g.lanes[:]) // no reference to the caller's memory stays
		s.groups.Put(g)
	}()
	var total Report
	dst.First, g.count = x.First, 0
	size := len(memory) / max(1, x.N)
	for k := range x.N {
		if k%contextStride == 0 {
			if err := ctx.Err(); err != nil {
				return total, err
			}
		}
		before := s.excess(x, k)
		if before <= 0 {
			total = total.Merge(keepRow(dst, x, k, before))
			continue
		}
		g.lanes[g.count] = lane{row: k, before: before, memory: memory[k*size : (k+1)*size]}
		if g.count++; g.count == kernel.ChainLanes {
			total = total.Merge(s.projectGroup(dst, x, g))
		}
	}
	if g.count > 0 {
		total = total.Merge(s.projectGroup(dst, x, g))
	}
	return total, nil
}

// projectGroup projects the rows of g and empties it.
func (s *SpeedLimit) projectGroup(dst, x tensor.Batch, g *laneGroup) (total Report) {
	s.loadGroup(x, g)
	g.start(s.limit)
	g.newton()
	l := newLattice(s.limit)
	for i := range kernel.ChainLanes {
		g.chains.Square[i], g.chains.Square32[i], g.chains.Reach[i] = l.square, l.square32, l.reach
	}
	g.chains.Round()
	for i := range g.count {
		e := &g.lanes[i]
		if e.residual <= e.tol {
			g.remember(i)
			s.storeLane(dst, x, g, i)
		} else {
			s.projectAlone(dst, x, e)
		}
		total = total.Merge(certified(s, dst, e.row, e.before, e.outcome))
	}
	g.count = 0
	return total
}

// loadGroup makes the chains of g those of its rows. Lanes that are left over
// repeat the last row.
func (s *SpeedLimit) loadGroup(x tensor.Batch, g *laneGroup) {
	c := &g.chains
	c.Reset(x.Shape[0] - s.skip)
	for i := range kernel.ChainLanes {
		e := &g.lanes[min(i, g.count-1)]
		c.Limit[i], c.Inverse[i], c.Softest[i] = s.limit, 1/predictStep, softest
		c.Done.Set(i, i >= g.count)
		v := s.view(x, e.row)
		c.Links[0].X[i], c.Links[0].Y[i] = float64(v.start[0]), float64(v.start[1])
		links := c.Links[1 : v.n+1]
		for h := range links {
			at := v.x[h*v.stride : h*v.stride+2]
			links[h].X[i], links[h].Y[i] = float64(at[0]), float64(at[1])
		}
		e.warm = usable(e.memory)
		if !e.warm {
			continue
		}
		for h := range links {
			links[h].FX[i], links[h].FY[i] = e.memory[2*h], e.memory[2*h+1]
		}
	}
}

// start is [linkage.start] for the lanes, followed by the first prediction.
func (g *laneGroup) start(limit float64) {
	c := &g.chains
	c.Survey()
	n := len(c.Links) - 2
	any := false
	var compliance kernel.Lanes
	for i := range kernel.ChainLanes {
		e := &g.lanes[min(i, g.count-1)]
		e.tol = tolerance*limit + 1e-15*c.Scale[i]
		springs := !e.warm && 4*int(c.Tight[i]) > n
		c.Springs.Set(i, springs)
		compliance[i], c.Floor[i] = 1, 1
		if springs {
			any = true
			mean := startScale * math.Sqrt(c.Squares[i]/float64(n))
			compliance[i], c.Floor[i] = limit/mean, 1e-3*mean
		}
	}
	if any {
		for h := range c.Links {
			c.Links[h].Across = compliance
		}
		c.Relax()
		c.Relax()
	}
	c.Predict()
}

// newton is [linkage.newton] for the lanes. A lane whose residual is still above its
// tolerance has not converged.
func (g *laneGroup) newton() {
	for iterations := 0; ; iterations++ {
		left := 0
		for i := range g.count {
			e := &g.lanes[i]
			if g.chains.Done[i] != 0 {
				continue
			}
			e.iterations, e.residual = iterations, g.chains.Residual(i)
			g.chains.Done.Set(i, e.residual <= e.tol)
			if g.chains.Done[i] == 0 {
				left++
			}
		}
		if left == 0 || iterations == newtonIterations {
			return
		}
		g.chains.Step()
	}
}

// remember writes the forces of a lane to its memory.
func (g *laneGroup) remember(i int) {
	memory := g.lanes[i].memory
	for h := 0; 2*h < len(memory); h++ {
		l := &g.chains.Links[h+1]
		memory[2*h], memory[2*h+1] = l.FX[i], l.FY[i]
	}
}

// storeLane writes the rounded path of a lane to its row of dst.
func (s *SpeedLimit) storeLane(dst, x tensor.Batch, g *laneGroup, i int) {
	k := g.lanes[i].row
	if &dst.Data[0] != &x.Data[0] {
		copy(dst.Sample(k), x.Sample(k))
	}
	v := s.view(dst, k)
	links := g.chains.Links[1 : v.n+1]
	if g.chains.Failed[i] == 0 {
		for h := range links {
			at := v.x[h*v.stride : h*v.stride+2]
			at[0], at[1] = links[h].RoundedX[i], links[h].RoundedY[i]
		}
		return
	}
	m := mechanism(&s.path, dst.Sample(k), dst.Shape[1], dst.First+k)
	defer s.pool.Put(m)
	for h := range links {
		m.links[h+1].p = vec{x: links[h].X[i], y: links[h].Y[i]}
	}
	s.round(&v, m, 1, v.n+1)
}

// projectAlone projects the row of a lane that Newton's method did not finish. Cold
// ones have had all that [linkage.minimise] does before the interior point.
func (s *SpeedLimit) projectAlone(dst, x tensor.Batch, e *lane) {
	m := mechanism(&s.path, x.Sample(e.row), x.Shape[1], x.First+e.row)
	defer s.pool.Put(m)
	rest := m.interior
	if e.warm {
		rest = func(tol float64) (int, float64) { return m.minimise(tol, false) }
	}
	n, residual := rest(e.tol)
	e.outcome = m.finish(e.iterations+n, residual, e.tol)
	m.remember(e.memory)
	if &dst.Data[0] != &x.Data[0] {
		copy(dst.Sample(e.row), x.Sample(e.row))
	}
	v := s.view(dst, e.row)
	s.round(&v, m, 1, v.n+1)
}
