package main

import (
	"math"

	"github.com/dustin/go-humanize"
)

// byteSize is a flag for a number of bytes: 2GiB, 500MB or 1048576.
type byteSize int64

// Set implements [pflag.Value].
func (b *byteSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err == nil && n > math.MaxInt64 {
		n = math.MaxInt64
	}
	*b = byteSize(n)
	return err
}

// String implements [pflag.Value]: nothing for 0, which help then does not show.
func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return humanize.IBytes(uint64(*b))
}

// Type implements [pflag.Value].
func (*byteSize) Type() string { return "size" }
