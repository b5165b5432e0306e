package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"

	"github.com/go-pcd/pcd/internal/blosc"
	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/regular"
)

// decoders decompress a chunk into exactly dst, by the name of the compressor.
var decoders = map[string]func(dst, src []byte) error{
	"":      copyExactly,
	"blosc": blosc.Decode,
	"zstd":  blosc.DecodeZstd,
	"zlib":  blosc.Inflate,
	"gzip":  gunzip,
	"lz4":   sizedLZ4,
}

// readZarr reads the array at the path p of a zarr version 2 store. Chunks may be
// uncompressed or compressed with blosc (lz4, zlib, zstd), zstd, zlib, gzip or
// lz4, in either order of axes and bytes. Every chunk has to be there: a missing
// one is taken for an incomplete copy, not for a chunk of fill values. Memory is
// that of the array and of one chunk.
func readZarr(fsys fs.FS, p string, opts ReadOptions) (Array, error) {
	if opts.MaxBytes <= 0 {
		stored, err := storedBytes(fsys, p)
		if err != nil {
			return Array{}, err
		}
		opts = opts.given(stored)
	}
	m, err := readZarrMetadata(fsys, p, opts)
	if err != nil {
		return Array{}, err
	}
	if err := m.eachChunk(func(index []int) error {
		name := path.Join(p, m.chunkName(index))
		if _, err := fs.Stat(fsys, name); err != nil {
			return &FormatError{File: name, Reason: "missing chunk", Err: err}
		}
		return nil
	}); err != nil {
		return Array{}, err
	}
	a := Array{Name: path.Base(p), Shape: m.Shape}
	switch memoryType(m.stored) {
	case dtype.F32:
		a.Data, err = assemble[float32](fsys, p, m)
	case dtype.F64:
		a.Data, err = assemble[float64](fsys, p, m)
	case dtype.I64:
		a.Data, err = assemble[int64](fsys, p, m)
	case dtype.I32:
		a.Data, err = assemble[int32](fsys, p, m)
	case dtype.U8:
		a.Data, err = assemble[uint8](fsys, p, m)
	case dtype.Bool:
		a.Data, err = assemble[bool](fsys, p, m)
	}
	return a, err
}

// storedBytes returns what the files below p take up, in an archive compressed.
func storedBytes(fsys fs.FS, p string) (total int64, err error) {
	err = fs.WalkDir(fsys, p, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := fs.Stat(fsys, name)
		if err != nil {
			return err
		}
		size := info.Size()
		if h, ok := info.Sys().(*zip.FileHeader); ok {
			size = int64(min(h.CompressedSize64, math.MaxInt64))
		}
		total += min(size, math.MaxInt64-total)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = &FormatError{File: p, Reason: "missing", Err: err}
	}
	return total, err
}

// eachChunk calls f for the index of every chunk, the last axis fastest.
func (m *zarrMetadata) eachChunk(f func(index []int) error) error {
	if m.arraySize == 0 {
		return nil
	}
	grid := m.grid()
	index := make([]int, len(grid))
	for {
		if err := f(index); err != nil {
			return err
		}
		k := len(grid) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k] < grid[k] {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			return nil
		}
	}
}

// assemble decodes all chunks and puts them in their places.
func assemble[T Element](fsys fs.FS, p string, m *zarrMetadata) ([]T, error) {
	out := make([]T, m.arraySize)
	raw := make([]byte, m.chunkSize*m.stored.Size())
	h := npyHeader{stored: m.stored, bigEndian: m.bigEndian, fortran: m.Order == "F", shape: m.Chunks}
	err := m.eachChunk(func(index []int) error {
		name := path.Join(p, m.chunkName(index))
		if err := m.readChunk(fsys, name, raw); err != nil {
			return err
		}
		values, err := readElements(bytes.NewReader(raw), h, m.chunkSize, int64(len(raw)))
		if err != nil {
			return &FormatError{File: name, Err: err}
		}
		place(out, m.Shape, values.([]T), m.Chunks, index)
		return nil
	})
	return out, err
}

// readChunk fills raw from a chunk's file.
func (m *zarrMetadata) readChunk(fsys fs.FS, name string, raw []byte) error {
	src, err := readFile(fsys, name, 2*int64(len(raw))+1<<16) // no compressor doubles its input
	if err != nil {
		return err
	}
	if err := decoders[m.compressor](raw, src); err != nil {
		return &FormatError{File: name, Reason: "damaged chunk", Err: err}
	}
	return nil
}

// place copies the part of a chunk that lies within the array.
func place[T Element](out []T, shape []int, chunk []T, chunks, index []int) {
	first := index[0] * chunks[0]
	rows := min(chunks[0], shape[0]-first)
	if len(shape) == 1 {
		copy(out[first:first+rows], chunk)
		return
	}
	outRow, chunkRow := len(out)/shape[0], len(chunk)/chunks[0]
	for i := range rows {
		place(out[(first+i)*outRow:(first+i+1)*outRow], shape[1:], chunk[i*chunkRow:(i+1)*chunkRow], chunks[1:], index[1:])
	}
}

func copyExactly(dst, src []byte) error {
	if len(src) != len(dst) {
		return fmt.Errorf("%d bytes, want %d", len(src), len(dst))
	}
	copy(dst, src)
	return nil
}

// sizedLZ4 decodes an LZ4 block behind its decompressed size.
func sizedLZ4(dst, src []byte) error {
	if len(src) < 4 || binary.LittleEndian.Uint32(src) != uint32(len(dst)) {
		return fmt.Errorf("does not declare %d bytes", len(dst))
	}
	return blosc.DecodeLZ4(dst, src[4:])
}

func gunzip(dst, src []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(z, dst); err != nil {
		return err
	}
	var more [1]byte
	switch n, err := z.Read(more[:]); {
	case n != 0:
		return fmt.Errorf("more than %d bytes", len(dst))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// readFile reads a file that is not longer than limit.
func readFile(fsys fs.FS, p string, limit int64) ([]byte, error) {
	data, err := regular.ReadFS(fsys, p, limit)
	if size := new(regular.SizeError); errors.As(err, &size) {
		return nil, &FormatError{File: p, Err: size}
	}
	return data, err
}
