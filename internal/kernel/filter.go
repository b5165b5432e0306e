package kernel

// FilterTaps is how many taps a [Filter] has.
const FilterTaps = 5

// A filter computes filterRows output rows at a time from filterPoints input rows.
const (
	filterRows   = 4
	filterPoints = filterRows + FilterTaps - 1
)

// filterGrain divides the channels that a [Filter] can have: the widest panel, see
// [Filterable].
const filterGrain = 32

// Filterable reports whether a convolution of five taps and stride 1 can be a
// [Filter]: whole vectors of channels, and sequences of a multiple of four rows.
func Filterable(in, out, length int) bool {
	return in%filterGrain == 0 && out%filterGrain == 0 && length%filterRows == 0
}

// Filter is the right side of a convolution with five taps and stride 1, computed by
// minimal filtering: four output rows take 8 products of transformed rows and
// weights instead of 20 (Toom and Cook's multiplication of polynomials, transposed;
// Winograd, 1980; Lavin and Gray, 2016).
//
// The rows of the input are evaluated at the points 0, ±1, ±2, ±½ and ∞. The
// constants of both transforms of activations are exact in float32. The error is
// about twice that of [Product].
// Tiles start at the first row of their sequence, so that no result depends on the
// batch it is in.
type Filter struct {
	In, Out int
	memory  []float32 // the points one after the other, and the bias
	points  [filterPoints]*Panels
	bias    []float32
}

// NewFilter returns a filter of zeros with a zero bias.
func NewFilter(in, out int) *Filter {
	memory, size := Alloc(FilterSize(in, out)), PanelSize(in, out)
	f := &Filter{In: in, Out: out, memory: memory, bias: memory[filterPoints*size:]}
	for p := range f.points {
		f.points[p] = newPanels(in, out, memory[p*size:])
	}
	return f
}

// FilterSize returns the elements of a filter.
func FilterSize(in, out int) int { return filterPoints*PanelSize(in, out) + out }

// Pack sets tap j from channel k to channel n to src[rows[j·In+k] + n·stride].
func (f *Filter) Pack(src []float32, rows []int32, stride int) {
	first, plane := f.points[0], PanelSize(f.In, f.Out)
	for i := range first.index {
		first.index[i] = int32(i * stride)
	}
	var taps [FilterTaps][filterGrain]float32
	for n := 0; n < f.Out; n += first.width {
		for k := range f.In {
			for j := range taps {
				Gather(taps[j][:first.width], src[int(rows[j*f.In+k])+n*stride:], first.index)
			}
			evaluateTaps(f.memory[n*f.In+k*first.width:], plane, &taps, first.width)
		}
	}
}

// evaluateTaps evaluates polynomials with the taps as coefficients, and divides by
// what the transform of the input leaves out: the product of the distances to the
// other points.
func evaluateTaps(dst []float32, plane int, taps *[FilterTaps][filterGrain]float32, channels int) {
	if active == Portable {
		portableTaps(dst, plane, taps, channels)
		return
	}
	runFilter(opWeights, &filterRun{
		src: &taps[0][0], dst: &dst[0], srcRow: 4 * filterGrain, dstRow: 4 * plane,
		turns: channels / (4 << active), tiles: 1,
	})
}

// SetBias copies the bias; without it the bias is zero.
func (f *Filter) SetBias(bias []float32) { copy(f.bias, bias) }

// The work of a filter goes on in blocks of sequences: small enough to stay in the
// second-level cache, unless that leaves the weights too little to do.
const (
	filterBlock = 1 << 18 // elements of the transforms of a block
	filterTiles = 48      // fewest tiles of a block, where there are as many
)

// blockOf returns how many sequences of a length make a block.
func blockOf(in, out, length int) int {
	tiles := max(filterTiles, filterBlock/(filterPoints*(in+out)))
	return max(1, tiles*filterRows/length)
}

// FilterWork returns the elements that [Filter.Apply] needs to work in.
func FilterWork(in, out, length int) int {
	return blockOf(in, out, length) * length / filterRows * filterPoints * (in + out)
}

// Apply writes the convolution of the given number of sequences to dst, or adds it
// to dst without the bias. Output row h takes the five rows of src from from.at(h)
// on, which are from.Stride apart; work has [FilterWork] elements.
func (f *Filter) Apply(dst []float32, to Rows, src []float32, from Rows, segments int, add bool, work []float32) {
	if segments == 0 {
		return
	}
	last := segments*from.Length - 1
	if from.Length != to.Length || from.Length%filterRows != 0 ||
		from.at(last)+(FilterTaps-1)*from.Stride+f.In > len(src) || to.at(last)+f.Out > len(dst) ||
		len(work) < FilterWork(f.In, f.Out, from.Length) {
		panic("kernel: filter outside its matrices")
	}
	step := blockOf(f.In, f.Out, from.Length)
	for s := 0; s < segments; s += step {
		n := min(step, segments-s)
		f.block(dst[s*to.Jump:], to, src[s*from.Jump:], from, n, add, work)
	}
}

// block computes a block of sequences.
func (f *Filter) block(dst []float32, to Rows, src []float32, from Rows, segments int, add bool, work []float32) {
	perSegment := from.Length / filterRows
	tiles := segments * perSegment
	points, products := work[:filterPoints*tiles*f.In], work[filterPoints*tiles*f.In:][:filterPoints*tiles*f.Out]
	for s := range segments {
		evaluateRows(points[s*perSegment*f.In:], tiles*f.In, src[s*from.Jump:], from.Stride, f.In, perSegment)
	}
	for p, panels := range f.points {
		Product(products[p*tiles*f.Out:], Dense(f.Out), points[p*tiles*f.In:], Dense(f.In), tiles, panels, false)
	}
	for s := range segments {
		f.combine(dst[s*to.Jump:], to.Stride, products[s*perSegment*f.Out:], tiles*f.Out, perSegment, add)
	}
}

// filterOp is a transform.
type filterOp int

const (
	opWeights filterOp = iota
	opInput
	opOutput    // sets the rows
	opOutputAdd // adds to them
)

// filterRun is the argument of the vector kernels; the generator knows its layout.
type filterRun struct {
	src, dst, bias *float32
	srcRow, dstRow int // bytes from a row or plane to the next
	skip           int // bytes from the last channel of a tile to the rows of the next
	turns, tiles   int
}

// evaluateRows writes the transform of a sequence of rows, tile after tile, to
// planes that are plane elements apart, one for each point.
func evaluateRows(dst []float32, plane int, src []float32, stride, channels, tiles int) {
	if active == Portable {
		portableRows(dst, plane, src, stride, channels, tiles)
		return
	}
	runFilter(opInput, &filterRun{
		src: &src[0], dst: &dst[0], srcRow: 4 * stride, dstRow: 4 * plane,
		skip: 4 * (filterRows*stride - channels), turns: channels / (4 << active), tiles: tiles,
	})
}

// combine writes the output rows of a sequence from the products at the points.
func (f *Filter) combine(dst []float32, stride int, src []float32, plane, tiles int, add bool) {
	if active == Portable {
		f.portableCombine(dst, stride, src, plane, tiles, add)
		return
	}
	op := opOutput
	if add {
		op = opOutputAdd
	}
	runFilter(op, &filterRun{
		src: &src[0], dst: &dst[0], bias: &f.bias[0], srcRow: 4 * plane, dstRow: 4 * stride,
		skip: 4 * (filterRows*stride - f.Out), turns: f.Out / (4 << active), tiles: tiles,
	})
}
