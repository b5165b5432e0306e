package dataset

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"

	"github.com/go-pcd/pcd/internal/regular"
)

// maxRatio is more than deflate can compress: 258 bytes into two bits.
const maxRatio = 1032

// NPZ is an open NumPy archive.
type NPZ struct {
	path    string
	size    uint64
	entries map[string]*zip.File
	names   []string
	opts    ReadOptions // with the limit for a file of this size
	close   func() error
}

// OpenNPZ opens an archive. The caller closes it.
func OpenNPZ(path string, opts ReadOptions) (*NPZ, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	z, err := newNPZ(f, info.Size(), path, opts)
	if err != nil {
		f.Close()
		return nil, err
	}
	z.close = f.Close
	return z, nil
}

// newNPZ opens an archive of the given size; name is for messages.
func newNPZ(r io.ReaderAt, size int64, name string, opts ReadOptions) (*NPZ, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, notZip(r, name, err)
	}
	n := &NPZ{path: name, size: uint64(size), entries: map[string]*zip.File{}, opts: opts.given(size)}
	if err := checkOverlap(z, size); err != nil {
		return nil, &FormatError{File: name, Err: err}
	}
	for _, f := range z.File {
		array, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			return nil, &FormatError{File: name, Part: f.Name, Reason: "not an array"}
		}
		if n.entries[array] != nil {
			return nil, &FormatError{File: name, Part: f.Name, Reason: "appears twice"}
		}
		n.entries[array] = f
		n.names = append(n.names, array)
	}
	return n, nil
}

// notZip says what a file is that is no archive.
func notZip(r io.ReaderAt, name string, err error) error {
	start := make([]byte, len(npyMagic))
	if n, _ := r.ReadAt(start, 0); n == len(start) && string(start) == npyMagic {
		return &FormatError{File: name, Reason: "a single array (.npy), want an archive of named arrays (.npz), as numpy.savez writes it"}
	}
	return &FormatError{File: name, Reason: "not a zip archive", Err: err}
}

// checkOverlap refuses an archive whose entries share their bytes: the same small
// file would then stand for any number of large arrays.
func checkOverlap(z *zip.Reader, size int64) error {
	left := uint64(max(0, size))
	for _, f := range z.File {
		if f.CompressedSize64 > left {
			return fmt.Errorf("entries of more than the %d bytes of the archive", size)
		}
		left -= f.CompressedSize64
	}
	return nil
}

// Names lists the arrays in file order.
func (z *NPZ) Names() []string { return append([]string(nil), z.names...) }

// Read reads the array with the given name. It returns a [FormatError] for an
// array that is missing, damaged, too large or of a type that is not read. Checksums are compared.
func (z *NPZ) Read(name string) (Array, error) { return z.read(name, z.opts) }

func (z *NPZ) read(name string, opts ReadOptions) (Array, error) {
	f := z.entries[name]
	if f == nil {
		return Array{}, &keyError{Want: name, Have: z.names}
	}
	if f.CompressedSize64 > z.size || f.UncompressedSize64/maxRatio > f.CompressedSize64 {
		return Array{}, z.fail(name, fmt.Errorf("%d bytes of a file of %d cannot hold the %d declared", f.CompressedSize64, z.size, f.UncompressedSize64))
	}
	r, err := f.Open()
	if err != nil {
		return Array{}, z.fail(name, err)
	}
	defer r.Close()
	a, err := readNPY(r, opts, int64(f.UncompressedSize64))
	if err != nil {
		return Array{}, z.fail(name, err)
	}
	var more [1]byte // reading the end compares the checksum
	if n, err := r.Read(more[:]); n != 0 || err != io.EOF {
		if n != 0 {
			err = fmt.Errorf("more bytes than shape %v needs", a.Shape)
		}
		return Array{}, z.fail(name, err)
	}
	a.Name = name
	return a, nil
}

func (z *NPZ) fail(name string, err error) error {
	return &FormatError{File: z.path, Part: name, Err: err}
}

// Close closes the file.
func (z *NPZ) Close() error {
	if z.close == nil {
		return nil
	}
	return z.close()
}

// ReadNPZ reads all arrays of an archive in file order.
func ReadNPZ(path string, opts ReadOptions) ([]Array, error) {
	z, err := OpenNPZ(path, opts)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	opts = z.opts
	arrays := make([]Array, 0, len(z.names))
	for _, name := range z.names {
		a, err := z.read(name, opts)
		if err != nil {
			return nil, err
		}
		opts = opts.without(a)
		arrays = append(arrays, a)
	}
	return arrays, nil
}
