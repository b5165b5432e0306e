package kernel

// Pullback writes the gradients with respect to queries, keys and values, from that with
// respect to the result dst and the logs of [Attention.Forward]. The scores are computed
// again: once where there is a task for every head, and otherwise by the tasks of the
// queries and by those of the keys. dk and dv may have no data: then only dq is written.
func (a Attention) Pullback(c *Crew, dq, dk, dv, dDst, dst, q, k, v Sequences, logs []float32) {
	a.check([]Sequences{q, dst, dDst, dq}, []Sequences{k, v})
	if dk.Data != nil {
		a.check([]Sequences{q}, []Sequences{k, dk, dv})
	}
	defer c.done()
	sums := c.floats(q.N * a.Heads * q.length())
	g := attentionGradient{a, dDst, dst, q, k, v, dq, dk, dv, logs, sums}
	share(c, (q.Rows+attentionQueries-1)/attentionQueries, g, (*attentionGradient).products)
	if dk.Data != nil && q.N*a.Heads >= 2*c.Size() { // the same sums, with the scores computed once
		share(c, q.N*a.Heads, g, (*attentionGradient).wholeHead)
		return
	}
	share(c, q.N*a.Heads*q.blocks(), g, func(g *attentionGradient, task int, h *Hand) {
		s, blocks := task/g.q.blocks(), g.q.blocks()
		g.queries(h, s/g.Heads, s%g.Heads, task%blocks*attentionQueries)
	})
	if dk.Data == nil {
		return
	}
	g.dq = Sequences{}
	share(c, k.N*a.Heads*g.blocksOfKeys(), g, func(g *attentionGradient, task int, h *Hand) {
		s, keys := task/g.blocksOfKeys(), g.blocksOfKeys()
		g.keys(h, s/g.Heads, s%g.Heads, task%keys*attentionKeys)
	})
}

// products writes gradient times result, summed over every head, of some rows.
func (g *attentionGradient) products(task int, _ *Hand) {
	from := task * attentionQueries
	for i := from; i < min(from+attentionQueries, g.q.Rows); i++ {
		for head := range g.Heads {
			at := head * g.Width
			g.sums[g.query(i/g.q.length(), head, i%g.q.length())] = dot(g.dDst.row(i)[at:at+g.Width], g.dst.row(i)[at:at+g.Width])
		}
	}
}

// wholeHead writes all gradients of one head of a sequence.
func (g *attentionGradient) wholeHead(s int, h *Hand) {
	for block := range g.blocksOfKeys() {
		g.keys(h, s/g.Heads, s%g.Heads, block*attentionKeys)
	}
}

func (g *attentionGradient) blocksOfKeys() int {
	return (g.k.length() + attentionKeys - 1) / attentionKeys
}

// attentionGradient is a pullback under way.
type attentionGradient struct {
	Attention
	dDst, dst, q, k, v Sequences
	dq, dk, dv         Sequences
	logs               []float32 // log Σ exp of the scores of every query
	sums               []float32 // gradient times result, summed over a head, for every query
}

func (g *attentionGradient) query(i, head, query int) int {
	return (i*g.Heads+head)*g.q.length() + query
}

// gradBlock is a block of scores with the gradients of its weights.
type gradBlock struct {
	*scores
	g          *attentionGradient
	dOut       Matrix
	d          []float32 // gradients of the weights, then of the scores: rows like s
	cotangents strip     // dOut as left rows
	logs, sums []float32
}

func (g *attentionGradient) block(h *Hand, i, head, first, n int) *gradBlock {
	b := &h.grad
	*b = gradBlock{scores: newScores(&g.Attention, h, g.q.of(&g.Attention, i, head, first, n), first, g.onTiles(g.q, g.k)), g: g}
	b.dOut = g.dDst.of(&g.Attention, i, head, first, n)
	b.d = h.Floats(n*attentionKeys + TileRows)
	b.s = h.Floats(n*attentionKeys + TileRows)
	b.cotangents = b.leftRows(b.dOut.Data, h.denseRows(n, b.dOut.Stride), &h.cotangents)
	at := g.query(i, head, first)
	b.logs, b.sums = g.logs[at:at+n], g.sums[at:at+n]
	return b
}

// weigh computes the weights and the gradients of the scores for a block of keys.
func (b *gradBlock) weigh(k, v Matrix, key int) {
	b.score(k, key)
	b.times(b.d, b.cotangents, v)
	for i := range b.q.Rows {
		s, d := b.s[i*attentionKeys:][:b.cols], b.d[i*attentionKeys:][:b.cols]
		seen := b.seen(i, key)
		clear(s[seen:])
		clear(d[seen:])
		softmaxSlope(s[:seen], d[:seen], b.Scale, b.logs[i], b.sums[i])
	}
}

// queries writes the gradients of a block of queries.
func (g *attentionGradient) queries(h *Hand, i, head, first int) {
	n := min(attentionQueries, g.q.length()-first)
	b := g.block(h, i, head, first, n)
	out := g.dq.of(&g.Attention, i, head, first, n)
	all := b.keys(g.k.length())
	for key := 0; key < all; key += attentionKeys {
		count := min(attentionKeys, all-key)
		k := g.k.of(&g.Attention, i, head, key, count)
		b.weigh(k, g.v.of(&g.Attention, i, head, key, count), key)
		b.towardsQueries(out, k, key)
	}
}

// towardsQueries adds what a block of keys contributes to the gradients of the queries.
func (b *gradBlock) towardsQueries(out, k Matrix, key int) {
	b.s, b.d = b.d, b.s
	b.combine(out.Data, b.h.denseRows(out.Rows, out.Stride), k, key > 0)
	b.s, b.d = b.d, b.s
}

// keys writes the gradients of a block of keys and values, summed over the queries in
// their order. With dq it also adds what the block contributes to those of the queries.
func (g *attentionGradient) keys(h *Hand, i, head, key int) {
	count := min(attentionKeys, g.k.length()-key)
	k, v := g.k.of(&g.Attention, i, head, key, count), g.v.of(&g.Attention, i, head, key, count)
	rows, width := Round(count, TileRows), g.Width
	outset := h.memory.used
	defer func() { h.memory.used = outset }()
	sumK, sumV := h.Floats(rows*width), h.Floats(rows*width)
	start := 0
	if g.Causal {
		start = key / attentionQueries * attentionQueries
	}
	dense := oneEach(attentionKeys)
	mark := h.memory.used
	for first := start; first < g.q.length(); first += attentionQueries {
		h.memory.used = mark
		n := min(attentionQueries, g.q.length()-first)
		b := g.block(h, i, head, first, n)
		b.weigh(k, v, key)
		TransposedProduct(sumV, width, count, width, b.s, dense, b.dOut.Data, oneEach(b.dOut.Stride), n, first > start)
		TransposedProduct(sumK, width, count, width, b.d, dense, b.q.Data, oneEach(b.q.Stride), n, first > start)
		if g.dq.Data != nil {
			b.towardsQueries(g.dq.of(&g.Attention, i, head, first, n), k, key)
		}
	}
	outK, outV := g.dk.of(&g.Attention, i, head, key, count), g.dv.of(&g.Attention, i, head, key, count)
	for j := range count {
		copy(outK.row(j), sumK[j*width:])
		copy(outV.row(j), sumV[j*width:])
	}
}
