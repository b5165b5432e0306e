package kernel

import "math"

// Attention is softmax(q kᵀ Scale) v for every head: Heads times Width channels, head
// after head. No more of the scores exist at a time than a block of queries by a block
// of keys (Dao et al., 2022).
type Attention struct {
	Heads, Width int
	Scale        float32 // of the scores; positive
	Causal       bool    // query i sees the keys 0 ... i
}

// The blocks of scores: few enough to stay in the second-level cache.
const (
	attentionQueries = 384
	attentionKeys    = 256
)

// Sequences are the rows of N sequences of the same length, one after the other, with a
// column for every channel.
type Sequences struct {
	Matrix
	N int
}

// length returns the rows of a sequence.
func (s Sequences) length() int { return s.Rows / s.N }

// of returns the rows from ... from+n-1 of one sequence for one head.
func (s Sequences) of(a *Attention, i, head, from, n int) Matrix {
	m := s.part(i*s.length()+from, n)
	m.Data, m.Cols = m.Data[head*a.Width:], a.Width
	return m
}

// Forward writes the result for the queries q, and log Σ exp of the scores of every
// query to logs, [N, Heads, queries], unless it is nil.
func (a Attention) Forward(c *Crew, dst, q, k, v Sequences, logs []float32) {
	a.check([]Sequences{q, dst}, []Sequences{k, v})
	heads := q.N * a.Heads
	blocks := cut(q.length(), c.even(q.blocks(), heads), TileRows)
	share(c, heads*blocks.count, attending{a, dst, q, k, v, logs, blocks}, (*attending).task)
}

// attending is attention under way.
type attending struct {
	Attention
	dst, q, k, v Sequences
	logs         []float32
	blocks       ranges // of the queries of a head
}

// blocks returns the blocks of queries of a sequence.
func (s Sequences) blocks() int { return (s.length() + attentionQueries - 1) / attentionQueries }

// task computes a block of queries of one head.
func (a *attending) task(task int, h *Hand) {
	s := task / a.blocks.count
	first, n := a.blocks.at(task % a.blocks.count)
	b := newScores(&a.Attention, h, a.q.of(&a.Attention, s/a.Heads, s%a.Heads, first, n), first, a.onTiles(a.q, a.k))
	out := a.dst.of(&a.Attention, s/a.Heads, s%a.Heads, first, n)
	for key := 0; key < b.keys(a.k.length()); key += attentionKeys {
		count := min(attentionKeys, b.keys(a.k.length())-key)
		b.score(a.k.of(&a.Attention, s/a.Heads, s%a.Heads, key, count), key)
		b.softmax(key)
		b.gather(a.v.of(&a.Attention, s/a.Heads, s%a.Heads, key, count), key > 0)
	}
	var l []float32
	if a.logs != nil {
		l = a.logs[s*a.q.length()+first:][:n]
	}
	b.finish(out, l)
}

// splitScores is how many scores a sequence has whose products go to matrix tiles.
const splitScores = 1 << 18

// onTiles reports whether the products go to matrix tiles, for sequences like these.
func (a *Attention) onTiles(q, k Sequences) bool {
	return splittable(a.Width, attentionKeys) && q.length()*k.length() >= splitScores
}

// check panics when the sequences do not fit: those like the queries and those like the
// keys.
func (a *Attention) check(queries, keys []Sequences) {
	q, k := queries[0], keys[0]
	for _, s := range queries {
		a.checkOne(s, q)
	}
	for _, s := range keys {
		a.checkOne(s, k)
	}
	if q.N != k.N || a.Causal && q.Rows != k.Rows || !(a.Scale > 0) {
		panic("kernel: attention of sequences that do not fit, or scores without a positive scale")
	}
}

func (a *Attention) checkOne(s, like Sequences) {
	s.Matrix.check()
	if s.Cols != a.Heads*a.Width || s.N != like.N || s.Rows != like.Rows || s.Rows%s.N != 0 {
		panic("kernel: attention of sequences of different sizes")
	}
}

// scores is a block of queries of one head with the keys that it sees.
type scores struct {
	*Attention
	h        *Hand
	q        Matrix
	queries  strip     // the queries as left rows
	first    int       // number of the first query
	tiles    bool      // products go to matrix tiles
	out      []float32 // sums of values, rows of whole panels
	max, sum []float32 // per query: largest scaled score, Σ exp
	shrink   []float32 // per query: what the last block multiplies the sums by
	s        []float32 // scores, then weights: rows of attentionKeys
	cols     int       // of s
	panel    []float32
	offsets  [3][]int // of the queries, the rows of s and those of out, in bytes
}

