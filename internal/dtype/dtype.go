// Package dtype names the element types of stored arrays and converts their
// little-endian bytes to numbers and back.
//
// It serves the decoders of weights and data sets, which meet the same dozen
// element types under different names.
package dtype

import "fmt"

// DType is the element type of a stored array.
type DType uint8

// The element types. [Invalid] is the zero value.
const (
	Invalid DType = iota
	F32
	F64
	F16
	BF16
	I64
	I32
	I16
	I8
	U64
	U32
	U16
	U8
	Bool
	F8E4M3
	F8E5M2
)

var table = [...]struct {
	name  string
	size  int
	class class
}{
	Invalid: {"invalid", 0, other},
	F32:     {"float32", 4, float},
	F64:     {"float64", 8, float},
	F16:     {"float16", 2, float},
	BF16:    {"bfloat16", 2, float},
	I64:     {"int64", 8, integer},
	I32:     {"int32", 4, integer},
	I16:     {"int16", 2, integer},
	I8:      {"int8", 1, integer},
	U64:     {"uint64", 8, other},
	U32:     {"uint32", 4, integer},
	U16:     {"uint16", 2, integer},
	U8:      {"uint8", 1, integer},
	Bool:    {"bool", 1, integer},
	F8E4M3:  {"float8_e4m3", 1, other},
	F8E5M2:  {"float8_e5m2", 1, other},
}

type class uint8

const (
	other   class = iota // recognised, never converted
	float                // converts to float32
	integer              // converts to int64 without loss
)

// Size returns the bytes of one element.
func (d DType) Size() int { return table[d.index()].size }

// Float reports whether elements convert to float32: float32, float64, float16
// and bfloat16.
func Float(d DType) bool { return table[d.index()].class == float }

// Integer reports whether elements convert to int64 without loss; bool counts
// as 0 and 1, uint64 does not convert.
func Integer(d DType) bool { return table[d.index()].class == integer }

// String returns the name as NumPy and PyTorch write it.
func (d DType) String() string {
	if int(d) >= len(table) {
		return fmt.Sprintf("DType(%d)", int(d))
	}
	return table[d].name
}

// MarshalText writes the name, for JSON summaries.
func (d DType) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Parse returns the element type with the given name, or false.
func Parse(name string) (DType, bool) {
	for i, row := range table {
		if i > 0 && row.name == name {
			return DType(i), true
		}
	}
	return Invalid, false
}

// index maps values that are no type to Invalid.
func (d DType) index() int {
	if int(d) >= len(table) {
		return int(Invalid)
	}
	return int(d)
}
