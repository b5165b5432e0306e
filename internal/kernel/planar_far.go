package kernel

// Minimal filtering of many tiles with many weights. Weights are transformed once for all tiles or, where
// they are many, once for each round of tiles, and pixels once for a round.
const (
	farPixels  = 4 << 20 // elements of the transformed pixels of a round
	farWeights = 4 << 20 // elements of the transformed weights at a time
	farTiles   = 96      // most tiles of a task
	farPanels  = 4       // most panels of a task
	farLeast   = 48      // tiles that pay for writing the weights to memory and reading them
)

// planarFar is a convolution by minimal filtering under way, of many tiles with many weights.
type planarFar struct {
	planarShared
	round, group int // most tiles and panels at a time
}

// far reports whether tiles are many. Either way gives the same bits.
func (p *planar) far() bool { return p.dst.N*p.perImage >= farLeast }

// newFar returns the convolution with as much at a time as memory is for.
func newFar(p planar) planarFar {
	channels, width := p.src.Channels, stripWidth()
	return planarFar{planarShared{planar: p}, Round(max(farTiles, farPixels/(planarPoints*channels)), farTiles),
		max(farPanels, farWeights/(planarPoints*channels*width))}
}

// run computes all rounds.
func (p *planarFar) run(c *Crew) {
	tiles, panels := p.dst.N*p.perImage, (p.dst.Channels+stripWidth()-1)/stripWidth()
	round, group := min(tiles, p.round), min(panels, p.group)
	p.alloc(c, group)
	p.plane = round*p.src.Channels + planarGrain
	p.pixels = c.floats(planarPoints * p.plane)
	for first := 0; first < tiles; first += round {
		n := min(round, tiles-first)
		p.transformPixels(c, first, n)
		for panel := 0; panel < panels; panel += group {
			count := min(group, panels-panel)
			if first == 0 || group < panels {
				p.transformWeights(c, panel, count)
			}
			p.products(c, first, n, panel, count)
		}
	}
}

// products computes n tiles of the round that starts with tile first, in some panels.
func (p *planarFar) products(c *Crew, first, n, panel, count int) {
	width := split(count, (count+farPanels-1)/farPanels, 1)
	across := (count + width - 1) / width
	height := split(n, max((n+farTiles-1)/farTiles, (2*c.Size()+across-1)/across), TileRows)
	share(c, (n+height-1)/height*across, farRound{p, first, n, panel, count, height, width}, func(r *farRound, task int, h *Hand) {
		across := (r.count + r.width - 1) / r.width
		from, j := task/across*r.height, task%across*r.width
		r.task(h, from, min(r.height, r.n-from), j, min(r.width, r.count-j))
	})
}

// farRound is a round of n tiles with the weights of some panels.
type farRound struct {
	*planarFar
	first, n, panel, count int
	height, width          int // most tiles and panels of a task
}

// task computes n tiles from the given one of the round on, in the panels j ... j+count-1
// of those whose weights there are.
func (r *farRound) task(h *Hand, from, n, j, count int) {
	width := stripWidth()
	column := (r.panel + j) * width
	cols := min(count*width, r.dst.Channels-column)
	x := r.newProducts(h, n, count)
	x.multiply(r.pixels[from*r.src.Channels:], r.plane, j, count, cols)
	r.finish(h, r.first+from, n, column, cols, x.data, x.stride, x.plane)
}
