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
		Round(ceil(farWeights, planarPoints*channels*width), farPanels)}
}

// run computes all rounds.
func (p *planarFar) run(c *Crew) {
	tiles, panels := p.dst.N*p.perImage, ceil(p.dst.Channels, stripWidth())
	rounds, groups := cut(tiles, ceil(tiles, p.round), TileRows), cut(panels, ceil(panels, p.group), farPanels)
	p.alloc(c, min(panels, p.group))
	p.plane = min(tiles, p.round)*p.src.Channels + planarGrain
	p.pixels = c.floats(planarPoints * p.plane)
	for i := range rounds.count {
		first, n := rounds.at(i)
		p.transformPixels(c, first, n)
		for j := range groups.count {
			panel, count := groups.at(j)
			if i == 0 || groups.count > 1 {
				p.transformWeights(c, panel, count)
			}
			p.products(c, first, n, panel, count)
		}
	}
}

// products computes n tiles of the round that starts with tile first, in some panels.
func (p *planarFar) products(c *Crew, first, n, panel, count int) {
	across := cut(count, ceil(count, farPanels), 1)
	down := max(ceil(n, farTiles), ceil(c.Size(), across.count))
	// A third of the highest product tile is computed without rows to spare (tile.place), and so tasks need not be whole ones.
	t := farTasks{p, first, panel, blocking{cut(n, c.even(down, across.count), TileRows/3), across}}
	share(c, t.tasks(), t, func(r *farTasks, task int, h *Hand) { r.task(h, task) })
}

// farTasks is a round of tiles with the weights of some panels, cut into tasks.
type farTasks struct {
	*planarFar
	first, panel int
	blocking
}

// task computes some tiles of the round in some of the panels whose weights there are.
func (r *farTasks) task(h *Hand, task int) {
	from, n, j, count := r.at(task)
	width := stripWidth()
	column := (r.panel + j) * width
	cols := min(count*width, r.dst.Channels-column)
	x := r.newProducts(h, n, count)
	x.multiply(r.pixels[from*r.src.Channels:], r.plane, j, count, cols)
	r.finish(h, r.first+from, n, column, cols, x.data, x.stride, x.plane)
}
