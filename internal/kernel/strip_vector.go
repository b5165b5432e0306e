//go:build amd64 && !purego

package kernel

// stripK is the most steps of the inner index that a panel is walked before the next
// tile.
const stripK = 352

func (s *strip) vector() {
	var t tile
	t.mask, t.words = columnMasks(active, s.cols)
	if !s.add {
		t.bias = &s.bias[0]
	}
	t.c, t.jump = &s.dst[0], 4*s.jump
	all := max(1, s.segments)
	// Blocks of about the same length, as few as leave one of the panel in the first-level cache.
	group := split(all, (all*s.k+stripK-1)/stripK, 1)
	block := s.k
	if group == 1 {
		block = split(s.k, (s.k+stripK-1)/stripK, 1)
	}
	for q := 0; q < all; q += group {
		for k := 0; k < s.k; k += block {
			t.k, t.segments = min(block, s.k-k), min(group, all-q)
			s.block(&t, q, k)
		}
	}
}

// block computes the product with the elements from k on of the segments from the given
// one on.
func (s *strip) block(t *tile, segment, k int) {
	width, height := panelWidth[active], tileHeight[active]
	t.a, t.b = &s.a[segment*s.jump+k], &s.panel[(segment*s.k+k)*width]
	if t.add = 0; s.add || segment > 0 || k > 0 {
		t.add = 1
	}
	fetched := tileFetched * (t.k / tileUnroll) * t.segments
	for i := 0; i < len(s.from); i += height {
		t.ahead = s.fetch(fetched, t.b)
		runTile(active, t.offsets(s.from[i:], s.to[i:], height), t)
	}
}

// fetch returns where the next n elements are that a tile fetches: in the panel, which is there, once
// all else has been fetched.
func (s *strip) fetch(n int, panel *float32) *float32 {
	if len(s.ahead[0]) == 0 {
		s.ahead[0], s.ahead[1] = s.ahead[1], nil
	}
	a := s.ahead[0]
	if len(a) == 0 {
		return panel
	}
	s.ahead[0] = a[min(n, len(a)):]
	return &a[0]
}

// offsets fills the row offsets of a tile and returns the height of the lowest tile
// that covers its rows; see [tile.place].
func (t *tile) offsets(from, to []int, height int) int {
	if len(from) >= 12 {
		t.aRow, t.cRow = [12]int(from), [12]int(to)
		return height
	}
	valid := min(height, len(from))
	n := copy(t.aRow[:], from[:valid])
	copy(t.cRow[:], to[:valid])
	for ; n < height; n++ {
		t.aRow[n], t.cRow[n] = from[valid-1], to[valid-1]
	}
	return Round(valid, height/3)
}
