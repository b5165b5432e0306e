package kernel

// Products on matrix tiles (AMX) multiply numbers of eight bits, bfloat16, and add in
// float32. A number of float32 has 24 bits and is the sum of three of those, exactly:
// the number rounded, the rest rounded, and what is left. Of the nine products of the
// pieces of two numbers the six largest are taken; the others are below 2⁻²⁴ of the
// result. Those that count least are added up first, in blocks of the inner index, so
// that the error is no larger than that of float32 products (TestSplitProductsAreAsExact).
//
// Numbers below 10⁻³³ lose their last pieces, and what is above 3.39·10³⁸ is no number
// afterwards.
const (
	splitDepth  = 32              // of a tile in the inner index
	splitLeast  = 48              // elements of the inner index that pay for taking them apart
	splitHeight = 32              // rows that are computed together
	leftTile    = 3 * 16 * 32 / 2 // elements that the pieces of sixteen rows take
	rightTile   = 2 * leftTile    // those of two times sixteen columns
)

// splittable reports whether products over k elements with n columns go to matrix tiles,
// where there are any: where tiles would not be half empty, and pay for their pieces. The
// number of rows must not matter, for rows of a batch have to be those of its samples.
func splittable(k, n int) bool {
	return tiled && k >= splitLeast && n >= 2*splitDepth && 2*Round(k, splitDepth) <= 3*k
}

// splitRows are left rows in tiles, chunk after chunk of the inner index.
type splitRows struct {
	h     *Hand
	tiles []float32
}

// splitRun is the argument of the kernels that take numbers apart; the generator knows
// its layout.
type splitRun struct {
	src    *float32
	from   *int // byte offsets of the rows
	dst    *float32
	rows   int
	blocks int
	group  int // bytes from the tiles of sixteen rows to the next
	mask   uint64
	ahead  int // bytes to what is written next, which is fetched
}

// tileRun is the argument of the product of tiles; the generator knows its layout.
type tileRun struct {
	left, right, dst *float32
	to               *int // byte offsets of the rows in dst
	bias             *float32
	rows             int // left to do: none afterwards
	blocks           int
	add              int
	mask             uint64
	scratch          *float32
	config           *[64]byte
	ahead            [2]ahead
	leftAt, toAt     uintptr // how far left and to are read: they pass the end, as pointers must not
}

// ahead is memory that is fetched into the second-level cache while tiles are multiplied:
// lines of 64 bytes for every tile of the inner index.
type ahead struct {
	from  *float32
	at    uintptr // how far; it passes the end
	lines int
}

// fetch has n elements fetched, for a later call.
func (t *tileRun) fetch(i int, from []float32, n int) {
	turns := t.blocks * ((t.rows + splitHeight - 1) / splitHeight)
	t.ahead[i] = ahead{from: &from[0], lines: (4*n/64 + turns - 1) / turns}
}

// tileConfig says that eight tiles have 16 rows of 64 bytes.
var tileConfig = func() (c [64]byte) {
	c[0] = 1
	for i := range 8 {
		c[16+2*i], c[48+i] = 64, 16
	}
	return c
}()

// split takes the left rows of the strip apart, for all panels that they meet: it must be
// called again when they change. The tiles are noted in left.
func (s *strip) split(h *Hand, left *splitRows) {
	tiles := h.Floats(splitSize(len(s.from), s.blocks()*max(1, s.segments)))
	for c, at := s.first(), 0; c.segments > 0; c = s.next(c) {
		blocks := c.segments * splitBlocks(c.n)
		for q := range c.segments {
			splitLeft(tiles[at+q*splitBlocks(c.n)*leftTile:], s.a[(c.segment+q)*s.jump+c.k:], s.from, c.n, blocks, 0)
		}
		at += splitSize(len(s.from), blocks)
	}
	*left = splitRows{h, tiles}
	s.left = left
}

// splitBlocks returns how many tiles k elements of a row take.
func splitBlocks(k int) int { return (k + splitDepth - 1) / splitDepth }

// blocks returns the tiles of a segment.
func (s *strip) blocks() int { return splitBlocks(s.k) }

