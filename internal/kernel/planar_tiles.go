package kernel

// Minimal filtering on matrix tiles. There the products take so little that what counts is
// how often numbers come from beyond the second-level cache, and how often they are
// transformed and taken apart: pixels once for a round of tiles, weights once for the rounds
// or, where they are many, once for each. A task then takes the products of some tiles and
// panels, point after point.
const (
	planarLeft   = 12 << 20 // elements of the pixels of a round, in pieces
	planarRight  = 12 << 20 // elements of the weights at a time, in pieces
	planarHeight = 256      // most tiles of a task
	planarWidth  = 8        // most panels of a task
)

// planarOnTiles is a convolution by minimal filtering under way, on matrix tiles.
type planarOnTiles struct {
	planar
	chunks []chunk // of the channels
	blocks int     // of all chunks
	left   []float32
	rows   int // tiles of a round, in whole blocks
	right  []float32
}

// onTiles reports whether the products go to matrix tiles: where an image has tiles enough to
// pay for the pieces of the weights, which are written to memory and read again, and where
// there are channels enough to pay for those of the pixels. It does not depend on how many
// images there are.
func (p *planar) onTiles() bool {
	const tiles, weights = 128, 1 << 14
	return splittable(p.src.Channels, p.dst.Channels) && p.perImage >= tiles && p.src.Channels*p.dst.Channels >= weights
}

// run computes all rounds.
func (p *planarOnTiles) run(c *Crew) {
	s := strip{k: p.src.Channels}
	p.chunks = c.chunks.list(p.src.Channels/splitDepth + 1)[:0]
	for i := s.first(); i.segments > 0; i = s.next(i) {
		p.chunks = append(p.chunks, i)
		p.blocks += splitBlocks(i.n)
	}
	tiles := p.dst.N * p.perImage
	p.rows = Round(min(tiles, max(planarHeight, planarLeft/(planarPoints*splitSize(splitHeight, p.blocks)/splitHeight))), splitHeight)
	panels := (p.dst.Channels + 31) / 32
	group := min(panels, max(planarWidth, planarRight/(planarPoints*p.blocks*rightTile)))
	p.nothing = c.floats(p.src.Channels)
	clear(p.nothing)
	p.left = c.floats(planarPoints * splitSize(p.rows, p.blocks))
	p.right = c.floats(planarPoints * group * p.blocks * rightTile)
	for first := 0; first < tiles; first += p.rows {
		n := min(p.rows, tiles-first)
		p.pixels(c, first, n)
		for panel := 0; panel < panels; panel += group {
			count := min(group, panels-panel)
			if first == 0 || group < panels {
				p.weights(c, panel, count)
			}
			p.products(c, first, n, panel, count)
		}
	}
}

// pixels writes the transforms of n tiles in pieces.
func (p *planarOnTiles) pixels(c *Crew, first, n int) {
	const group = 16
	share(c, (n+group-1)/group, tilesRound{p, first, n, 0, 0, 0, 0}, func(r *tilesRound, task int, h *Hand) {
		p, from, first := r.planarOnTiles, task*group, r.first
		count := min(group, r.n-from)
		run := h.planarRun()
		mark := h.memory.used
		for i, k := range p.chunks {
			h.memory.used = mark
			x := p.planar
			x.src, x.plane = p.src.Channel(k.k, k.n), group*k.n+planarGrain
			planes := h.Floats(planarPoints * x.plane)
			for t := range count {
				x.evaluate(first+from+t, planes[t*k.n:], run)
			}
			rows, ahead := h.denseRows(count, k.n), splitSize(p.rows, p.blocks)
			for point := range planarPoints {
				splitLeft(p.leftOf(point, i, from), planes[point*x.plane:], rows, k.n, splitBlocks(k.n), ahead)
			}
		}
	})
}

// leftOf returns the pieces of the pixels at a point, of a chunk, from a tile on.
func (p *planarOnTiles) leftOf(point, chunk, tile int) []float32 {
	at := point * p.blocks
	for _, k := range p.chunks[:chunk] {
		at += splitBlocks(k.n)
	}
	return p.left[splitSize(p.rows, at)+tile/16*splitBlocks(p.chunks[chunk].n)*leftTile:]
}

