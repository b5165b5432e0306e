package kernel

// Rows says where the rows of a matrix lie: in segments of Length rows that are
// Stride elements apart, segment after segment Jump elements apart. Rows may
// overlap where they are only read.
type Rows struct{ Length, Stride, Jump int }

// Dense returns rows of n elements one after the other.
func Dense(n int) Rows { return Rows{Length: 1, Stride: 0, Jump: n} }

// at returns the offset of row r.
func (r Rows) at(i int) int { return i/r.Length*r.Jump + i%r.Length*r.Stride }

// blockK is how many steps of the inner index a panel is walked before the next
// tile: as much as leaves the block of the panel in the first-level cache.
const blockK = 256

// Product writes the m rows dst = a b + bias, or adds a b to dst. Row i of a
// starts at from.at(i) and has b.K elements; row i of dst starts at to.at(i) and
// has b.N elements.
func Product(dst []float32, to Rows, a []float32, from Rows, m int, b *Panels, add bool) {
	if m == 0 {
		return
	}
	if from.Length != to.Length || from.at(m-1)+b.K > len(a) || to.at(m-1)+b.N > len(dst) {
		panic("kernel: product outside its matrices")
	}
	segments, rest := m/from.Length, m%from.Length
	p := product{dst: dst, to: to, a: a, from: from, b: b, add: add}
	if segments > 0 {
		p.run(segments, Band{Length: from.Length, Hi: b.K})
	}
	if rest > 0 {
		p.dst, p.a = dst[to.at(m-rest):], a[from.at(m-rest):]
		p.run(1, Band{Length: rest, Hi: b.K})
	}
}

// Band says that the rows First ... First+Length-1 of every segment need only the
// inner indices Lo ... Hi-1, because a is zero at the others.
type Band struct{ First, Length, Lo, Hi int }

// ProductOfBands is Product for some segments of rows, band by band.
func ProductOfBands(dst []float32, to Rows, a []float32, from Rows, segments int, bands []Band, b *Panels, add bool) {
	if segments == 0 {
		return
	}
	for _, c := range bands {
		last := (segments-1)*from.Length + c.First + c.Length - 1
		if c.Lo < 0 || c.Lo >= c.Hi || c.Hi > b.K || from.at(last)+c.Hi > len(a) || to.at(last)+b.N > len(dst) {
			panic("kernel: product outside its matrices")
		}
	}
	p := product{dst: dst, to: to, a: a, from: from, b: b, add: add}
	p.run(segments, bands...)
}

// product is a product under way.
type product struct {
	dst, a   []float32
	to, from Rows
	b        *Panels
	add      bool
}

// run computes the bands of the given number of segments.
func (p *product) run(segments int, bands ...Band) {
	if p.b.kind == Portable {
		p.portable(segments, bands)
	} else {
		p.vector(segments, bands)
	}
}

// of returns where the rows of a band lie, relative to its first.
func (c Band) of(r Rows) Rows {
	r.Length = c.Length
	return r
}

// TransposedProduct writes dst = aᵀ b, k×n in rows of ld elements, or adds it to
// dst: the sum over the rows of both, which come in the given number of segments.
// dst has Round(k, TileRows) rows, of which those past k hold no result; a is
// readable for as many elements past its last row.
func TransposedProduct(dst []float32, ld, k, n int, a []float32, from Rows, b []float32, with Rows, segments int, add bool) {
	rows := segments * from.Length
	if from.Length != with.Length {
		panic("kernel: segments of different lengths")
	}
	padded := Round(k, TileRows)
	if rows == 0 || n > ld || (padded-1)*ld+n > len(dst) || from.at(rows-1)+padded > cap(a) || with.at(rows-1)+n > len(b) {
		panic("kernel: transposed product outside its matrices")
	}
	if active == Portable {
		portableTransposed(dst, ld, k, n, a, from, b, with, segments, add)
		return
	}
	vectorTransposed(dst, ld, k, n, a, from, b, with, segments, add)
}

// TileRows is a common multiple of the tile heights.
const TileRows = 12
