package dataset

// DefaultMaxBytes is the size in memory up to which arrays are read by default.
const DefaultMaxBytes = 2 << 30

// By default arrays take up at most usualBytes in memory, and usualGrowth bytes for
// each byte of the files that hold them: recordings do not shrink to a 32nd when they
// are compressed, while a file that is made for it shrinks to a thousandth.
const (
	usualBytes  = 64 << 20
	usualGrowth = 32
)

// ReadOptions bounds what is read. The zero value stands for the defaults.
type ReadOptions struct {
	// MaxBytes is the size in memory of an array, and of all arrays together
	// where a call reads several; zero: 64 MiB and 32 times the size of the files,
	// at most [DefaultMaxBytes].
	MaxBytes int64
}

func (o ReadOptions) maxBytes() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return DefaultMaxBytes
}

// given returns the options for files of a size in bytes, with the limit spelt out.
func (o ReadOptions) given(stored int64) ReadOptions {
	if o.MaxBytes <= 0 {
		stored = max(0, min(stored, DefaultMaxBytes)) // so that the product is no overflow
		o.MaxBytes = min(DefaultMaxBytes, usualBytes+usualGrowth*stored)
	}
	return o
}

// without returns what is left for further arrays after a was read.
func (o ReadOptions) without(a Array) ReadOptions {
	used := int64(a.elements()) * int64(a.DType().Size())
	return ReadOptions{MaxBytes: max(1, o.maxBytes()-used)}
}
