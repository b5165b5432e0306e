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

// transformPixels writes the transform of 6×6 pixels to planes.
func transformPixels(dst []float32, plane int, at *[planarPoints]*float32, channels int, work []float32) {
	if active == Portable {
		x := views(at[:], channels)
		portablePixels(dst, plane, x[:], channels)
		return
	}
	r := planarRun{dst: &dst[0], work: &work[0], dstRow: 4 * plane, turns: channels / (4 << active)}
	r.at = *at
	runPlanar(opPlanarPixels, &r)
}

// tilePixels are the pixels of a tile.
type tilePixels [planarRows * planarRows]*float32

// transformProducts writes 4×4 pixels from the products at the points, plus those of other
// images, if there are any, and at least what is given.
func transformProducts(at, plus *tilePixels, src []float32, plane int, bias []float32, cols int, least float32, work []float32) {
	if active == Portable {
		x, y := views(at[:], cols), [planarPoints][]float32{}
		if plus != nil {
			y = views(plus[:], cols)
		}
		portableProducts(x[:len(at)], y[:len(at)], src, plane, bias, cols, least)
		return
	}
	r := planarRun{src: &src[0], work: &work[0], bias: &bias[0], srcRow: 4 * plane, turns: cols / (4 << active), least: least}
	copy(r.at[:], at[:])
	op := opPlanarProducts
	if plus != nil {
		op = opPlanarProductsAdd
		copy(r.at[len(at):], plus[:])
	}
	runPlanar(op, &r)
}

// transformCotangents writes the transform of 4×4 cotangents to planes.
func transformCotangents(dst []float32, plane int, at *[planarRows * planarRows]*float32, channels int, work []float32) {
	if active == Portable {
		x := views(at[:], channels)
		portableCotangents(dst, plane, x[:len(at)], channels)
		return
	}
	r := planarRun{dst: &dst[0], work: &work[0], dstRow: 4 * plane, turns: channels / (4 << active)}
	copy(r.at[:], at[:])
	runPlanar(opPlanarCotangents, &r)
}

// transformTaps writes the transform of n sums of every plane to nine taps.
func transformTaps(dst []float32, tap int, src []float32, plane, n int, work []float32) {
	if active == Portable {
		portableTapSums(dst, tap, src, plane, n)
		return
	}
	r := planarRun{src: &src[0], dst: &dst[0], work: &work[0], srcRow: 4 * plane, dstRow: 4 * tap, turns: n / (4 << active)}
	runPlanar(opPlanarTaps, &r)
}

// views returns n elements from every pointer on.
func views(at []*float32, n int) (all [planarPoints][]float32) {
	for i, p := range at {
		all[i] = view(p, n)
	}
	return all
}
