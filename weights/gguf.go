package weights

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/dtype"
)

// ggufMagic begins every GGUF file.
const ggufMagic = "GGUF"

// Limits of what a GGUF file may ask for.
const (
	maxGGUFPairs = 1 << 16
	maxGGUFText  = 1 << 24 // of a string, and values of a list
	maxGGUFDepth = 4       // of lists of lists
	maxAlignment = 1 << 16
)

// ggufTypes are the types of tensors whose elements are stored as they are.
var ggufTypes = map[uint32]DType{0: F32, 1: F16, 24: I8, 25: I16, 26: I32, 27: I64, 28: F64, 30: BF16}

// q8 is the type of blocks of 32 numbers of eight bits with a common scale of half
// precision, 34 bytes each.
const (
	q8Type, q8Block, q8Bytes = 8, 32, 34
)

// ggufNames are the types that are refused by name.
var ggufNames = map[uint32]string{2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K",
	16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4"}

// ggufSizes are the bytes of the values of pairs by their type; strings and lists have
// none of their own.
var ggufSizes = map[uint32]int{0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}

const (
	ggufU32    = 4
	ggufString = 8
	ggufList   = 9
)

// ggufReader takes a file apart from its beginning. After the first thing that is wrong
// it gives zeros.
type ggufReader struct {
	data []byte
	at   int
	err  error
}

func (r *ggufReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *ggufReader) take(n int) []byte {
	if r.err == nil && (n < 0 || n > len(r.data)-r.at) {
		r.fail("the file ends at byte %d, within what begins at %d", len(r.data), r.at)
	}
	if r.err != nil {
		return make([]byte, min(max(n, 0), 8))
	}
	r.at += n
	return r.data[r.at-n : r.at]
}

func (r *ggufReader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *ggufReader) u64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

// count reads a number of things that is at most most.
func (r *ggufReader) count(what string, most uint64) int {
	n := r.u64()
	if n > most {
		if r.err == nil {
			r.err = &limitError{What: what, Value: int64(min(n, math.MaxInt64)), Limit: int64(most)}
		}
		return 0
	}
	return int(n)
}

func (r *ggufReader) text() string { return string(r.take(r.count("bytes of a string", maxGGUFText))) }

// value passes over the value of a pair, and returns those of type u32.
func (r *ggufReader) value(kind uint32, depth int) uint32 {
	size, plain := ggufSizes[kind]
	switch {
	case kind == ggufU32:
		return r.u32()
	case plain:
		r.take(size)
	case kind == ggufString:
		r.text()
	case kind == ggufList && depth < maxGGUFDepth:
		of, n := r.u32(), r.count("values of a list", maxGGUFText)
		if size, plain := ggufSizes[of]; plain {
			r.take(n * size)
			return 0
		}
		for range n {
			if r.err != nil {
				return 0
			}
			r.value(of, depth+1)
		}
	default:
		r.fail("a value of type %d", kind)
	}
	return 0
}

// ggufEntry describes a tensor.
type ggufEntry struct {
	name   string
	shape  []int
	kind   uint32
	offset uint64
}

func (r *ggufReader) entry() (e ggufEntry) {
	e.name = r.text()
	axes := r.u32()
	if axes > maxRank {
		r.fail("tensor %q has %d axes, want at most %d", clip(e.name), axes, maxRank)
		return e
	}
	e.shape = make([]int, axes)
	for i := range e.shape { // innermost first
		e.shape[len(e.shape)-1-i] = r.count("elements of an axis", math.MaxInt32)
	}
	e.kind, e.offset = r.u32(), r.u64()
	return e
}

// parseGGUF lists the tensors of a GGUF file of version 2 or 3. Blocks of eight bits are
// float32 tensors, which are computed when they are read.
//
// Source: ggml, "GGUF" (docs/gguf.md).
func (sd *StateDict) parseGGUF(data []byte) error {
	r := &ggufReader{data: data}
	r.take(len(ggufMagic))
	if v := r.u32(); r.err == nil && v != 2 && v != 3 {
		r.fail("version %d, want 2 or 3", v)
	}
	tensors, pairs := r.count("tensors", maxTensors), r.count("pairs", maxGGUFPairs)
	align := 32
	for range pairs {
		if r.err != nil {
			break
		}
		key, kind := r.text(), r.u32()
		if v := r.value(kind, 0); key == "general.alignment" {
			if align = int(v); kind != ggufU32 || align < 8 || align > maxAlignment || align%8 != 0 {
				r.fail("an alignment of %d, want a multiple of 8 up to %d", v, maxAlignment)
			}
		}
	}
	var entries []ggufEntry
	for range tensors {
		if r.err != nil {
			break
		}
		entries = append(entries, r.entry())
	}
	if r.err != nil {
		return &FormatError{Format: gguf, Err: r.err}
	}
	begin := (r.at + align - 1) / align * align
	for _, e := range entries {
		t, err := e.tensor(data[min(begin, len(data)):], align)
		if err == nil {
			t.file = sd.mapping()
			err = sd.Add(t)
		}
		if err != nil {
			return &FormatError{Format: gguf, Tensor: clip(e.name), Err: err}
		}
	}
	return nil
}

// tensor finds the elements of a tensor in the data of a file.
func (e ggufEntry) tensor(data []byte, align int) (Tensor, error) {
	kind, plain := ggufTypes[e.kind]
	if !plain && e.kind != q8Type {
		name := ggufNames[e.kind]
		if name == "" {
			name = fmt.Sprint(e.kind)
		}
		return Tensor{}, fmt.Errorf("elements of type %s, want F32, F16, BF16, F64, integers or Q8_0", name)
	}
	n, ok := dtype.Elements(e.shape, math.MaxInt32*8)
	if !ok || e.offset%uint64(align) != 0 || e.offset > uint64(len(data)) {
		return Tensor{}, fmt.Errorf("shape %v at byte %d of %d, want one that fits, at a multiple of %d", e.shape, e.offset, len(data), align)
	}
	size := n * int64(kind.Size())
	if !plain {
		if len(e.shape) == 0 || e.shape[len(e.shape)-1]%q8Block != 0 {
			return Tensor{}, fmt.Errorf("shape %v of Q8_0, want rows of a multiple of %d", e.shape, q8Block)
		}
		kind, size = F32, n/q8Block*q8Bytes
	}
	if size > int64(len(data))-int64(e.offset) {
		return Tensor{}, fmt.Errorf("%d bytes at byte %d, the file has %d%s", size, e.offset, len(data), cutOff)
	}
	raw := data[e.offset:][:size:size]
	t := Tensor{Name: e.name, Shape: e.shape, DType: kind, bytes: func() ([]byte, error) { return raw, nil }}
	if !plain {
		t.bytes = func() ([]byte, error) { return widenQ8(raw), nil }
	}
	return t, nil
}

// widenQ8 returns the float32 numbers of blocks of eight bits.
func widenQ8(raw []byte) []byte {
	var numbers [q8Block]float32
	var scale [1]float32
	out := make([]byte, 0, 4*len(raw)/q8Bytes*q8Block)
	for ; len(raw) > 0; raw = raw[q8Bytes:] {
		dtype.Float32s(F16, scale[:], raw)
		for i := range numbers {
			numbers[i] = scale[0] * float32(int8(raw[2+i]))
		}
		out = dtype.AppendFloat32s(F32, out, numbers[:])
	}
	return out
}
