package kernel

import "unsafe"

// Convolutions of 3×3 taps with stride 1 by minimal filtering in two dimensions: 4×4
// pixels of the result take 36 products of transformed pixels and weights instead of
// 144 (Winograd, 1980; Lavin and Gray, 2016). Rows and columns are evaluated at the
// points 0, ±5/8, ±3/2 and ∞: powers of these need few bits, and the error is half as
// large as with 0, ±1, ±2 and ∞.
const (
	planarRows   = 4
	planarSide   = planarRows + 2          // points of a row or column
	planarPoints = planarSide * planarSide // products for a tile
	planarGrain  = 16                      // divides the channels of the argument
)

// planarA, planarB are the points, and what follows from them.
const (
	planarA, planarB   = 5. / 8, 3. / 2
	planarA2, planarB2 = planarA * planarA, planarB * planarB
	planarA3, planarB3 = planarA2 * planarA, planarB2 * planarB
	planarSum          = planarA2 + planarB2
	planarProduct      = planarA2 * planarB2
	// What the transform of the pixels leaves out: the product of the distances of a
	// point to the others.
	planarNearA = 2 * planarA2 * (planarA2 - planarB2)
	planarNearB = 2 * planarB2 * (planarB2 - planarA2)
)

// planar is a convolution by minimal filtering under way.
type planar struct {
	conv       Conv
	dst, src   Images
	transposed bool // from output to input channels, with the taps turned round
	before     int
	double     bool
	bias       []float32
	add        bool
	then       Then

	across, perImage int       // tiles of a row and of an image
	nothing          []float32 // a pixel of zeros
	pixels           []float32 // transformed: points × tiles × channels
	plane            int       // elements from one point to the next
}

// minimal reports whether the convolution, or its pullback, of images like src is computed
// by minimal filtering: where that takes fewer products than the taps that meet the image.
// It does not depend on how many images there are.
func (v *Conv) minimal(dst, src Images, transposed bool) bool {
	if !v.Minimal || v.Size != 3 || v.Stride != 1 || src.Channels%planarGrain != 0 {
		return false
	}
	p := planar{dst: dst}
	p.tile()
	src.Height, src.Width = v.enlarged(src.Height, src.Width)
	return planarPoints*p.perImage < v.meetingCount(dst.Height, src.Height, transposed)*v.meetingCount(dst.Width, src.Width, transposed)
}

// run computes the convolution in one of four ways, which give the same bits but for matrix tiles.
func (p *planar) run(c *Crew) {
	defer c.done()
	p.tile()
	switch {
	case p.onTiles():
		own(c, planarOnTiles{planar: *p}).run(c)
	case p.near():
		own(c, planarNear{planarShared: planarShared{planar: *p}}).run(c)
	case p.far():
		own(c, newFar(*p)).run(c)
	default:
		p.few(c)
	}
}

// tile counts the tiles of the result.
func (p *planar) tile() {
	p.across = (p.dst.Width + planarRows - 1) / planarRows
	p.perImage = (p.dst.Height + planarRows - 1) / planarRows * p.across
}

// transformPixels writes the transforms of the pixels of n tiles.
func (p *planar) transformPixels(c *Crew, first, n int) {
	const group = 8
	share(c, (n+group-1)/group, tileRange{*p, first, n}, func(r *tileRange, task int, h *Hand) {
		run := h.planarRun()
		for t := task * group; t < min((task+1)*group, r.n); t++ {
			r.evaluate(r.first+t, r.pixels[t*r.src.Channels:], run)
		}
	})
}

// tileRange is n tiles from the first on.
type tileRange struct {
	planar
	first, n int
}

// finish writes the pixels of n tiles from their products at the points: rows of stride
// elements.
func (p *planar) finish(h *Hand, first, n, column, cols int, products []float32, stride, plane int) {
	run, outside := h.planarRun(), h.Floats(stride)
	if cols%min(planarGrain, stride) != 0 {
		outside = h.Floats(planarRows * planarRows * stride)
	}
	bias := h.Floats(stride)
	clear(bias)
	if p.bias != nil {
		copy(bias, p.bias[column:][:cols])
	}
	for t := range n {
		if t+1 < n && planarPoints*plane > fetchMost && active != Portable { // what follows is far away
			for point := range planarPoints {
				fetchRow(products[point*plane+(t+1)*stride:][:cols])
			}
		}
		p.combine(run, first+t, column, cols, products[t*stride:], plane, bias, outside)
	}
}

