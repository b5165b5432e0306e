package kernel

// Minimal filtering whose transformed weights are written once and read by all tasks. A task
// multiplies some tiles by some panels, point after point: the pixels of a point come from
// far away for the first panel alone, and what the next product takes is fetched during this one.

// planarShared is a convolution by minimal filtering under way whose tasks share the transforms of
// the weights of some panels.
type planarShared struct {
	planar
	weights []float32 // panels × points × channels × columns
	row     int       // elements from one point to the next
}

// alloc makes room for the transforms of the weights of some panels.
func (p *planarShared) alloc(c *Crew, panels int) {
	p.row = p.src.Channels*stripWidth() + planarGrain
	p.nothing, p.weights = c.floats(p.src.Channels), c.floats(panels*planarPoints*p.row)
	clear(p.nothing)
}

// transformWeights writes the transforms of the weights of some panels.
func (p *planarShared) transformWeights(c *Crew, panel, count int) {
	block := min(planarK, split(p.src.Channels, (2*c.Size()+count-1)/count, planarGrain))
	blocks := (p.src.Channels + block - 1) / block
	share(c, count*blocks, sharedBlocks{p, panel, block, blocks}, func(b *sharedBlocks, task int, h *Hand) {
		width, i, k := stripWidth(), task/b.blocks, task%b.blocks*b.block
		b.planar.weights(h, b.weights[i*planarPoints*b.row+k*width:], b.row, (b.panel+i)*width, k, min(b.block, b.src.Channels-k))
	})
}

// sharedBlocks cuts the weights of some panels into blocks of channels.
type sharedBlocks struct {
	*planarShared
	panel, block, blocks int
}

// products are those of n tiles with some panels: left to right of the point that is their
// turn.
type products struct {
	*planarShared
	n, stride, plane int       // tiles, elements from one of them and from one point to the next
	data             []float32 // points × tiles × columns of panels
	s                strip
}

// newProducts returns the memory of the products of n tiles with up to the given number of panels.
func (p *planarShared) newProducts(h *Hand, n, panels int) products {
	stride := panels * stripWidth()
	plane := n*stride + planarGrain
	return products{p, n, stride, plane, h.Floats(planarPoints * plane),
		strip{k: p.src.Channels, to: h.denseRows(n, stride), from: h.denseRows(n, p.src.Channels), bias: zeros[:]}}
}

// multiply computes the products of transformed pixels, whose points are plane elements apart, with
// some panels, of which there are cols columns in the result. The weights of the first panel come first.
func (x *products) multiply(pixels []float32, plane int, panel, count, cols int) {
	width, size := stripWidth(), x.n*x.src.Channels
	for i := range planarPoints {
		x.s.a = pixels[i*plane:]
		for q := range count {
			x.s.panel, x.s.dst = x.panel(i, panel+q), x.data[i*x.plane+q*width:]
			x.s.cols = min(width, Round(cols-q*width, min(planarGrain, width)))
			switch {
			case q+1 < count:
				x.s.ahead[0] = x.panel(i, panel+q+1)
			case i+1 < planarPoints:
				x.s.ahead[0] = x.panel(i+1, panel)
			}
			if part := size / count; i+1 < planarPoints {
				x.s.ahead[1] = pixels[(i+1)*plane+q*part:][:part]
			}
			x.s.run()
		}
	}
}

// panel returns the transformed weights of a panel at a point.
func (p *planarShared) panel(point, panel int) []float32 {
	return p.weights[(panel*planarPoints+point)*p.row:][:p.src.Channels*stripWidth()]
}
