package blosc

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// codecNames are the codecs by their number in the header.
var codecNames = [...]string{"blosclz", "lz4", "snappy", "zlib", "zstd"}

// decompress fills dst from a stream of the given codec.
func decompress(codec byte, dst, src []byte) error {
	switch codec {
	case 1:
		return DecodeLZ4(dst, src)
	case 3:
		return Inflate(dst, src)
	case 4:
		return DecodeZstd(dst, src)
	}
	if int(codec) < len(codecNames) {
		return fmt.Errorf("codec %s is not supported; want lz4, zlib or zstd", codecNames[codec])
	}
	return fmt.Errorf("unknown codec %d", codec)
}

// Inflate fills dst exactly from a zlib stream.
func Inflate(dst, src []byte) error {
	z, err := zlib.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}
	defer z.Close()
	return fill(dst, z)
}

// fill reads exactly len(dst) bytes and the end of the stream, where checksums
// are compared.
func fill(dst []byte, r io.Reader) error {
	if n, err := io.ReadFull(r, dst); err != nil {
		return fmt.Errorf("%d bytes, want %d: %w", n, len(dst), err)
	}
	var more [1]byte
	if n, err := r.Read(more[:]); n != 0 || err != io.EOF {
		if n == 0 && err != nil {
			return err
		}
		return fmt.Errorf("more than %d bytes", len(dst))
	}
	return nil
}

// zstdDecoder is shared: decoding whole frames is safe for concurrent use.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
})

// DecodeZstd fills dst exactly from a Zstandard frame.
func DecodeZstd(dst, src []byte) error {
	d, err := zstdDecoder()
	if err != nil {
		return err
	}
	out, err := d.DecodeAll(src, dst[:0:len(dst)]) // never grows past the capacity
	if err != nil {
		return err
	}
	if len(out) != len(dst) {
		return fmt.Errorf("%d bytes, want %d", len(out), len(dst))
	}
	return nil
}
