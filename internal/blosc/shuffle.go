package blosc

// byteUnshuffle puts elements back together from a block in which all first
// bytes come first, then all second bytes, and so on. Bytes that fill no element
// stay at the end.
func byteUnshuffle(dst, src []byte, size int) {
	n := len(src) / size
	for j := range size {
		column := src[j*n : (j+1)*n]
		for i, b := range column {
			dst[i*size+j] = b
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// bitUnshuffle does the same for bits: row 8j+k of the source holds bit k of byte
// j of every element, eight elements to a byte. Blocks whose number of elements
// is no multiple of eight are stored as they are.
func bitUnshuffle(dst, src []byte, size int) {
	n := len(src) / size
	if n%8 != 0 {
		copy(dst, src)
		return
	}
	width := n / 8
	for j := range size {
		for g := range width { // a group of eight elements
			var rows uint64
			for k := range 8 {
				rows |= uint64(src[(8*j+k)*width+g]) << (8 * k)
			}
			rows = transpose8(rows)
			for i := range 8 {
				dst[(8*g+i)*size+j] = byte(rows >> (8 * i))
			}
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// transpose8 transposes a matrix of 8×8 bits whose rows are bytes.
//
// Source: Warren, "Hacker's Delight", section 7-3.
func transpose8(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}
