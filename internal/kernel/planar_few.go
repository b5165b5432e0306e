package kernel

// Minimal filtering of few tiles with many weights: each task has all tiles and a panel of channels. It
// transforms the weights of the panel, which no other task needs, a block of channels at a time, and
// multiplies while they are in the second-level cache, so that they take no memory.

const planarK = 128 // channels of a block

// few computes all tiles.
func (p *planar) few(c *Crew) {
	channels, tiles := p.src.Channels, p.dst.N*p.perImage
	p.plane = tiles*channels + planarGrain
	p.nothing, p.pixels = c.floats(channels), c.floats(planarPoints*p.plane)
	clear(p.nothing)
	p.transformPixels(c, 0, tiles)
	width := stripWidth()
	share(c, (p.dst.Channels+width-1)/width, *p, func(p *planar, task int, h *Hand) { p.multiply(h, task*stripWidth()) })
}

// multiply computes the columns of a panel.
func (p *planar) multiply(h *Hand, column int) {
	width, channels, n := stripWidth(), p.src.Channels, p.dst.N*p.perImage
	cols := min(width, p.dst.Channels-column)
	block := min(planarK, channels)
	plane, row := block*width+planarGrain, n*width+planarGrain
	weights, products := h.Floats(planarPoints*plane), h.Floats(planarPoints*row)
	s := strip{to: h.denseRows(n, width), from: h.denseRows(n, channels), cols: Round(cols, min(planarGrain, width)), bias: zeros[:]}
	mark := h.memory.used
	for k := 0; k < channels; k += block {
		s.k, s.add = min(block, channels-k), k > 0
		h.memory.used = mark
		p.weights(h, weights, plane, column, k, s.k)
		for i := range planarPoints {
			s.panel, s.a, s.dst = weights[i*plane:], p.pixels[i*p.plane+k:], products[i*row:]
			s.run()
		}
	}
	h.memory.used = mark
	p.finish(h, 0, n, column, cols, products, width, row)
}