// chunk is a part of the inner index whose tiles of 32 rows and columns stay in the
// first-level cache: some segments, or some elements of one.
type chunk struct{ segment, segments, k, n int }

// splitMost is how many tiles that are.
const splitMost = 4

// first returns the first chunk.
func (s *strip) first() chunk { return s.chunk(0, 0) }

// next returns the chunk after another, without segments past the last.
func (s *strip) next(c chunk) chunk {
	if c.k+c.n < s.k {
		return s.chunk(c.segment, c.k+c.n)
	}
	return s.chunk(c.segment+c.segments, 0)
}

// chunk returns the one that starts with element k of a segment.
func (s *strip) chunk(segment, k int) chunk {
	each, rest := s.blocks(), max(1, s.segments)-segment
	if each <= splitMost {
		return chunk{segment, min(splitMost/each, rest), 0, s.k}
	}
	n := splitDepth * split(each, (each+splitMost-1)/splitMost, 1)
	return chunk{segment, min(1, rest), k, min(n, s.k-k)}
}

// splitSize returns the elements of the tiles of some rows.
func splitSize(rows, blocks int) int { return Round(rows, splitHeight) / 16 * blocks * leftTile }

// splitLeft writes k elements of rows, whose byte offsets are given, as tiles that have the
// given number of blocks for sixteen rows. What is written next lies ahead by some elements.
func splitLeft(dst, src []float32, from []int, k, blocks, ahead int) {
	r := splitRun{ahead: 4 * ahead, src: &src[0], from: &from[0], dst: &dst[0], rows: len(from), blocks: (k + splitDepth - 1) / splitDepth}
	r.group = 4 * blocks * leftTile
	r.mask, _ = columnMasks(AVX512, k-(r.blocks-1)*splitDepth)
	runSplitLeft(&r)
}

// splitPanel writes the rows of a panel as tiles. Of rows past the last it takes any
// numbers, which have to be finite, as they meet zeros.
func splitPanel(dst, panel []float32, blocks int) {
	_ = panel[blocks*splitDepth*32-1]
	runSplitRight(&splitRun{src: &panel[0], dst: &dst[0], blocks: blocks})
}

// endPanel writes zeros after the last row of the panel, as far as tiles reach.
func (s *strip) endPanel() {
	clear(s.panel[s.k*max(1, s.segments)*32:][:(s.blocks()*splitDepth-s.k)*32])
}

// onTiles computes the product with split rows.
func (s *strip) onTiles() {
	h := s.left.h
	mark := h.memory.used
	right := h.Floats(s.rightSize())
	s.splitPanel(right)
	s.multiply(right)
	h.memory.used = mark
}

// rightSize returns the elements of the tiles of a panel.
func (s *strip) rightSize() int { return max(1, s.segments) * s.blocks() * rightTile }

// splitPanel takes the panel apart, chunk after chunk.
func (s *strip) splitPanel(right []float32) {
	for c := s.first(); c.segments > 0; c = s.next(c) {
		for q := range c.segments {
			splitPanel(right, s.panel[((c.segment+q)*s.k+c.k)*32:], splitBlocks(c.n))
			right = right[splitBlocks(c.n)*rightTile:]
		}
	}
}

// multiply computes the product of split rows with a split panel.
func (s *strip) multiply(right []float32) {
	l := s.left
	mark := l.h.memory.used
	t := tileRun{dst: &s.dst[0], scratch: &l.h.Floats(splitHeight * 32)[0], config: &tileConfig}
	t.mask, _ = columnMasks(AVX512, s.cols)
	if s.add {
		t.add = 1
	} else {
		t.bias = &s.bias[0]
	}
	for c, at := s.first(), 0; c.segments > 0; c = s.next(c) {
		t.left, t.right, t.to, t.rows, t.blocks = &l.tiles[at], &right[0], &s.to[0], len(s.to), c.segments*splitBlocks(c.n)
		right = right[t.blocks*rightTile:]
		at += splitSize(len(s.to), t.blocks)
		runTiles(&t)
		t.add = 1
	}
	l.h.memory.used = mark
}
