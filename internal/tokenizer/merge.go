package tokenizer

import "container/heap"

// merge appends the tokens of a word: those of its bytes, merged in the order of the
// ranks, the first of equals first.
func (t *Tokenizer) merge(ids []int, word string) []int {
	m := merging{tokenizer: t, pieces: make([]piece, len(word))}
	for i := range len(word) {
		m.pieces[i] = piece{id: t.bytes[word[i]], previous: i - 1, next: i + 1}
	}
	m.pieces[len(word)-1].id = t.last[word[len(word)-1]]
	for i := range len(word) - 1 {
		m.propose(i)
	}
	for m.Len() > 0 {
		m.apply(heap.Pop(&m).(candidate))
	}
	for i := 0; i < len(m.pieces); i = m.pieces[i].next {
		ids = append(ids, m.pieces[i].id)
	}
	return ids
}

// piece is a token of a word on the way, in a list. A piece that was merged into the
// one before it has id -1.
type piece struct{ id, previous, next int }

// candidate is a merge that may be done, with what it was proposed for.
type candidate struct {
	rank
	at          int // of the left piece
	left, right int // tokens
}

// merging is a word with its candidates, the first in front.
type merging struct {
	tokenizer  *Tokenizer
	pieces     []piece
	candidates []candidate
}

// propose adds the merge of a piece with the one behind it, if there is one.
func (m *merging) propose(at int) {
	if at < 0 || m.pieces[at].next == len(m.pieces) {
		return
	}
	pair := [2]int{m.pieces[at].id, m.pieces[m.pieces[at].next].id}
	if r, ok := m.tokenizer.ranks[pair]; ok {
		heap.Push(m, candidate{r, at, pair[0], pair[1]})
	}
}

// apply does a merge unless one of its pieces was merged otherwise meanwhile.
func (m *merging) apply(c candidate) {
	left := &m.pieces[c.at]
	if left.id != c.left || left.next == len(m.pieces) || m.pieces[left.next].id != c.right {
		return
	}
	right := &m.pieces[left.next]
	left.id, left.next, right.id = c.id, right.next, -1
	if left.next < len(m.pieces) {
		m.pieces[left.next].previous = c.at
	}
	m.propose(left.previous)
	m.propose(c.at)
}

// Len implements [heap.Interface].
func (m *merging) Len() int { return len(m.candidates) }

// Less implements [heap.Interface].
func (m *merging) Less(i, j int) bool {
	a, b := m.candidates[i], m.candidates[j]
	if a.order != b.order {
		return a.order < b.order
	}
	return a.at < b.at
}

// Swap implements [heap.Interface].
func (m *merging) Swap(i, j int) {
	m.candidates[i], m.candidates[j] = m.candidates[j], m.candidates[i]
}

// Push implements [heap.Interface].
func (m *merging) Push(c any) { m.candidates = append(m.candidates, c.(candidate)) }

// Pop implements [heap.Interface].
func (m *merging) Pop() any {
	last := m.candidates[len(m.candidates)-1]
	m.candidates = m.candidates[:len(m.candidates)-1]
	return last
}
