package path

import (
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
)

// Planar paths without a goal are projected four at a time, one per lane of a
// vector register, by the method of dualnewton.go in the form of [kernel.Chains].
// Paths that Newton's method does not finish, or whose rounding needs more than one
// try, leave the group and go through the code for a single one. All that happens
// to a path depends on that path only, so that results do not depend on its company.

// Lanes is the number of paths of a [Group].
const Lanes = kernel.ChainLanes

// tooFine and tooCoarse bound the limits of which the lanes can take squares and
// reciprocals.
const tooFine, tooCoarse = 1e-30, 1e30

// Vectorised reports whether a [Group] can take paths without a goal in so many
// coordinates.
func Vectorised(dims int, limit float64) bool {
	return dims == 2 && limit > tooFine && limit < tooCoarse && kernel.HasChains()
}

// Group is up to [Lanes] planar paths that are projected together onto a limit of
// their steps.
type Group struct {
	chains kernel.Chains
	limit  float64
	count  int
	lanes  [Lanes]lane
}

// lane is the part of a Group that belongs to one path.
type lane struct {
	memory []float64 // or nothing
	warm   bool      // the forces are those of memory
	tol    float64
	Outcome
}

// Load makes g the group of 1 to [Lanes] paths of one length, which it reads and
// does not keep. A path starts from the forces in its memory, if there are any; no
// memory is nil.
func (g *Group) Load(limit float64, paths []View, memory [][]float64) {
	g.limit, g.count = limit, len(paths)
	c := &g.chains
	c.Reset(paths[0].N)
	for i := range Lanes {
		k := min(i, g.count-1) // lanes that are left over repeat the last path
		g.lanes[i] = lane{memory: memory[k]}
		c.Limit[i], c.Inverse[i], c.Softest[i] = limit, 1/predictStep, softest
		c.Done.Set(i, i >= g.count)
		g.loadLane(i, &paths[k])
	}
}

func (g *Group) loadLane(i int, v *View) {
	c, e := &g.chains, &g.lanes[i]
	c.Links[0].X[i], c.Links[0].Y[i] = float64(v.Start[0]), float64(v.Start[1])
	links := c.Links[1 : v.N+1]
	for h := range links {
		at := v.X[h*v.Stride : h*v.Stride+2]
		links[h].X[i], links[h].Y[i] = float64(at[0]), float64(at[1])
	}
	e.warm = usable(e.memory)
	if !e.warm {
		return
	}
	for h := range links {
		links[h].FX[i], links[h].FY[i] = e.memory[2*h], e.memory[2*h+1]
	}
}

// Solve does Newton's method on all lanes and rounds what it finds.
func (g *Group) Solve() {
	g.start()
	g.newton()
	l := newLattice(g.limit)
	for i := range Lanes {
		g.chains.Square[i], g.chains.Square32[i], g.chains.Reach[i] = l.square, l.square32, l.reach
	}
	g.chains.Round()
}

// start is [Linkage.start] for the lanes, followed by the first prediction.
func (g *Group) start() {
	c := &g.chains
	c.Survey()
	n := len(c.Links) - 2
	any := false
	var compliance kernel.Lanes
	for i := range Lanes {
		e := &g.lanes[i]
		e.tol = tolerance*g.limit + 1e-15*c.Scale[i]
		springs := !e.warm && 4*int(c.Tight[i]) > n
		c.Springs.Set(i, springs)
		compliance[i], c.Floor[i] = 1, 1
		if springs {
			any = true
			mean := startScale * math.Sqrt(c.Squares[i]/float64(n))
			compliance[i], c.Floor[i] = g.limit/mean, 1e-3*mean
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

// newton is [Linkage.newton] for the lanes. A lane whose residual is still above its
// tolerance has not converged.
func (g *Group) newton() {
	for iterations := 0; ; iterations++ {
		left := 0
		for i := range g.count {
			e := &g.lanes[i]
			if g.chains.Done[i] != 0 {
				continue
			}
			e.Iterations, e.Residual = iterations, g.chains.Residual(i)
			e.Converged = e.Residual <= e.tol
			g.chains.Done.Set(i, e.Converged)
			if !e.Converged {
				left++
			}
		}
		if left == 0 || iterations == newtonIterations {
			return
		}
		g.chains.Step()
	}
}

// Store writes the rounded path of lane i to v, which holds the path that was
// loaded. Single is set up for that path by load where the lanes did not finish
// it. The forces go to the memory of the path.
func (g *Group) Store(i int, v *View, single *Linkage, load func(*Linkage)) Outcome {
	e := &g.lanes[i]
	memory := e.memory
	e.memory = nil // no reference to the caller's memory stays
	if !e.Converged {
		load(single)
		return e.alone(v, single, memory)
	}
	links := g.chains.Links[1 : v.N+1]
	for h := 0; 2*h < len(memory); h++ {
		memory[2*h], memory[2*h+1] = links[h].FX[i], links[h].FY[i]
	}
	if g.chains.Failed[i] == 0 {
		for h := range links {
			at := v.X[h*v.Stride : h*v.Stride+2]
			at[0], at[1] = links[h].RoundedX[i], links[h].RoundedY[i]
		}
		return e.Outcome
	}
	load(single)
	for h := range links {
		single.links[h+1].p = vec{x: links[h].X[i], y: links[h].Y[i]}
	}
	single.Round(v)
	return e.Outcome
}

// alone projects the path of a lane that Newton's method did not finish. Cold ones
// have had all that [Linkage.minimise] does before the interior point.
func (e *lane) alone(v *View, m *Linkage, memory []float64) Outcome {
	rest := m.interior
	if e.warm {
		rest = func(tol float64) (int, float64) { return m.minimise(tol, false) }
	}
	n, residual := rest(e.tol)
	o := m.finish(e.Iterations+n, residual, e.tol)
	m.remember(memory)
	m.Round(v)
	return o
}
