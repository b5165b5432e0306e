package torchfile

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/go-pcd/pcd/internal/dtype"
)

// Storage is a block of elements that tensors view, alone or together.
type Storage struct {
	Key      string // name within the archive
	Location string // device it was saved from, for instance cuda:0
	DType    dtype.DType
	Elements int64

	entry *zip.File // nil in a file without checksums
	data  []byte
	check sync.Once
	err   error
}

// Bytes returns the little-endian elements as a part of the file. The first call
// compares them with the archive's checksum. Calls may run concurrently.
func (s *Storage) Bytes() ([]byte, error) {
	if s.entry != nil {
		s.check.Do(func() { s.err = checksum(s.entry, s.data) })
	}
	return s.data, s.err
}

func checksum(f *zip.File, b []byte) error {
	if got := crc32.ChecksumIEEE(b); got != f.CRC32 {
		return &Error{Part: clip(f.Name), Reason: fmt.Sprintf("damaged: checksum %08x, want %08x", got, f.CRC32)}
	}
	return nil
}

// storageTypes are the classes of package torch that name an element type.
var storageTypes = map[string]dtype.DType{
	"FloatStorage":    dtype.F32,
	"DoubleStorage":   dtype.F64,
	"HalfStorage":     dtype.F16,
	"BFloat16Storage": dtype.BF16,
	"LongStorage":     dtype.I64,
	"IntStorage":      dtype.I32,
	"ShortStorage":    dtype.I16,
	"CharStorage":     dtype.I8,
	"ByteStorage":     dtype.U8,
	"BoolStorage":     dtype.Bool,
}

// storage opens the block with the given key, once.
func (r *resolver) storage(key, location string, d dtype.DType, elements int64) (*Storage, error) {
	if s := r.storages[key]; s != nil {
		if s.DType != d || s.Elements != elements {
			return nil, &Error{Part: "storage " + clip(key), Reason: fmt.Sprintf("described as %d × %v and as %d × %v",
				s.Elements, s.DType, elements, d)}
		}
		return s, nil
	}
	if r.archive == nil {
		return r.announce(key, location, d, elements)
	}
	name := r.archive.prefix + "data/" + key
	f := r.archive.entries[name]
	if f == nil {
		return nil, &Error{Part: clip(name), Reason: "missing from the archive"}
	}
	b, err := r.archive.stored(f)
	if err != nil {
		return nil, err
	}
	if elements < 0 || elements > int64(len(b)) || elements*int64(d.Size()) != int64(len(b)) {
		return nil, &Error{Part: clip(name), Reason: fmt.Sprintf("%d bytes, want %d elements of %v", len(b), elements, d)}
	}
	s := &Storage{Key: key, Location: location, DType: d, Elements: elements, entry: f, data: b}
	r.storages[key] = s
	return s, nil
}

// announce notes a block whose elements come later in the file.
func (r *resolver) announce(key, location string, d dtype.DType, elements int64) (*Storage, error) {
	if limit := r.size / int64(d.Size()); elements < 0 || elements > limit {
		return nil, &Error{Part: "storage " + clip(key), Reason: fmt.Sprintf("%d elements of %v, the file has room for %d", elements, d, limit)}
	}
	s := &Storage{Key: key, Location: location, DType: d, Elements: elements}
	r.storages[key] = s
	return s, nil
}