// rightOf returns the pieces of the weights at a point, of a chunk, for a panel.
func (p *planarOnTiles) rightOf(point, chunk, panel int) []float32 {
	at := (panel*planarPoints + point) * p.blocks
	for _, k := range p.chunks[:chunk] {
		at += splitBlocks(k.n)
	}
	return p.right[at*rightTile:]
}

// weights writes the transforms of the weights of some panels in pieces.
func (p *planarOnTiles) weights(c *Crew, panel, count int) {
	share(c, count*len(p.chunks), tilesRound{p, 0, 0, panel, count, 0, 0}, func(r *tilesRound, task int, h *Hand) {
		p, panel := r.planarOnTiles, r.panel
		i, j := task%len(p.chunks), task/len(p.chunks)
		k := p.chunks[i]
		rows := splitBlocks(k.n) * splitDepth
		plane := rows*32 + planarGrain
		planes := h.Floats(planarPoints * plane)
		p.planar.weights(h, planes, plane, (panel+j)*32, k.k, k.n)
		for point := range planarPoints {
			clear(planes[point*plane+k.n*32:][:(rows-k.n)*32])
			splitPanel(p.rightOf(point, i, j), planes[point*plane:], splitBlocks(k.n))
		}
	})
}

// products computes n tiles of the round that starts with tile first, in some panels.
func (p *planarOnTiles) products(c *Crew, first, n, panel, count int) {
	width := split(count, (count+planarWidth-1)/planarWidth, 1)
	across := (count + width - 1) / width
	height := split(n, max((n+planarHeight-1)/planarHeight, (2*c.Size()+across-1)/across), splitHeight)
	share(c, (n+height-1)/height*across, tilesRound{p, first, n, panel, count, height, width}, func(r *tilesRound, task int, h *Hand) {
		across := (r.count + r.width - 1) / r.width
		from, j := task/across*r.height, task%across*r.width
		r.task(h, r.first, from, min(r.height, r.n-from), r.panel, j, min(r.width, r.count-j))
	})
}

// tilesRound is a round of n tiles with the weights of some panels.
type tilesRound struct {
	*planarOnTiles
	first, n, panel, count int
	height, width          int // most tiles and panels of a task
}

// task computes n tiles from the given one of the round on, in the panels j ... j+count-1
// of those whose weights there are.
func (p *planarOnTiles) task(h *Hand, first, from, n, panel, j, count int) {
	column := (panel + j) * 32
	cols := min(count*32, p.dst.Channels-column)
	stride := count * 32
	plane := n*stride + planarGrain
	products := h.Floats(planarPoints * plane)
	rows := h.denseRows(n, stride)
	scratch := h.Floats(splitHeight * 32)
	t := tileRun{bias: &zeros[0], scratch: &scratch[0], config: &tileConfig, to: &rows[0]}
	t.mask, _ = columnMasks(AVX512, 32)
	for point := range planarPoints {
		for i, k := range p.chunks {
			t.left, t.blocks, t.add = &p.leftOf(point, i, from)[0], splitBlocks(k.n), min(i, 1)
			for q := range count {
				t.dst, t.rows, t.right = &products[point*plane+q*32], n, &p.rightOf(point, i, j+q)[0]
				p.fetch(&t, point, i, from, j, q, count)
				runTiles(&t)
			}
		}
	}
	p.finish(h, first+from, n, column, cols, products, stride, plane)
}

// fetch has the weights of the next call fetched, and a part of the pixels of the next chunk.
func (p *planarOnTiles) fetch(t *tileRun, point, i, from, j, q, count int) {
	next, chunk := point, i+1
	if chunk == len(p.chunks) {
		next, chunk = point+1, 0
	}
	if next < planarPoints {
		left := splitSize(t.rows, splitBlocks(p.chunks[chunk].n)) / count
		t.fetch(0, p.leftOf(next, chunk, from)[q*left:], left)
	}
	if q++; q == count {
		q, point, i = 0, next, chunk
	}
	if point < planarPoints {
		t.fetch(1, p.rightOf(point, i, j+q), splitBlocks(p.chunks[i].n)*rightTile)
	}
}
