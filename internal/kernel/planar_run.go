package kernel

// planarRun is the argument of the vector kernels; the generator knows its layout.
type planarRun struct {
	src, dst, work, bias *float32
	srcRow, dstRow       int     // bytes from one tap or plane to the next
	skip                 int     // bytes from the last column of a channel's taps to the next channel
	turns, count         int     // vectors of a tile or channel, channels
	least                float32 // no pixel of a result is less
	at                   [planarPoints]*float32
}

// planarOp is a transform.
type planarOp int

const (
	opPlanarWeights planarOp = iota
	opPlanarPixels
	opPlanarProducts    // sets the pixels
	opPlanarProductsAdd // adds other pixels to them
	opPlanarCotangents
	opPlanarTaps
)

// transformWeights writes the transform of the nine taps of n channels and a panel of
// columns to planes; turned, the last tap comes first.
func transformWeights(dst []float32, plane int, taps []float32, width, n int, turned bool, work []float32) {
	if active == Portable {
		portableWeights(dst, plane, taps, width, n, turned)
		return
	}
	r := planarRun{src: &taps[0], dst: &dst[0], work: &work[0], srcRow: 4 * width, dstRow: 4 * plane, skip: 4 * 8 * width,
		turns: width / (4 << active), count: n}
	if turned {
		r.src, r.srcRow = &taps[8*width], -r.srcRow
	}
	runPlanar(opPlanarWeights, &r)
}

// planarRun returns the argument of transforms, with memory to work in, until the task ends.
func (h *Hand) planarRun() *planarRun {
	h.planar = planarRun{work: &h.Floats(planarPoints * planarGrain)[0]}
	return &h.planar
}

// transformPixels writes the transform of the 6×6 pixels of r to planes.
func (r *planarRun) transformPixels(dst []float32, plane, channels int) {
	if active == Portable {
		x := views(r.at[:], channels)
		portablePixels(dst, plane, x[:], channels)
		return
	}
	r.dst, r.dstRow, r.turns = &dst[0], 4*plane, channels/(4<<active)
	runPlanar(opPlanarPixels, r)
}

// tilePixels are the pixels of a tile.
type tilePixels [planarRows * planarRows]*float32

// tile and others are the pixels of the result and what is added to them.
func (r *planarRun) tile() *tilePixels   { return (*tilePixels)(r.at[:]) }
func (r *planarRun) others() *tilePixels { return (*tilePixels)(r.at[len(tilePixels{}):]) }

// transformProducts writes the 4×4 pixels of r from the products at the points, plus the others, if there
// are any, and at least what is given.
func (r *planarRun) transformProducts(others bool, src []float32, plane int, bias []float32, cols int, least float32) {
	op := opPlanarProducts
	if others {
		op = opPlanarProductsAdd
	}
	if active == Portable {
		x, y := views(r.tile()[:], cols), [planarPoints][]float32{}
		if others {
			y = views(r.others()[:], cols)
		}
		portableProducts(x[:len(tilePixels{})], y[:len(tilePixels{})], src, plane, bias, cols, least)
		return
	}
	r.src, r.bias, r.srcRow, r.turns, r.least = &src[0], &bias[0], 4*plane, cols/(4<<active), least
	runPlanar(op, r)
}

// transformCotangents writes the transform of the 4×4 cotangents of r, in place of pixels, to planes.
func (r *planarRun) transformCotangents(dst []float32, plane, channels int) {
	if active == Portable {
		x := views(r.tile()[:], channels)
		portableCotangents(dst, plane, x[:len(tilePixels{})], channels)
		return
	}
	r.dst, r.dstRow, r.turns = &dst[0], 4*plane, channels/(4<<active)
	runPlanar(opPlanarCotangents, r)
}

// transformTaps writes the transform of n sums of every plane to nine taps.
func (r *planarRun) transformTaps(dst []float32, tap int, src []float32, plane, n int) {
	if active == Portable {
		portableTapSums(dst, tap, src, plane, n)
		return
	}
	r.src, r.dst, r.srcRow, r.dstRow, r.turns = &src[0], &dst[0], 4*plane, 4*tap, n/(4<<active)
	runPlanar(opPlanarTaps, r)
}

// views returns n elements from every pointer on.
func views(at []*float32, n int) (all [planarPoints][]float32) {
	for i, p := range at {
		all[i] = view(p, n)
	}
	return all
}
