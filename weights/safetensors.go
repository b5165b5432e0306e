package weights

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/internal/dtype"
)

// maxHeader is the format's own limit on the length of the header in bytes.
const maxHeader = 100_000_000

// safetensorsTypes are the format's names of element types.
var safetensorsTypes = map[string]DType{
	"F32": F32, "F64": F64, "F16": F16, "BF16": BF16,
	"I64": I64, "I32": I32, "I16": I16, "I8": I8,
	"U64": dtype.U64, "U32": dtype.U32, "U16": dtype.U16, "U8": U8,
	"BOOL": Bool, "F8_E4M3": dtype.F8E4M3, "F8_E5M2": dtype.F8E5M2,
}

// cutOff is the likely reason for a file that ends before what it says is in it.
const cutOff = ": it may be cut off, as where a download was stopped"

// parseSafetensors reads the header and checks that the tensors fill the rest of
// the file without gaps and overlaps. Tensors are listed in header order. Their
// offsets need not be aligned: elements are decoded byte by byte.
//
// Source: the format description of the safetensors project.
func (sd *StateDict) parseSafetensors(data []byte) error {
	if len(data) < 8 {
		return &FormatError{Format: safetensors, Reason: fmt.Sprintf("%d bytes, want at least the 8 of the header length", len(data))}
	}
	length, body := binary.LittleEndian.Uint64(data), data[8:]
	if length > maxHeader {
		return &FormatError{Format: safetensors, Err: &limitError{What: "bytes of the header", Value: int64(min(length, 1<<62)), Limit: maxHeader}}
	}
	if length > uint64(len(body)) {
		return &FormatError{Format: safetensors, Reason: fmt.Sprintf("header of %d bytes, the file has %d%s", length, len(body), cutOff)}
	}
	header, err := parseHeader(body[:length])
	if err != nil {
		return err
	}
	sd.Metadata = header.metadata
	return sd.addEntries(header.entries, body[length:])
}

func (sd *StateDict) addEntries(entries []headerEntry, buffer []byte) error {
	for _, e := range entries {
		t, err := e.tensor(buffer)
		if err != nil {
			return err
		}
		t.file = sd.mapping()
		if err := sd.Add(t); err != nil {
			return &FormatError{Format: safetensors, Tensor: e.name, Err: err}
		}
	}
	return checkCover(entries, int64(len(buffer)))
}

// tensor checks one line of the header against the buffer.
func (e headerEntry) tensor(buffer []byte) (Tensor, error) {
	bad := func(format string, args ...any) (Tensor, error) {
		return Tensor{}, &FormatError{Format: safetensors, Tensor: e.name, Reason: fmt.Sprintf(format, args...)}
	}
	d, ok := safetensorsTypes[e.dtype]
	if !ok {
		return bad("unknown element type %q", clip(e.dtype))
	}
	if e.begin > e.end {
		return bad("bytes %d to %d, of %d in the file", e.begin, e.end, len(buffer))
	}
	if e.end > int64(len(buffer)) {
		return bad("bytes %d to %d, the file has %d%s", e.begin, e.end, len(buffer), cutOff)
	}
	size := int64(d.Size())
	n, ok := dtype.Elements(e.shape, int64(len(buffer))/size)
	if !ok || n*size != e.end-e.begin {
		return bad("shape %v of %v does not fill bytes %d to %d", e.shape, d, e.begin, e.end)
	}
	raw := buffer[e.begin:e.end:e.end]
	return Tensor{Name: e.name, Shape: e.shape, DType: d, bytes: func() ([]byte, error) { return raw, nil }}, nil
}

// checkCover makes sure that every byte of the buffer belongs to one tensor.
func checkCover(entries []headerEntry, size int64) error {
	byOffset := slices.SortedStableFunc(slices.Values(entries), func(a, b headerEntry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	at := int64(0)
	for _, e := range byOffset {
		if e.begin != at {
			what := "a gap"
			if e.begin < at {
				what = "an overlap"
			}
			return &FormatError{Format: safetensors, Tensor: e.name, Reason: fmt.Sprintf("begins at byte %d, want %d: %s", e.begin, at, what)}
		}
		at = e.end
	}
	if at != size {
		return &FormatError{Format: safetensors, Reason: fmt.Sprintf("tensors end at byte %d of %d", at, size)}
	}
	return nil
}

// clip shortens text of a file for a message.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
