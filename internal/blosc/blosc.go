package blosc

import (
	"encoding/binary"
	"fmt"
)

const (
	headerSize = 16
	maxVersion = 2 // of the container; later ones belong to Blosc 2

	// A block of elements up to maxSplit bytes wide, at least minSplit of them,
	// is stored as one stream for each byte of an element.
	maxSplit = 16
	minSplit = 128
)

// Flags of the header; the codec is in the top three bits.
const (
	flagShuffle    = 1 << 0
	flagCopied     = 1 << 1
	flagBitShuffle = 1 << 2
	flagNoSplit    = 1 << 4
	codecShift     = 5
)

// Error says what is wrong with a container.
type Error struct {
	Block  int // number of the block, or -1 for the header
	Reason string
	Err    error // cause, or nil
}

func (e *Error) Error() string {
	where := "header"
	if e.Block >= 0 {
		where = fmt.Sprintf("block %d", e.Block)
	}
	msg := "blosc: " + where + ": " + e.Reason
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// header is the fixed part of a container.
type header struct {
	flags     byte
	elemSize  int
	size      int // bytes after decompression
	blockSize int
}

// Decode decompresses a container into dst, which must have the length that the
// container declares. It returns an [Error] for anything else.
func Decode(dst, src []byte) error {
	h, err := parseHeader(src)
	if err != nil {
		return err
	}
	if h.size != len(dst) {
		return bad(-1, "%d bytes after decompression, want %d", h.size, len(dst))
	}
	if h.flags&flagCopied != 0 {
		if len(src)-headerSize != len(dst) {
			return bad(-1, "%d bytes of uncompressed data, want %d", len(src)-headerSize, len(dst))
		}
		copy(dst, src[headerSize:])
		return nil
	}
	if len(dst) == 0 {
		return nil
	}
	blocks := (len(dst)-1)/h.blockSize + 1
	if blocks > (len(src)-headerSize)/4 {
		return bad(-1, "%d blocks do not fit %d bytes", blocks, len(src))
	}
	temp := make([]byte, min(h.blockSize, len(dst)))
	left := len(src) // bytes that blocks may still take up; they do not overlap
	for b := range blocks {
		lo := b * h.blockSize
		hi := min(lo+h.blockSize, len(dst))
		start := binary.LittleEndian.Uint32(src[headerSize+4*b:])
		if uint64(start) > uint64(len(src)) {
			return bad(b, "starts at byte %d of %d", start, len(src))
		}
		used, err := h.block(dst[lo:hi], src[start:], temp[:hi-lo])
		if err != nil {
			return &Error{Block: b, Reason: "damaged", Err: err}
		}
		if left -= used; left < 0 {
			return bad(b, "overlaps another block")
		}
	}
	return nil
}

func parseHeader(src []byte) (header, error) {
	if len(src) < headerSize {
		return header{}, bad(-1, "%d bytes, want at least %d", len(src), headerSize)
	}
	le := binary.LittleEndian
	h := header{flags: src[2], elemSize: int(src[3])}
	size, block, stored := le.Uint32(src[4:]), le.Uint32(src[8:]), le.Uint32(src[12:])
	switch {
	case src[0] == 0 || src[0] > maxVersion:
		return h, bad(-1, "format version %d, want 1 or 2", src[0])
	case h.elemSize == 0:
		return h, bad(-1, "elements of zero bytes")
	case int64(stored) != int64(len(src)):
		return h, bad(-1, "declares %d bytes, has %d", stored, len(src))
	case size > 1<<31-1 || block > 1<<31-1 || block == 0 && size > 0:
		return h, bad(-1, "%d bytes in blocks of %d", size, block)
	}
	h.size, h.blockSize = int(size), int(block)
	return h, nil
}

// block decompresses the block at the beginning of src and returns how many bytes
// it takes up. temp has the length of dst.
func (h header) block(dst, src, temp []byte) (used int, err error) {
	out := dst
	shuffled := h.flags&flagShuffle != 0 && h.elemSize > 1 || h.flags&flagBitShuffle != 0
	if shuffled {
		out = temp
	}
	streams := h.streams(len(dst))
	part := len(dst) / streams
	rest := src
	for i := range streams {
		if rest, err = h.stream(out[i*part:(i+1)*part], rest); err != nil {
			return 0, fmt.Errorf("stream %d: %w", i, err)
		}
	}
	switch {
	case h.flags&flagBitShuffle != 0:
		bitUnshuffle(dst, temp, h.elemSize)
	case shuffled:
		byteUnshuffle(dst, temp, h.elemSize)
	}
	return len(src) - len(rest), nil
}

// streams returns how many streams a block of n bytes is stored as. The last
// block is never split when it is shorter than the others.
func (h header) streams(n int) int {
	if h.flags&flagNoSplit != 0 || h.elemSize > maxSplit || h.blockSize/h.elemSize < minSplit || n != h.blockSize {
		return 1
	}
	return h.elemSize
}

// stream decompresses one stream, which begins with its length, and returns what
// follows it. A stream as long as its output is stored uncompressed.
func (h header) stream(dst, src []byte) (rest []byte, err error) {
	if len(src) < 4 {
		return nil, fmt.Errorf("%d bytes left, want a length", len(src))
	}
	n := binary.LittleEndian.Uint32(src)
	src = src[4:]
	if uint64(n) > uint64(len(src)) {
		return nil, fmt.Errorf("length %d, %d bytes left", n, len(src))
	}
	if int(n) == len(dst) {
		copy(dst, src)
		return src[n:], nil
	}
	return src[n:], decompress(h.flags>>codecShift, dst, src[:n])
}

func bad(block int, format string, args ...any) error {
	return &Error{Block: block, Reason: fmt.Sprintf(format, args...)}
}
