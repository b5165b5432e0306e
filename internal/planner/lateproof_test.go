package planner

import (
	"fmt"
	"math/big"
	"slices"
)

// rest is the hull of a robot after its last waypoint.
func rest(way []hull) hull {
	end := way[len(way)-1][3]
	return hull{end, end, end, end}
}

// lateRow is a row about robots that are late: from a to b the one, from c to d the other.
type lateRow = [8]float64

// checkLate checks the rows about two bodies that are late, whose pieces are cut at some times:
// that they hold wherever both are, and that they cover all times that differ by no more than
// the lateness.
func (f *planFile) checkLate(i, j int, times []float64, size *big.Rat, own, other func(from, to *big.Rat) hull) error {
	p := f.Plan.Proof
	var rows []lateRow
	cuts := []float64{0, times[len(times)-1]}
	for _, r := range p.Late {
		if r[0] == float64(i) && r[1] == float64(j) {
			rows, cuts = append(rows, r), append(cuts, r[2], r[3])
		}
	}
	points := func(of func(from, to *big.Rat) hull, from, to float64) (out []point) {
		all := []float64{from, to}
		for _, t := range times {
			if t > from && t < to {
				all = append(all, t)
			}
		}
		slices.Sort(all)
		for k := 1; k < len(all); k++ {
			h := of(rat(all[k-1]), rat(all[k]))
			out = append(out, h[:]...)
		}
		return out
	}
	for _, r := range rows {
		direction := separatorOf([2]float64{r[6], r[7]}, size)
		along := func(of func(from, to *big.Rat) hull, from, to float64) (out []*big.Rat) {
			for _, x := range points(of, from, to) {
				out = append(out, direction.along(x))
			}
			return out
		}
		if gap := least(along(own, r[2], r[3])...); !direction.suffices(gap.Sub(gap, most(along(other, r[4], r[5])...))) {
			return fmt.Errorf("contact from %v to %v beside %v to %v", r[2], r[3], r[4], r[5])
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	until := times[len(times)-1]
	for k := 1; k < len(cuts) && cuts[k] <= until; k++ {
		end := max(0, cuts[k-1]-p.Lateness)
		for again := true; again; {
			again = false
			for _, r := range rows {
				if r[2] <= cuts[k-1] && r[3] >= cuts[k] && r[4] <= end && r[5] > end {
					end, again = r[5], true
				}
			}
		}
		if end < min(until, cuts[k]+p.Lateness) {
			return fmt.Errorf("a gap in the proof for late robots: at %v to %v after %v", cuts[k-1], cuts[k], end)
		}
	}
	return nil
}
