package passages

import (
	"context"
	"slices"
)

// knowledge is the number of progresses that are kept at a time while passages that follow from others are looked for.
const knowledge = 8 << 20

// reduced returns the passages, given in order of At, that do not follow from others: i
// beyond s means that k reached v, k went beyond some s' before v, and there j has reached
// enough.
//
// What is known of one robot does not depend on what is known of another: so many robots are looked at
// together as there is room for, with each wait of everybody remembered. The error is that of the context.
func reduced(ctx context.Context, all []Passage, robots int) ([]Passage, error) {
	return reducedWithin(ctx, all, robots, knowledge)
}

func reducedWithin(ctx context.Context, all []Passage, robots, room int) (out []Passage, err error) {
	h := newHistory(all, robots)
	needed := make([]bool, len(all))
	for from, each := 0, max(1, room/max(1, len(h.moments))); from < robots; from += each {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		h.mark(needed, from, min(from+each, robots))
	}
	for k, p := range all {
		if needed[k] {
			out = append(out, p)
		}
	}
	return out, nil
}

// moment is where a robot waits, for one robot or for several.
type moment struct {
	from, to int32 // of the passages
	before   int32 // the moment of the same robot before, -1 for none
}

// history links passages to moments before them.
type history struct {
	all     []Passage
	moments []moment
	implies []int32   // by passage: the last moment that the robot waited for has behind it by then, -1 for none
	reached []float64 // at least, by moment and robot of those at hand
}

func newHistory(all []Passage, robots int) *history {
	h := &history{all: all, implies: make([]int32, len(all))}
	past := make([][]int32, robots) // moments of each robot
	for from := 0; from < len(all); {
		i, at := all[from].Robot, all[from].At
		to := from
		for ; to < len(all) && all[to].Robot == i && all[to].At == at; to++ {
			h.implies[to] = h.last(past[all[to].After], all[to].Reached)
		}
		m := moment{int32(from), int32(to), h.last(past[i], at)}
		past[i] = append(past[i], int32(len(h.moments)))
		h.moments = append(h.moments, m)
		from = to
	}
	return h
}

// last returns the last of some moments that a robot went beyond to reach a progress.
func (h *history) last(past []int32, reached float64) int32 {
	n, _ := slices.BinarySearchFunc(past, reached, func(m int32, r float64) int {
		if h.all[h.moments[m].from].At < r {
			return -1
		}
		return 1
	})
	if n == 0 {
		return -1
	}
	return past[n-1]
}

// mark marks the passages after the robots at hand, from one up to another, that do not follow from others.
func (h *history) mark(needed []bool, from, to int) {
	n := to - from
	if need := n * len(h.moments); cap(h.reached) < need {
		h.reached = make([]float64, need)
	}
	row := func(m int32) []float64 { return h.reached[int(m)*n:][:n] }
	for k, m := range h.moments {
		now := row(int32(k))
		clear(now)
		if m.before >= 0 {
			copy(now, row(m.before))
		}
		for p := m.from; p < m.to; p++ { // what follows from where the others are
			if before := h.implies[p]; before >= 0 {
				for i, r := range row(before) {
					now[i] = max(now[i], r)
				}
			}
		}
		for p := m.from; p < m.to; p++ {
			if j := h.all[p].After - from; j >= 0 && j < n {
				needed[p] = now[j] < h.all[p].Reached
			}
		}
		for p := m.from; p < m.to; p++ {
			if j := h.all[p].After - from; j >= 0 && j < n {
				now[j] = max(now[j], h.all[p].Reached)
			}
		}
	}
}