// weights writes the transform of the weights of n channels to one panel for every
// point.
func (p *planar) weights(h *Hand, dst []float32, plane, column, k, n int) {
	const taps = 9
	width := stripWidth()
	panel, half := h.Floats((taps*n+transposeSpare)*width), h.Floats(planarPoints*planarGrain)
	p.conv.packTaps(panel, h, p.transposed, column, k, n)
	transformWeights(dst, plane, panel, width, n, p.transposed, half)
}

// origin returns image, row and column of the first pixel of a tile in the result.
func (p *planar) origin(tile int) (image, y, x int) {
	i := tile % p.perImage
	return tile / p.perImage, i / p.across * planarRows, i % p.across * planarRows
}

// evaluate writes the transform of the pixels that a tile takes.
func (p *planar) evaluate(tile int, dst []float32, r *planarRun) {
	image, y, x := p.origin(tile)
	for v := range planarSide {
		p.line((*[planarSide]*float32)(r.at[v*planarSide:]), image, y+v-p.before, x-p.before)
	}
	r.transformPixels(dst, p.plane, p.src.Channels)
}

// line fills in the pixels of a row of the argument, enlarged if it is to be, from column x
// on: zeros outside.
func (p *planar) line(at *[planarSide]*float32, image, y, x int) {
	g, scale := &p.src, 1
	height, width := g.Height, g.Width
	if p.double {
		scale = 2
		height, width = p.conv.enlarged(height, width)
	}
	if y < 0 || y >= height {
		for i := range at {
			at[i] = &p.nothing[0]
		}
		return
	}
	row := g.Data[(image*g.Height+y/scale)*g.Width*g.Pixel:]
	_ = row[(g.Width-1)*g.Pixel+g.Channels-1]
	if scale == 1 && x >= 0 && x+planarSide <= width { // nearly all
		first := unsafe.Pointer(&row[x*g.Pixel])
		for i := range at {
			at[i] = (*float32)(unsafe.Add(first, 4*i*g.Pixel))
		}
		return
	}
	for i := range at {
		if u := x + i; u < 0 || u >= width {
			at[i] = &p.nothing[0]
		} else {
			at[i] = &row[u/scale*g.Pixel]
		}
	}
}

// combine writes the pixels of a tile from the products at the points.
func (p *planar) combine(r *planarRun, tile, column, cols int, src []float32, plane int, bias, outside []float32) {
	whole := Round(cols, min(planarGrain, stripWidth()))
	plus := p.then.Plus.Data != nil
	p.place(r.tile(), &p.dst, tile, column, cols)
	switch {
	case plus:
		p.place(r.others(), &p.then.Plus, tile, column, cols)
	case p.add:
		*r.others() = *r.tile()
	}
	if cols != whole || r.tile()[len(tilePixels{})-1] == nil {
		r.redirect(plus || p.add, cols, whole, outside)
	}
	r.transformProducts(plus || p.add, src, plane, bias, whole, p.then.least())
	if cols != whole {
		p.place(r.tile(), &p.dst, tile, column, cols)
		for i, pixel := range r.tile() {
			copy(view(pixel, cols), outside[i*whole:])
		}
	}
}

// redirect sends pixels beyond the image to outside; where the columns end within a vector, all
// of them, on their way to the image.
func (r *planarRun) redirect(others bool, cols, whole int, outside []float32) {
	at, plus := r.tile(), r.others()
	if !others {
		*plus = tilePixels{}
	}
	for i := range at {
		switch {
		case cols != whole:
			copy(outside[i*whole:][:cols], view(plus[i], cols))
			at[i], plus[i] = &outside[i*whole], &outside[i*whole]
		case at[i] == nil:
			at[i], plus[i] = &outside[0], &outside[0]
		}
	}
}

// place writes some columns of the pixels of a tile of the result, or of images like it:
// nil beyond them, so that the last is nil where any is. Images of one pixel have it for all, and
// one image is for all.
func (p *planar) place(at *tilePixels, g *Images, tile, column, cols int) {
	image, y, x := p.origin(tile)
	if g.N == 1 {
		image = 0
	}
	first, right, down := (image*g.Height+y)*g.Width+x, g.Pixel, g.Width*g.Pixel
	if g.pixels() == 1 {
		first, right, down = image, 0, 0
	}
	height, width := min(planarRows, p.dst.Height-y), min(planarRows, p.dst.Width-x)
	pixels := g.Data[first*g.Pixel+column:][:(height-1)*down+(width-1)*right+cols]
	if height < planarRows || width < planarRows {
		*at = tilePixels{}
	}
	for v := range height {
		row := unsafe.Pointer(&pixels[v*down])
		for u := range width {
			at[v*planarRows+u] = (*float32)(unsafe.Add(row, 4*u*right))
		}
	}
}

// view returns n elements from a pointer on, and none from nil.
func view(p *float32, n int) []float32 {
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, n)
}
