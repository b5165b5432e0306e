package route

// queued is a state that waits to be looked at.
type queued struct {
	estimate float64
	state    int
}

// before orders states by estimate, later ones first among equals.
func (q queued) before(o queued) bool {
	return q.estimate < o.estimate || q.estimate == o.estimate && q.state > o.state
}

// stateQueue is a binary heap of states.
type stateQueue []queued

func (q *stateQueue) push(x queued) {
	h := append(*q, x)
	i := len(h) - 1
	for i > 0 && x.before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = x
	*q = h
}

func (q *stateQueue) pop() queued {
	h := *q
	first, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; len(h) > 0; {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if child >= len(h) || !h[child].before(x) {
			h[i] = x
			break
		}
		h[i] = h[child]
		i = child
	}
	*q = h
	return first
}