func newScores(a *Attention, h *Hand, q Matrix, first int, tiles bool) *scores {
	width := stripWidth()
	b := &h.scores
	*b = scores{Attention: a, h: h, q: q, first: first, tiles: tiles}
	b.out = h.Floats(q.Rows * b.outStride())
	b.max, b.sum, b.shrink = h.Floats(q.Rows), h.Floats(q.Rows), h.Floats(q.Rows)
	for i := range b.max {
		b.max[i], b.sum[i] = float32(math.Inf(-1)), 0
	}
	b.s = h.Floats(q.Rows * attentionKeys)
	b.panel = h.Floats(Round(max(a.Width, attentionKeys), splitDepth) * width)
	b.offsets = [3][]int{h.denseRows(q.Rows, q.Stride), h.denseRows(q.Rows, attentionKeys), h.denseRows(q.Rows, b.outStride())}
	b.queries = b.leftRows(q.Data, b.offsets[0], &h.queries)
	return b
}

// leftRows returns rows of a head as the left ones of products with keys or values.
func (b *scores) leftRows(data []float32, from []int, tiles *splitRows) strip {
	s := strip{a: data, from: from, panel: b.panel, k: b.Width, bias: zeros[:]}
	if b.tiles {
		s.split(b.h, tiles)
	}
	return s
}

func (b *scores) outStride() int { return Round(b.Width, 16) }

// keys returns how many of the keys any of the queries sees.
func (b *scores) keys(all int) int {
	if b.Causal {
		return min(all, b.first+b.q.Rows)
	}
	return all
}

// seen returns how many keys of the block that starts at key query i sees.
func (b *scores) seen(i, key int) int {
	if b.Causal {
		return max(0, min(b.cols, b.first+i+1-key))
	}
	return b.cols
}

// score writes q kᵀ to s.
func (b *scores) score(k Matrix, key int) {
	b.cols = k.Rows
	b.times(b.s, b.queries, k)
}

// times writes left rows times mᵀ to scores.
func (b *scores) times(dst []float32, left strip, m Matrix) {
	left.to = b.offsets[1]
	width := stripWidth()
	for n := 0; n < m.Rows; n += width {
		lanes := min(width, m.Rows-n)
		transpose(b.panel, width, m.Data[n*m.Stride:], m.Stride, lanes, m.Cols)
		left.dst, left.cols = dst[n:], lanes
		if left.left != nil {
			left.endPanel()
		}
		left.run()
	}
}

// softmax turns the scores of a block into weights relative to the largest score so far.
func (b *scores) softmax(key int) {
	whole := Round(b.cols, rowLanes)
	for i := range b.q.Rows {
		if seen := b.seen(i, key); seen < whole {
			minusInfinity(b.s[i*attentionKeys:][seen:whole])
		}
	}
	softmaxStep(b.s, attentionKeys, b.cols, b.Scale, b.max, b.sum, b.shrink)
	for i := range b.q.Rows {
		if seen := b.seen(i, key); seen < b.cols {
			clear(b.s[i*attentionKeys:][seen:b.cols])
		}
	}
}

// gather adds the weighted values to the sums.
func (b *scores) gather(v Matrix, add bool) {
	stride := b.outStride()
	if add {
		for i, f := range b.shrink {
			if f != 1 {
				row := b.out[i*stride:][:stride]
				multiply(row, row, f)
			}
		}
	}
	b.combine(b.out, b.offsets[2], v, add)
}

// combine writes s m to dst, or adds it.
func (b *scores) combine(dst []float32, to []int, m Matrix, add bool) {
	width, mark := stripWidth(), b.h.memory.used
	s := strip{a: b.s, to: to, from: b.offsets[1], panel: b.panel, k: m.Rows, bias: zeros[:], add: add}
	if b.tiles && splittable(m.Rows, m.Cols) {
		s.split(b.h, &b.h.split)
	}
	for n := 0; n < m.Cols; n += width {
		cols := min(width, m.Cols-n)
		for j := range m.Rows {
			row := b.panel[j*width : (j+1)*width]
			clear(row[copy(row, m.row(j)[n:n+cols]):])
		}
		s.dst, s.cols = dst[n:], cols
		if s.left != nil {
			s.endPanel()
		}
		s.run()
	}
	b.h.memory.used = mark
}

// finish divides by the sums of the weights.
func (b *scores) finish(dst Matrix, logs []float32) {
	for i := range dst.Rows {
		multiply(dst.row(i), b.out[i*b.outStride():][:b.Width], 1/b.sum[i])
		if logs != nil {
			logs[i] = b.max[i] + float32(math.Log(float64(b.sum[i])))
		}
	}
}
