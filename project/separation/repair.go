package separation

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// Bounds of a repair.
const (
	maxRounds  = 20  // convex problems
	iterations = 100 // of each
	patience   = 5   // convex problems without progress
	stalling   = 0.9 // of the violation is no progress
)

// Outcome says what a repair did.
type Outcome struct {
	Verdict      Verdict // of the result
	Rounds       int     // convex problems solved
	Lines        int     // separating lines of the last one
	Displacement float64 // largest of a waypoint, in the units of the paths
}

// Repair writes to row k of dst the nearest joint path to row k of x that it finds
// to satisfy everything; dst may be x. First and last waypoints stay. A joint path
// that satisfies everything is not changed, bit for bit. When no such path is found
// the result is the one that fails least, and the verdict says so. The error is an
// [project.InfeasibleError] for a robot whose speed limit does not let it reach its end
// in time, before anything is computed or written, or that of the context.
func (w *World) Repair(ctx context.Context, dst, x []tensor.Batch, k int) (Outcome, error) {
	start := w.read(x, k)
	verdict := w.judgeNear(start)
	certified := verdict.Certified(w.Margin)
	if !certified {
		if err := w.checkReach(start, x[0].First+k); err != nil {
			return Outcome{Verdict: verdict}, err
		}
	}
	if &dst[0].Data[0] != &x[0].Data[0] {
		for i := range x {
			copy(dst[i].Sample(k), x[i].Sample(k))
		}
	}
	if certified {
		return Outcome{Verdict: verdict}, nil
	}
	best, out, err := w.searchAll(ctx, start)
	if err == nil {
		out.Displacement = best.farthest(start)
		best.write(dst, k)
	}
	return out, err
}

// searchAll tries one manner of giving way after the other. Those that end in a
// wall would do so again.
func (w *World) searchAll(ctx context.Context, start *paths) (best *paths, out Outcome, err error) {
	polish, err := w.polish(start)
	if err != nil {
		return nil, out, err
	}
	rounds := 0
	tried := manners[:]
	if w.Brief {
		tried = tried[:1]
	}
	for _, m := range tried {
		found, o, err := w.search(ctx, start, polish, m)
		if err != nil {
			return nil, out, err
		}
		rounds += o.Rounds
		if best == nil || o.Verdict.Violation(w.Margin) < out.Verdict.Violation(w.Margin) {
			best, out = found, o
		}
		if out.Verdict.Certified(w.Margin) || w.inWall(out.Verdict) {
			break
		}
	}
	out.Rounds = rounds
	return best, out, nil
}

// inWall reports whether a robot is deep in an obstacle.
func (w *World) inWall(v Verdict) bool {
	m := v[Obstacles]
	return m.Robot >= 0 && m.Value < -w.Robots[m.Robot].Radius/2
}

// program is a sequence of convex problems about a joint path.
type program interface {
	// next solves one, with the separating lines of the present iterate, and returns how
	// many there were.
	next(m manner) (lines int)
	iterate() *paths
}

func (w *World) program(start *paths) program {
	if w.Motion.Curved {
		return newCurveSolver(w.local(), start, nil)
	}
	return newSolver(w.local(), start)
}

// polish returns what brings a solution within the limits and to float32 numbers.
func (w *World) polish(start *paths) (func(*paths), error) {
	if w.Motion.Curved {
		return w.polishCurves, nil
	}
	p, err := newPolisher(w.local(), start)
	if err != nil {
		return nil, err
	}
	return p.polish, nil
}

// search solves convex problems until the judge accepts the solution of one, or
// there is no more progress.
func (w *World) search(ctx context.Context, start *paths, polish func(*paths), m manner) (best *paths, out Outcome, err error) {
	s := w.program(start)
	progress := 0
	for round := 1; round <= maxRounds && round-progress <= patience; round++ {
		if err := ctx.Err(); err != nil {
			return nil, out, err
		}
		lines := s.next(m)
		candidate := s.iterate().clone()
		polish(candidate)
		verdict := w.judgeNear(candidate)
		if best == nil || verdict.Violation(w.Margin) < stalling*out.Verdict.Violation(w.Margin) {
			progress = round
		}
		if best == nil || verdict.Violation(w.Margin) < out.Verdict.Violation(w.Margin) {
			best, out.Verdict = candidate, verdict
		}
		out.Rounds, out.Lines = round, lines
		if verdict.Certified(w.Margin) {
			break
		}
	}
	return best, out, nil
}

// farthest returns the largest distance of a waypoint from the same one of q.
func (p *paths) farthest(q *paths) (d float64) {
	for i := range p.bodies {
		for h := range p.waypoints {
			d = max(d, p.at(i, h).Dist(q.at(i, h)))
		}
	}
	return d
}
