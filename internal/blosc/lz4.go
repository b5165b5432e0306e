package blosc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	errLZ4Input  = errors.New("lz4: the input ends within a sequence")
	errLZ4Output = errors.New("lz4: more output than expected")
)

const lz4MinMatch = 4

// DecodeLZ4 fills dst exactly from an LZ4 block.
//
// Source: the LZ4 block format description. A block is a series of sequences: a
// token with two lengths of four bits, literals, and a match, which copies from
// the output so far; the last sequence has literals only.
func DecodeLZ4(dst, src []byte) error {
	out, in := 0, 0
	for {
		if in >= len(src) {
			return errLZ4Input
		}
		token := src[in]
		in++
		literals, next, err := lz4Length(src, in, int(token>>4))
		if err != nil {
			return err
		}
		in = next
		if literals > len(src)-in {
			return errLZ4Input
		}
		if literals > len(dst)-out {
			return errLZ4Output
		}
		copy(dst[out:], src[in:in+literals])
		in, out = in+literals, out+literals
		if in == len(src) {
			break
		}
		if in, out, err = lz4Match(dst, src, in, out, token); err != nil {
			return err
		}
	}
	if out != len(dst) {
		return fmt.Errorf("lz4: %d bytes, want %d", out, len(dst))
	}
	return nil
}

// lz4Match copies the match of a sequence. It may overlap what it writes, which
// repeats a pattern.
func lz4Match(dst, src []byte, in, out int, token byte) (int, int, error) {
	if len(src)-in < 2 {
		return 0, 0, errLZ4Input
	}
	offset := int(binary.LittleEndian.Uint16(src[in:]))
	n, in, err := lz4Length(src, in+2, int(token&15))
	if err != nil {
		return 0, 0, err
	}
	n += lz4MinMatch
	switch {
	case offset == 0 || offset > out:
		return 0, 0, fmt.Errorf("lz4: a match %d bytes back, after %d bytes", offset, out)
	case n > len(dst)-out:
		return 0, 0, errLZ4Output
	}
	for n > 0 {
		c := copy(dst[out:out+n], dst[out-offset:out])
		out, n = out+c, n-c
	}
	return in, out, nil
}

// lz4Length extends a length of four bits: 15 means that further bytes are added
// up to the first that is not 255.
func lz4Length(src []byte, in, n int) (length, next int, err error) {
	if n < 15 {
		return n, in, nil
	}
	for {
		if in >= len(src) {
			return 0, 0, errLZ4Input
		}
		b := src[in]
		in++
		n += int(b) // at most 255 for each byte of input, so it cannot overflow
		if b != 255 {
			return n, in, nil
		}
	}
}
