package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"
)

// headerAlign is the alignment of the first tensor within the file.
const headerAlign = 8

// WriteSafetensors writes the tensors of sd in their order, with metadata, which
// may be nil. The same input gives the same bytes. Elements keep their type;
// wider elements come first in the file, so that every tensor is aligned to its
// element size, and the header keeps the order of sd.
func WriteSafetensors(w io.Writer, sd *StateDict, metadata map[string]string) error {
	order := slices.SortedStableFunc(slices.Values(sd.tensors), func(a, b Tensor) int {
		return -cmp.Compare(a.DType.Size(), b.DType.Size())
	})
	header, err := encodeHeader(sd.tensors, order, metadata)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range order {
		if err := t.read(func(raw []byte) error { return writeCopy(w, raw) }); err != nil {
			return err
		}
	}
	return nil
}

// writeCopy writes raw piece by piece from a copy: of a mapped file that cannot be read any
// more, the operating system would say that the new one cannot be written.
func writeCopy(w io.Writer, raw []byte) error {
	var piece [64 << 10]byte
	for len(raw) > 0 {
		n := copy(piece[:], raw)
		if _, err := w.Write(piece[:n]); err != nil {
			return err
		}
		raw = raw[n:]
	}
	return nil
}

// encodeHeader returns the length and the JSON text of the header, padded with
// spaces. order is the order of the tensors in the file.
func encodeHeader(tensors, order []Tensor, metadata map[string]string) ([]byte, error) {
	begin := make(map[string]int, len(order))
	at := 0
	for _, t := range order {
		begin[t.Name] = at
		at += t.Bytes()
	}
	var b bytes.Buffer
	b.Write(make([]byte, 8))
	b.WriteByte('{')
	if len(metadata) > 0 {
		writeMetadata(&b, metadata)
	}
	for _, t := range tensors {
		name, err := typeName(t)
		if err != nil {
			return nil, err
		}
		separate(&b)
		writeText(&b, t.Name)
		fmt.Fprintf(&b, `:{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, name, axes(t.Shape), begin[t.Name], begin[t.Name]+t.Bytes())
	}
	b.WriteByte('}')
	for b.Len()%headerAlign != 0 {
		b.WriteByte(' ')
	}
	binary.LittleEndian.PutUint64(b.Bytes(), uint64(b.Len()-8))
	return b.Bytes(), nil
}

func writeMetadata(b *bytes.Buffer, metadata map[string]string) {
	writeText(b, metadataKey)
	b.WriteString(":{")
	for i, key := range slices.Sorted(maps.Keys(metadata)) {
		if i > 0 {
			b.WriteByte(',')
		}
		writeText(b, key)
		b.WriteByte(':')
		writeText(b, metadata[key])
	}
	b.WriteByte('}')
}

// typeName returns the format's name of the tensor's element type, and refuses
// names that the header cannot hold.
func typeName(t Tensor) (string, error) {
	if t.Name == metadataKey || !utf8.ValidString(t.Name) {
		return "", &FormatError{Format: safetensors, Tensor: t.Name, Reason: "a tensor cannot have this name"}
	}
	for name, d := range safetensorsTypes {
		if d == t.DType {
			return name, nil
		}
	}
	return "", &dtypeError{Tensor: t.Name, DType: t.DType, Want: "a type of safetensors"}
}

func separate(b *bytes.Buffer) {
	if b.Bytes()[b.Len()-1] != '{' {
		b.WriteByte(',')
	}
}

func writeText(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	enc.Encode(s)           // text always encodes
	b.Truncate(b.Len() - 1) // the newline
}

func axes(shape []int) string {
	if len(shape) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(shape) // integers always encode
	return string(text)
}
