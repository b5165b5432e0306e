package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/weights"
)

// npyCodes are the codes that are written.
var npyCodes = map[weights.DType]string{dtype.F32: "<f4", dtype.F64: "<f8", dtype.I64: "<i8", dtype.I32: "<i4", dtype.U8: "|u1", dtype.Bool: "|b1"}

// WriteNPY writes one array in NumPy's .npy format, version 1.
func WriteNPY(w io.Writer, a Array) error {
	aw, err := newArrayWriter(a.Name, a.DType(), a.Shape)
	if err != nil {
		return err
	}
	if err := aw.begin(w); err != nil {
		return err
	}
	if err := aw.write(a.Data); err != nil {
		return err
	}
	return aw.Close()
}

// arrayWriter writes the elements of one array piece by piece.
type arrayWriter struct {
	w     io.Writer
	name  string
	dtype weights.DType
	shape []int
	left  int64 // elements still to come
	buf   []byte
	done  func()
}

// newArrayWriter checks that an array can be written.
func newArrayWriter(name string, d weights.DType, shape []int) (*arrayWriter, error) {
	if npyCodes[d] == "" {
		return nil, &typeError{Array: name, Got: d, Want: "float32, float64, int64, int32, uint8 or bool"}
	}
	n, ok := dtype.Elements(shape, math.MaxInt64/int64(d.Size()))
	if !ok || len(shape) > maxRank {
		return nil, &shapeError{Array: name, Got: shape, Want: fmt.Sprintf("at most %d axes, none negative", maxRank)}
	}
	return &arrayWriter{name: name, dtype: d, shape: shape, left: n}, nil
}

// begin writes what comes before the elements.
func (w *arrayWriter) begin(to io.Writer) error {
	w.w = to
	_, err := io.WriteString(to, npyPreamble(npyCodes[w.dtype], w.shape))
	return err
}

// npyPreamble returns the beginning of a file up to its first element, which is
// aligned to 64 bytes as NumPy does.
func npyPreamble(code string, shape []int) string {
	var axes strings.Builder
	for i, d := range shape {
		if i > 0 {
			axes.WriteByte(' ')
		}
		fmt.Fprintf(&axes, "%d,", d)
	}
	tuple := axes.String()
	if len(shape) > 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", code, tuple)
	const fixed = len(npyMagic) + 4
	text += strings.Repeat(" ", 63-(fixed+len(text))%64) + "\n"
	return npyMagic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}

// write writes the next elements of an array. It returns a [FormatError] for another
// element type and for more elements than the shape has.
func (w *arrayWriter) write(values any) error {
	a := Array{Name: w.name, Data: values}
	if a.DType() != w.dtype {
		return &typeError{Array: w.name, Got: a.DType(), Want: w.dtype.String()}
	}
	switch v := values.(type) {
	case []float32:
		return emit(w, v, func(b []byte, v []float32) []byte { return dtype.AppendFloat32s(dtype.F32, b, v) })
	case []float64:
		return emit(w, v, each(func(b []byte, x float64) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(x)) }))
	case []int64:
		return emit(w, v, each(func(b []byte, x int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(x)) }))
	case []int32:
		return emit(w, v, each(func(b []byte, x int32) []byte { return binary.LittleEndian.AppendUint32(b, uint32(x)) }))
	case []uint8:
		return emit(w, v, func(b []byte, v []uint8) []byte { return append(b, v...) })
	case []bool:
		return emit(w, v, each(func(b []byte, x bool) []byte {
			if x {
				return append(b, 1)
			}
			return append(b, 0)
		}))
	}
	return &typeError{Array: w.name, Got: dtype.Invalid, Want: w.dtype.String()}
}

// each encodes a slice element by element.
func each[T Element](one func([]byte, T) []byte) func([]byte, []T) []byte {
	return func(b []byte, v []T) []byte {
		for _, x := range v {
			b = one(b, x)
		}
		return b
	}
}

// emit encodes and writes values piece by piece.
func emit[T Element](w *arrayWriter, values []T, encode func([]byte, []T) []byte) error {
	if int64(len(values)) > w.left {
		return &shapeError{Array: w.name, Got: w.shape, Want: fmt.Sprintf("%d elements fewer", int64(len(values))-w.left)}
	}
	const piece = 1 << 14
	for len(values) > 0 {
		n := min(piece, len(values))
		w.buf = encode(w.buf[:0], values[:n])
		if _, err := w.w.Write(w.buf); err != nil {
			return err
		}
		w.left -= int64(n)
		values = values[n:]
	}
	return nil
}

// Close ends the array. It returns a [FormatError] when elements are missing.
func (w *arrayWriter) Close() error {
	if w.left != 0 {
		return &shapeError{Array: w.name, Got: w.shape, Want: fmt.Sprintf("%d more elements before it is closed", w.left)}
	}
	if w.done != nil {
		w.done()
	}
	return nil
}
