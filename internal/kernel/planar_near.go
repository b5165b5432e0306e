package kernel

// Minimal filtering with few weights: their transforms are written once, and a task transforms
// the pixels of some tiles, multiplies and writes the result. What it writes on the way never
// leaves the second-level cache.
const (
	nearWeights = 1 << 20  // most elements of the transforms of all weights
	nearPixels  = 12 << 14 // elements of the transformed pixels of a task
	nearTiles   = 36       // most tiles of a task
	nearPanels  = 2        // whose products are there at a time
)

// planarNear is a convolution by minimal filtering under way whose transformed weights are near.
type planarNear struct {
	planarShared
	size int // tiles of a task
}

// near reports whether the transforms of all weights are few. Either way gives the same bits.
func (p *planar) near() bool {
	return planarPoints*p.src.Channels*Round(p.dst.Channels, stripWidth()) <= nearWeights
}

// run computes all tiles.
func (p *planarNear) run(c *Crew) {
	panels := (p.dst.Channels + stripWidth() - 1) / stripWidth()
	p.alloc(c, panels)
	p.transformWeights(c, 0, panels)
	tiles := p.dst.N * p.perImage
	most := min(nearTiles, max(TileRows, nearPixels/(planarPoints*p.src.Channels)))
	p.size = split(tiles, Round((tiles+most-1)/most, c.Size()), TileRows/3)
	share(c, (tiles+p.size-1)/p.size, *p, func(p *planarNear, task int, h *Hand) {
		first := task * p.size
		p.task(h, first, min(p.size, p.dst.N*p.perImage-first))
	})
}

// task computes n tiles from the given one on.
func (p *planarNear) task(h *Hand, first, n int) {
	width, channels := stripWidth(), p.src.Channels
	panels := (p.dst.Channels + width - 1) / width
	plane := n*channels + planarGrain
	pixels, run := h.Floats(planarPoints*plane), h.planarRun()
	from := p.planar
	from.plane = plane
	for t := range n {
		from.evaluate(first+t, pixels[t*channels:], run)
	}
	x := p.newProducts(h, n, min(panels, nearPanels))
	mark := h.memory.used
	for panel := 0; panel < panels; panel += nearPanels {
		h.memory.used = mark
		count := min(nearPanels, panels-panel)
		cols := min(count*width, p.dst.Channels-panel*width)
		x.multiply(pixels, plane, panel, count, cols)
		p.finish(h, first, n, panel*width, cols, x.data, x.stride, x.plane)
	}
}
