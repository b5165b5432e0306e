package dataset

import (
	"archive/zip"
	"errors"
	"io"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/weights"
)

// npzWriter writes a NumPy archive array by array. The same arrays give the same
// bytes with one version of Go.
type npzWriter struct {
	z      *zip.Writer
	method uint16
	names  map[string]bool
	open   *arrayWriter
}

// newNPZWriter returns a writer; compress selects deflate.
func newNPZWriter(w io.Writer, compress bool) *npzWriter {
	method := zip.Store
	if compress {
		method = zip.Deflate
	}
	return &npzWriter{z: zip.NewWriter(w), method: method, names: map[string]bool{}}
}

var errOpenArray = errors.New("dataset: the array before has not been closed")

// Create begins an array whose elements follow by its write; its Close comes
// before the next array.
func (w *npzWriter) Create(name string, d weights.DType, shape ...int) (*arrayWriter, error) {
	if w.open != nil {
		return nil, errOpenArray
	}
	if name == "" || w.names[name] {
		return nil, &FormatError{File: "npz", Part: name, Reason: "an array needs a name of its own"}
	}
	aw, err := newArrayWriter(name, d, shape)
	if err != nil {
		return nil, err
	}
	entry, err := w.z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: w.method})
	if err != nil {
		return nil, err
	}
	w.names[name] = true
	w.open = aw
	aw.done = func() { w.open = nil }
	return aw, aw.begin(entry)
}

// Write writes a whole array.
func (w *npzWriter) Write(a Array) error {
	aw, err := w.Create(a.Name, a.DType(), a.Shape...)
	if err != nil {
		return err
	}
	if err := aw.write(a.Data); err != nil {
		return err
	}
	return aw.Close()
}

// Close ends the archive. It does not close the writer beneath.
func (w *npzWriter) Close() error {
	if w.open != nil {
		return errOpenArray
	}
	return w.z.Close()
}

// WriteNPZ writes arrays to a compressed archive. The file appears whole or not
// at all.
func WriteNPZ(path string, arrays ...Array) error {
	return atomicfile.Write(path, func(f io.Writer) error { return EncodeNPZ(f, true, arrays...) })
}

// EncodeNPZ writes arrays to w as an archive; compress selects deflate. It does not close w.
func EncodeNPZ(w io.Writer, compress bool, arrays ...Array) error {
	z := newNPZWriter(w, compress)
	for _, a := range arrays {
		if err := z.Write(a); err != nil {
			return err
		}
	}
	return z.Close()
}
