package judge

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// LateRow proves that a robot keeps apart from another body wherever the one is from From to To and the other between the
// times There: n parts the hulls of both ways by the radii.
type LateRow struct {
	Row
	There [2]float64
}

// VerifyLate checks rows that somebody else made for bodies that are up to so many seconds late, each by something
// else: that each row holds, up to rounding, and that those of every two bodies cover all times of the paths that
// differ by no more. It returns a [ProofError] for the first that does not, or the error of the context.
func (w *World) VerifyLate(ctx context.Context, rows []LateRow, seconds float64) error {
	own := *w
	own.Until = 0 // as in Verify
	c := own.open()
	of := map[[2]int][]LateRow{}
	for _, r := range rows {
		of[[2]int{r.Robot, r.Other}] = append(of[[2]int{r.Robot, r.Other}], r)
	}
	for i := range w.Robots {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := i + 1; j < w.bodies(); j++ {
			l := lateRows{a: c.tracks[i], b: c.tracks[j], radii: c.body(i).Radius + c.body(j).Radius, seconds: seconds}
			if e := l.verify(ctx, of[[2]int{i, j}]); e != nil {
				e.Robot, e.Other = i, j
				return cmp.Or(ctx.Err(), error(e))
			}
		}
	}
	return nil
}

// lateRows are those of two bodies.
type lateRows struct {
	a, b           *track
	radii, seconds float64
}

func (l *lateRows) verify(ctx context.Context, rows []LateRow) *ProofError {
	for _, r := range rows {
		if !l.parts(r) {
			return &ProofError{From: r.From, To: r.To, Reason: "the direction does not part them when they are late"}
		}
	}
	begin, end := l.a.knots[0], l.a.knots[len(l.a.hulls)]
	slack := converted * max(math.Abs(begin), math.Abs(end))
	cuts := []float64{begin, end}
	for _, r := range rows {
		for _, t := range []float64{r.From, r.To} {
			if t > begin && t < end {
				cuts = append(cuts, t)
			}
		}
	}
	slices.Sort(cuts)
	slices.SortStableFunc(rows, func(a, b LateRow) int { return cmp.Compare(a.There[0], b.There[0]) })
	for k := range len(cuts) - 1 {
		from, to := cuts[k], cuts[k+1]
		if to-from <= slack {
			continue
		}
		if ctx.Err() != nil {
			return &ProofError{}
		}
		done := max(begin, from-l.seconds)
		for _, r := range rows {
			if r.From <= from+slack && r.To >= to-slack && r.There[0] <= done+slack {
				done = max(done, r.There[1])
			}
		}
		if done < min(end, to+l.seconds)-slack {
			return &ProofError{From: from, To: to, Reason: "no direction is given for all who are late by as much"}
		}
	}
	return nil
}

// parts reports whether the direction of a row parts both ways, up to rounding.
func (l *lateRows) parts(r LateRow) bool {
	length := r.N.Norm()
	if !(length > 1e-100 && length < 1e100) {
		return false
	}
	low, blur := along(l.a, r.From, r.To, r.N)
	high, more := along(l.b, r.There[0], r.There[1], r.N.Scale(-1))
	need := l.radii * length
	slack := (blur+more)*length + converted*(math.Abs(low)+math.Abs(high)+need)
	return low+high-need >= -slack
}

// along returns how far at least a way is along n between two times, and what that may be off.
func along(t *track, from, to float64, n geom.Vec2) (least, blur float64) {
	least = math.Inf(1)
	for k := range t.hulls {
		if t.knots[k] >= to || t.knots[k+1] <= from {
			continue
		}
		hull, off := t.cut(k, max(from, t.knots[k]), min(to, t.knots[k+1]))
		for _, p := range hull {
			least = min(least, p.Dot(n))
		}
		blur = max(blur, off)
	}
	return least, blur
}
