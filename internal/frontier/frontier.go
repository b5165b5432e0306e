// Package frontier holds what a search has yet to go on from, the most promising first.
package frontier

import "container/heap"

// Queue is what a search has come to and not gone on from. The zero value is empty.
type Queue[T any] struct{ heap entries[T] }

// Push adds something of some cost.
func (q *Queue[T]) Push(x T, cost float64) { heap.Push(&q.heap, entry[T]{x, cost}) }

// Pop removes what costs least, and returns it with its cost; false where nothing is left. Which
// of equals comes first depends on the order of calls alone.
func (q *Queue[T]) Pop() (x T, cost float64, ok bool) {
	if len(q.heap) == 0 {
		return x, 0, false
	}
	e := heap.Pop(&q.heap).(entry[T])
	return e.x, e.cost, true
}

type entry[T any] struct {
	x    T
	cost float64
}

// entries implement [heap.Interface].
type entries[T any] []entry[T]

func (h entries[T]) Len() int           { return len(h) }
func (h entries[T]) Less(i, j int) bool { return h[i].cost < h[j].cost }
func (h entries[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *entries[T]) Push(x any)        { *h = append(*h, x.(entry[T])) }
func (h *entries[T]) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = entry[T]{} // keeps nothing alive
	*h = (*h)[:last]
	return x
}
