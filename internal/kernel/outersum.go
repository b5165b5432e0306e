package kernel

// outerSum is the sum over m rows of the outer products of the rows of two matrices: a
// product with the transpose of the first. Tasks have a tile of the result and a part of
// the rows. How many parts there are depends on sizes alone; every element of a part is
// one sum in the order of the rows.
type outerSum struct {
	m, k, n int
	left    leftSource
	right   Matrix
}

const (
	outerK = 16 * TileRows // most rows and columns of a tile
	outerN = 320

	outerRows      = 128     // rows that are added up at a time
	outerStride    = 200     // elements between rows that need not be copied
	outerLeastRows = 256     // of a part, which its last sum has to pay for
	outerMostParts = 16      //
	outerPartSums  = 1 << 18 // elements of the sums of all parts, about
)

// parts returns the number of parts of the rows.
func (o *outerSum) parts() int {
	return max(1, min(outerMostParts, o.m/outerLeastRows, outerPartSums/(o.k*o.n)))
}

// tiles returns the tiles of the tasks: smaller where there would be few.
func (o *outerSum) tiles(c *Crew, parts int) (k, n int) {
	k, n = min(outerK, Round(o.k, TileRows)), min(outerN, o.n)
	for (o.k+k-1)/k*((o.n+n-1)/n)*parts < 4*c.Size() {
		switch {
		case n > 2*stripWidth():
			n = Round(n/2, stripWidth())
		case k > 2*TileRows:
			k = Round(k/2, TileRows)
		default:
			return k, n
		}
	}
	return k, n
}

// run returns the sums of all parts, each k rows of n elements, in memory of the operation
// under way.
func (o *outerSum) run(c *Crew) (sums []float32, parts int) {
	parts = o.parts()
	size := split(o.m, parts, 1)
	parts = (o.m + size - 1) / size
	sums = c.floats(parts * o.k * o.n)
	k, n := o.tiles(c, parts)
	across := (o.n + n - 1) / n
	tiles := (o.k + k - 1) / k * across
	share(c, tiles*parts, outerTasks{*o, sums, size, k, n, across, tiles}, (*outerTasks).task)
	return sums, parts
}

// outerTasks cuts a sum into tiles of the result and parts of the rows.
type outerTasks struct {
	outerSum
	sums            []float32
	size            int // rows of a part
	tileK, tileN    int
	across, ofAPart int // tiles
}

func (o *outerTasks) task(task int, h *Hand) {
	part, i, j := task/o.ofAPart, task%o.ofAPart/o.across*o.tileK, task%o.across*o.tileN
	t := outerTile{outerSum: &o.outerSum, i: i, j: j, k: min(o.tileK, o.k-i), n: min(o.tileN, o.n-j)}
	t.run(h, part*o.size, min((part+1)*o.size, o.m))
	t.store(o.sums[part*o.k*o.n:])
}

// outerTile is k rows from i and n columns from j of the result.
type outerTile struct {
	*outerSum
	i, j, k, n int
	sum        []float32 // rows of n elements
}

// run adds up the products of some rows, a block at a time. Rows of the matrices that lie
// close together are used where they are, others are copied.
func (t *outerTile) run(h *Hand, from, end int) {
	padded := Round(t.k, TileRows)
	t.sum = h.Floats(padded * t.n)
	a, b, at := h.Floats(outerRows*padded+TileRows), h.Floats(outerRows*t.n), h.ints(outerRows)
	mark, pieces := h.memory.used, h.pieces.used
	for first := from; first < end; first += outerRows {
		h.memory.used, h.pieces.used = mark, pieces
		rows := min(outerRows, end-first)
		left, leftRows := t.leftRows(h, a, at[:rows], first, padded)
		right, rightRows := t.rightRows(b, first, rows)
		TransposedProduct(t.sum, t.n, t.k, t.n, left, leftRows, right, rightRows, rows, first > from)
	}
}

// leftRows returns the columns of the tile of some rows of the left matrix, followed by as
// many of any value as fill a tile.
func (t *outerTile) leftRows(h *Hand, work []float32, at []int, first, padded int) ([]float32, Rows) {
	rows := len(at)
	left := t.left.block(h, at, first, t.i, t.k)
	stride := padded
	if rows > 1 {
		stride = at[1]/4 - at[0]/4
	}
	from := at[0] / 4
	if t.left.even() && stride <= outerStride && from+(rows-1)*stride+padded <= cap(left) {
		return left[from:], oneEach(stride)
	}
	for r := range rows {
		copy(work[r*padded:][:t.k], left[at[r]/4:])
	}
	return work, oneEach(padded)
}

// rightRows returns the columns of the tile of some rows of the right matrix.
func (t *outerTile) rightRows(work []float32, first, rows int) ([]float32, Rows) {
	stride, right := t.right.Stride, t.right.Data[first*t.right.Stride+t.j:]
	if stride <= outerStride {
		return right, oneEach(stride)
	}
	for r := range rows {
		copy(work[r*t.n:][:t.n], right[r*stride:])
	}
	return work, oneEach(t.n)
}

// store copies the tile to the sums of its part.
func (t *outerTile) store(sums []float32) {
	for r := range t.k {
		copy(sums[(t.i+r)*t.outerSum.n+t.j:][:t.n], t.sum[r*t.n:])
	}
}

// oneEach returns segments of one row of n elements.
func oneEach(n int) Rows { return Rows{Length: 1, Stride: n, Jump: n} }

// leftSource yields the left matrix of a sum of outer products: the elements k ... k+n-1
// of the rows first ... first+len(at)-1. It fills in the byte offsets of the rows in the
// slice that it returns. Even rows are as far apart as the first two.
type leftSource interface {
	block(h *Hand, at []int, first, k, n int) []float32
	even() bool
}

// matrixRows is a left matrix in place.
type matrixRows struct{ Matrix }

func (m matrixRows) block(_ *Hand, at []int, first, k, _ int) []float32 {
	for i := range at {
		at[i] = 4 * ((first + i) * m.Stride)
	}
	return m.Data[k:]
}

func (m matrixRows) even() bool { return true }
