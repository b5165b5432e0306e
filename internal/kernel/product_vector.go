//go:build amd64 && !purego

package kernel

import "unsafe"

// tile is the argument of the product tiles; the generator knows its layout.
type tile struct {
	a, b, c, bias *float32
	k             int
	add           int
	mask          uint64 // two bit masks of 16 columns
	words         *int32 // two word masks of 8 columns
	aRow, cRow    [12]int
	segments      int
	jump          int      // bytes from one segment of a row of A to the next
	ahead         *float32 // what is fetched into the second-level cache meanwhile: tileFetched elements every tileUnroll steps
}

// The inner loop of the tiles.
const (
	tileUnroll  = 4  // steps of a turn
	tileFetched = 32 // elements that it fetches
)

// outer is the argument of the transposed product; the generator knows its layout.
type outer struct {
	a, b, c          *float32
	aRow, aJump      int
	bRow, bJump      int
	cRow             int
	length, segments int
	add              int
	mask             uint64
	words            *int32
}

// columnMasks returns the masks of the first n of two vectors.
func columnMasks(kind Kind, n int) (uint64, *int32) {
	if kind == AVX2 {
		return 0, &maskWords[16-n]
	}
	m := uint64(1)<<n - 1
	return m&0xFFFF | m>>16<<16, &maskWords[0]
}

func (p *product) vector(segments int, bands []Band) {
	b := p.b
	t := tile{segments: 1}
	for n := 0; n < b.N; n += b.width {
		t.mask, t.words = columnMasks(b.kind, min(b.width, b.N-n))
		t.bias = &b.bias[n]
		panel := b.data[n*b.K:]
		for k := 0; k < b.K; k += blockK {
			for _, c := range bands {
				lo, hi := max(k, c.Lo), min(k+blockK, c.Hi, b.K)
				if lo >= hi {
					continue
				}
				t.k, t.b = hi-lo, &panel[lo*b.width]
				t.add = 0
				if p.add || lo > c.Lo {
					t.add = 1
				}
				t.a, t.c = &p.a[p.from.at(c.First)+lo], &p.dst[p.to.at(c.First)+n]
				t.rows(b.kind, segments*c.Length, c.of(p.from), c.of(p.to))
			}
		}
	}
}

// rows computes the tiles of m rows.
func (t *tile) rows(kind Kind, m int, from, to Rows) {
	height := tileHeight[kind]
	for i := 0; i < m; i += height {
		t.ahead = t.b
		runTile(kind, t.place(i, min(height, m-i), height, from, to), t)
	}
}

// place fills the row offsets, in bytes, of the tile at row i and returns the
// height of the lowest tile that covers its rows. The rows past the last one are
// the last one again: computed twice to the same bits.
func (t *tile) place(i, valid, height int, from, to Rows) int {
	height = Round(valid, height/3)
	segment, h := i/from.Length, i%from.Length
	ai, ci := segment*from.Jump+h*from.Stride, segment*to.Jump+h*to.Stride
	for j := range height {
		t.aRow[j], t.cRow[j] = 4*ai, 4*ci
		if j+1 >= valid {
			continue
		}
		if h++; h < from.Length {
			ai, ci = ai+from.Stride, ci+to.Stride
			continue
		}
		ai, ci = ai+from.Jump-(h-1)*from.Stride, ci+to.Jump-(h-1)*to.Stride
		h = 0
	}
	return height
}

func vectorTransposed(dst []float32, ld, k, n int, a []float32, from Rows, b []float32, with Rows, segments int, add bool) {
	width := panelWidth[active]
	length := from.Length
	t := outer{
		aRow: 4 * from.Stride, aJump: 4 * (from.Jump - length*from.Stride),
		bRow: 4 * with.Stride, bJump: 4 * (with.Jump - length*with.Stride),
		cRow: 4 * ld, length: length,
	}
	// As many segments at a time as leave the columns of b in the first-level cache.
	step := max(1, 128/length)
	for j := 0; j < n; j += width {
		cols := min(width, n-j)
		t.mask, t.words = columnMasks(active, cols)
		t.add = 0
		if add {
			t.add = 1
		}
		for s := 0; s < segments; s += step {
			t.segments = min(step, segments-s)
			t.b = &b[s*with.Jump+j]
			t.tiles(dst[j:], ld, k, cols, a, s*from.Jump)
			t.add = 1
		}
	}
}

// tiles computes k rows of a panel of columns from the rows of a at the given offset.
func (t *outer) tiles(dst []float32, ld, k, cols int, a []float32, from int) {
	height, grain := tileHeight[active], tileHeight[active]/3
	narrow := active == AVX512 && cols <= narrowCols
	if narrow {
		height, grain = narrowRows, narrowRows/4
	}
	for i := 0; i < k; i += height {
		t.a = (*float32)(unsafe.Add(unsafe.Pointer(&a[0]), 4*(from+i)))
		t.c = &dst[i*ld]
		rows := min(height, Round(k-i, grain))
		if narrow {
			runNarrowOuter(rows, t)
		} else {
			runOuter(active, rows, t)
		}
	}
}

// The tiles of transposed products that are one vector wide.
const narrowCols, narrowRows = 16, 16
