package kernel

// outerSum is the sum over m rows of the outer products of the rows of two matrices: a
// product with the transpose of the first. Tasks have tiles of the result and copy the
// columns that they need of some rows at a time. Every element is one sum in the order
// of the rows.
type outerSum struct {
	m, k, n int
	left    leftSource
	right   Matrix
	sums    []float32 // k rows of n elements, stride apart
	stride  int
	add     bool
}

const (
	outerRows = 128 // rows that are copied at a time
	outerK    = 16 * TileRows
	outerN    = 320
)

// tiles returns the tiles of the tasks: smaller where there would be few.
func (o *outerSum) tiles(c *Crew) (k, n int) {
	k, n = min(outerK, Round(o.k, TileRows)), min(outerN, o.n)
	for (o.k+k-1)/k*((o.n+n-1)/n) < 4*c.Size() {
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

// run computes all tasks.
func (o *outerSum) run(c *Crew) {
	k, n := o.tiles(c)
	across := (o.n + n - 1) / n
	c.Do((o.k+k-1)/k*across, func(task int, h *Hand) {
		i, j := task/across*k, task%across*n
		o.tile(h, i, min(k, o.k-i), j, min(n, o.n-j))
	})
}

// tile computes k rows from i and n columns from j.
func (o *outerSum) tile(h *Hand, i, k, j, n int) {
	padded := Round(k, TileRows)
	sum, a, b := h.Floats(padded*n), h.Floats(outerRows*padded+TileRows), h.Floats(outerRows*n)
	at := make([]int, outerRows)
	mark := h.memory.used
	for first := 0; first < o.m; first += outerRows {
		rows := min(outerRows, o.m-first)
		h.memory.used = mark
		left := o.left.block(h, at[:rows], first, i, k)
		if k != padded || rows > 1 && at[1] != 4*padded {
			for r := range rows {
				copy(a[r*padded:][:k], left[at[r]/4:])
			}
			left = a
		}
		for r := range rows {
			copy(b[r*n:][:n], o.right.Data[(first+r)*o.right.Stride+j:])
		}
		TransposedProduct(sum, n, k, n, left, oneEach(padded), b, oneEach(n), rows, first > 0)
	}
	for r := range k {
		row, s := o.sums[(i+r)*o.stride+j:][:n], sum[r*n:]
		if !o.add {
			copy(row, s)
			continue
		}
		for q := range row {
			row[q] += s[q]
		}
	}
}

// oneEach returns segments of one row of n elements.
func oneEach(n int) Rows { return Rows{Length: 1, Stride: n, Jump: n} }

// leftSource yields the left matrix of a sum of outer products: the elements k ... k+n-1
// of the rows first ... first+len(at)-1. It fills in the byte offsets of the rows in the
// slice that it returns.
type leftSource interface {
	block(h *Hand, at []int, first, k, n int) []float32
}

// matrixRows is a left matrix in place.
type matrixRows struct{ Matrix }

func (m matrixRows) block(_ *Hand, at []int, first, k, _ int) []float32 {
	for i := range at {
		at[i] = 4 * ((first + i) * m.Stride)
	}
	return m.Data[k:]
}
