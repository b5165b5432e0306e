package project

import "fmt"

// apart returns an error where a hull and a box among the sets have no common point, and
// one element alone shows it: all exemplars have it beyond the bound by more than the
// hull's band. Dykstra's algorithm would go on to its limit. Sets that no element
// separates may still have no common point.
func apart(sets []Projector) error {
	for _, s := range sets {
		h, ok := s.(*Hull)
		if !ok {
			continue
		}
		for _, other := range sets {
			if b, ok := other.(*boxSet); ok && len(b.lo) == h.points.D {
				if err := h.beyond(b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// beyond returns an error for the element by which the hull misses a box the most.
func (h *Hull) beyond(b *boxSet) error {
	worst, at, reason := h.points.Band, -1, ""
	for i := range b.lo {
		low, high := h.points.Range(i)
		if gap := low - b.exactHi[i]; gap > worst {
			worst, at, reason = gap, i, fmt.Sprintf("element %d is %.6g or more in all exemplars, and the box ends at %.6g: want one that reaches there", i, low, b.exactHi[i])
		}
		if gap := b.exactLo[i] - high; gap > worst {
			worst, at, reason = gap, i, fmt.Sprintf("element %d is %.6g or less in all exemplars, and the box begins at %.6g: want one that reaches there", i, high, b.exactLo[i])
		}
	}
	if at < 0 {
		return nil
	}
	return &InfeasibleError{Set: "intersection of " + hullName + " and box", Sample: -1, Violation: worst, Reason: reason}
}
