package kernel

// Minimal filtering with few weights: their transforms are written once, and a task transforms
// the pixels of some tiles, multiplies and writes the result. What it writes on the way never
// leaves the second-level cache, where the rounds of [planar.round] go through the third.
const (
	nearWeights = 1 << 20  // most elements of the transforms of all weights
	nearPixels  = 12 << 14 // elements of the transformed pixels of a task
	nearTiles   = 36       // most tiles of a task
)

// planarNear is a convolution by minimal filtering under way whose transformed weights are near.
type planarNear struct {
	planar
	weights []float32 // panels × points × channels × columns
	row     int       // elements from one point to the next
	size    int       // tiles of a task
}

// near reports whether the transforms of all weights are few. Either way gives the same bits.
func (p *planar) near() bool {
	return planarPoints*p.src.Channels*Round(p.dst.Channels, stripWidth()) <= nearWeights
}

// run computes all tiles.
func (p *planarNear) run(c *Crew) {
	width, channels := stripWidth(), p.src.Channels
	panels := (p.dst.Channels + width - 1) / width
	p.row = channels*width + planarGrain
	p.nothing, p.weights = c.floats(channels), c.floats(panels*planarPoints*p.row)
	clear(p.nothing)
	p.transformWeights(c, panels)
	tiles := p.dst.N * p.perImage
	most := min(nearTiles, max(TileRows, nearPixels/(planarPoints*channels)))
	p.size = split(tiles, Round((tiles+most-1)/most, c.Size()), TileRows/3)
	share(c, (tiles+p.size-1)/p.size, *p, func(p *planarNear, task int, h *Hand) {
		first := task * p.size
		p.task(h, first, min(p.size, p.dst.N*p.perImage-first))
	})
}

// transformWeights writes the transforms of all weights.
func (p *planarNear) transformWeights(c *Crew, panels int) {
	block := min(planarK, split(p.src.Channels, (2*c.Size()+panels-1)/panels, planarGrain))
	blocks := (p.src.Channels + block - 1) / block
	share(c, panels*blocks, nearBlocks{p, block, blocks}, func(b *nearBlocks, task int, h *Hand) {
		width, panel, k := stripWidth(), task/b.blocks, task%b.blocks*b.block
		b.planar.weights(h, b.weights[panel*planarPoints*b.row+k*width:], b.row, panel*width, k, min(b.block, b.src.Channels-k))
	})
}

// nearBlocks cuts the weights into blocks of channels.
type nearBlocks struct {
	*planarNear
	block, blocks int
}

// task computes n tiles from the given one on.
func (p *planarNear) task(h *Hand, first, n int) {
	width, channels := stripWidth(), p.src.Channels
	plane, row := n*channels+planarGrain, n*width+planarGrain
	pixels, products := h.Floats(planarPoints*plane), h.Floats(planarPoints*row)
	work := h.Floats(planarPoints * planarGrain)
	x := p.planar
	x.plane = plane
	for t := range n {
		x.evaluate(first+t, pixels[t*channels:], work)
	}
	s := strip{k: channels, to: h.denseRows(n, width), from: h.denseRows(n, channels), bias: zeros[:]}
	mark := h.memory.used
	for column := 0; column < p.dst.Channels; column += width {
		h.memory.used = mark
		cols := min(width, p.dst.Channels-column)
		s.cols = Round(cols, min(planarGrain, width))
		panel := p.weights[column/width*planarPoints*p.row:]
		for i := range planarPoints {
			s.panel, s.a, s.dst = panel[i*p.row:], pixels[i*plane:], products[i*row:]
			s.run()
		}
		p.finish(h, first, n, column, cols, products, width, row)
	}
}
