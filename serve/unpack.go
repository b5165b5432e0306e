package serve

import (
	"compress/gzip"
	"io"

	"connectrpc.com/connect"
)

// unpacked is a message in gzip. One that becomes too large is not read on: a MiB of gzip may be a GiB, which takes a second to
// unpack, before anybody waits for a core.
type unpacked struct {
	gzip.Reader
	most, left int // bytes
}

// withGzip takes messages in gzip, of so many bytes at most.
func withGzip(most int) connect.HandlerOption {
	return connect.WithCompression("gzip",
		func() connect.Decompressor { return &unpacked{most: most} },
		func() connect.Compressor { return gzip.NewWriter(io.Discard) })
}

// Reset implements [connect.Decompressor].
func (u *unpacked) Reset(r io.Reader) error {
	u.left = u.most
	return u.Reader.Reset(r)
}

// Read implements [io.Reader].
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p[:min(len(p), u.left+1)])
	if u.left -= n; u.left < 0 {
		u.left = 0
		return 0, refuse(&sizeError{u.most})
	}
	return n, err
}
