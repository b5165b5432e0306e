package kernel

// The gradient with respect to the weights of a convolution by minimal filtering is the
// transpose of the convolution: the sum over all tiles of the outer products of
// transformed pixels and transformed cotangents, for every point, is transformed to nine
// taps. As before, 4×4 pixels take 36 products instead of 144.
//
// A task has a block of input and of output channels and a part of the tiles, whose
// transforms stay in the second-level cache with the sums. How many parts there are
// depends on sizes alone, and every sum is in the order of the tiles and of the parts.
const (
	planarTaps3        = 9
	planarChannels     = 64      // most channels of a block
	planarStored       = 1 << 17 // elements of the transforms of a task
	planarLeastTiles   = 64      // of a part, which its last transform has to pay for
	planarMostParts    = 16
	planarMostPartSums = 1 << 22 // elements of the sums of all parts
)

// planarGradient is such a gradient under way. Its images have whole vectors of
// channels.
type planarGradient struct {
	planar
	parts, size int       // parts of the tiles, tiles of a part
	sums        []float32 // parts × taps × input × output channels
}

// planarLeastGain is how many pixels' direct products have to be saved before the first
// and the last transform of the sums are paid for. See BenchmarkSmallGradient.
const planarLeastGain = 48

// minimalGradient reports whether the gradient with respect to the weights is computed by
// minimal filtering, for results like dst: a tile takes the products of four pixels.
func (v *Conv) minimalGradient(dst Images) bool {
	p := planar{dst: dst}
	p.tile()
	return v.Minimal && v.Size == 3 && v.Stride == 1 && dst.N*(dst.pixels()-planarRows*p.perImage) >= planarLeastGain
}

// run computes the sums of all parts.
func (g *planarGradient) run(c *Crew) {
	v := &g.conv
	g.tile()
	tiles := g.dst.N * g.perImage
	taps := planarTaps3 * v.In * v.Out
	parts := max(1, min(planarMostParts, tiles/planarLeastTiles, planarMostPartSums/taps))
	g.size = split(tiles, parts, 1)
	g.parts = (tiles + g.size - 1) / g.size
	g.src, g.dst = c.wholeVectors(g.src), c.wholeVectors(g.dst)
	g.nothing, g.sums = c.floats(max(g.src.Channels, g.dst.Channels)), c.floats(g.parts*taps)
	clear(g.nothing)
	k, n := g.blocks(c)
	across := (g.dst.Channels + n - 1) / n
	share(c, g.parts*((g.src.Channels+k-1)/k)*across, gradientTasks{*g, k, n}, func(g *gradientTasks, task int, h *Hand) {
		across := (g.dst.Channels + g.n - 1) / g.n
		part, i, j := task%g.parts, task/g.parts/across*g.k, task/g.parts%across*g.n
		g.task(h, part, i, min(g.k, g.src.Channels-i), j, min(g.n, g.dst.Channels-j))
	})
}

// gradientTasks cuts a gradient into blocks of k input and n output channels.
type gradientTasks struct {
	planarGradient
	k, n int
}

// blocks returns the channels of the blocks: fewer where there would be few tasks.
func (g *planarGradient) blocks(c *Crew) (k, n int) {
	block := func(channels, most int) int { return split(channels, (channels+most-1)/most, planarGrain) }
	count := func(channels, block int) int { return (channels + block - 1) / block }
	k, n = block(g.src.Channels, planarChannels), block(g.dst.Channels, planarChannels)
	for g.parts*count(g.src.Channels, k)*count(g.dst.Channels, n) < 2*c.Size() && max(k, n) > 2*planarGrain {
		if k > n {
			k = Round(k/2, planarGrain)
		} else {
			n = Round(n/2, planarGrain)
		}
	}
	return k, n
}

// task computes the taps of k input channels from i and n output channels from j, summed
// over the tiles of a part.
func (g *planarGradient) task(h *Hand, part, i, k, j, n int) {
	tiles := max(4, planarStored/(planarPoints*(k+n)))
	x, dy := g.planar, g.planar
	x.src, x.plane = g.src.Channel(i, k), tiles*k+planarGrain
	dy.dst, dy.plane = g.dst.Channel(j, n), tiles*n+planarGrain
	pixels, cotangents := h.Floats(planarPoints*x.plane), h.Floats(planarPoints*dy.plane)
	padded, run := Round(k, TileRows), h.planarRun()
	sums := h.Floats(planarPoints * padded * n)
	end := min((part+1)*g.size, g.dst.N*g.perImage)
	for first := part * g.size; first < end; first += tiles {
		count := min(tiles, end-first)
		for t := range count {
			x.evaluate(first+t, pixels[t*k:], run)
			dy.evaluateCotangents(first+t, cotangents[t*n:], run)
		}
		for p := range planarPoints {
			TransposedProduct(sums[p*padded*n:][:padded*n], n, k, n, pixels[p*x.plane:], Dense(k),
				cotangents[p*dy.plane:], Dense(n), count, first > part*g.size)
		}
	}
	taps := h.Floats(planarTaps3 * k * n)
	run.transformTaps(taps, k*n, sums, padded*n, k*n)
	g.store(part, i, j, taps, k, n)
}

// store keeps the taps of the channels that exist.
func (g *planarGradient) store(part, i, j int, taps []float32, k, n int) {
	v := &g.conv
	for t := range planarTaps3 {
		for c := range min(k, v.In-i) {
			row := g.sums[((part*planarTaps3+t)*v.In+i+c)*v.Out+j:]
			copy(row[:min(n, v.Out-j)], taps[(t*k+c)*n:])
		}
	}
}

// evaluateCotangents writes the transform of the cotangents of a tile.
func (p *planar) evaluateCotangents(tile int, dst []float32, r *planarRun) {
	image, y, x := p.origin(tile)
	at := r.tile()
	for i := range at {
		at[i] = &p.nothing[0]
	}
	for v := range min(planarRows, p.dst.Height-y) {
		row := p.dst.Data[((image*p.dst.Height+y+v)*p.dst.Width+x)*p.dst.Pixel:]
		for u := range min(planarRows, p.dst.Width-x) {
			at[v*planarRows+u] = &row[u*p.dst.Pixel : u*p.dst.Pixel+p.dst.Channels][0]
		}
	}
	r.transformCotangents(dst, p.plane, p.dst.Channels)
}

// widened are images with more channels than they come from.
type widened struct {
	to   Images
	from Matrix
}

// wholeVectors returns images with a multiple of [planarGrain] channels, of which those
// that are added are zero.
func (c *Crew) wholeVectors(g Images) Images {
	channels := Round(g.Channels, planarGrain)
	if channels == g.Channels {
		return g
	}
	to, from := g, g.Matrix()
	to.Channels, to.Pixel = channels, channels
	to.Data = c.floats(from.Rows * channels)
	const rows = 1024
	share(c, (from.Rows+rows-1)/rows, widened{to, from}, func(w *widened, task int, _ *Hand) {
		for i := task * rows; i < min((task+1)*rows, w.from.Rows); i++ {
			pixel := w.to.Data[i*w.to.Channels:][:w.to.Channels]
			clear(pixel[copy(pixel, w.from.row(i)):])
		}
	})
	return to
}
