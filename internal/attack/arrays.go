package attack

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"regexp"
)

// Safetensors changes the header of a safetensors file, its length or the data.
func Safetensors(r *rand.Rand, file []byte) []byte {
	if len(file) < 8 || r.IntN(8) == 0 {
		return Bytes(r, file)
	}
	n := binary.LittleEndian.Uint64(file)
	if n > uint64(len(file)-8) {
		return Bytes(r, file)
	}
	header, data := JSON(r, file[8:8+n]), file[8+n:]
	length := uint64(len(header))
	switch r.IntN(8) {
	case 0:
		data = Bytes(r, data)
	case 1:
		length += uint64(r.IntN(64)) - 32
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, length), header...), data...)
}

var (
	npyNumber = regexp.MustCompile(`\d+`)
	npyType   = regexp.MustCompile(`'[<>|=][a-z]\d'`)
	npyTypes  = []string{"'<f8'", "'>f2'", "'|O'", "'|b1'", "'<U4'", "'<c16'", "'<i8'", "'|u1'", "'f4'", "[('a', '<f4')]"}
	npyShapes = []string{"(", ")", ",,", "0, 9223372036854775807", "65536, 65536, 65536", "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1", "-1"}
)

// NPY changes the header of an .npy file, or the data.
func NPY(r *rand.Rand, file []byte) []byte {
	end := bytes.IndexByte(file, '\n')
	if end < 10 || r.IntN(6) == 0 {
		return Bytes(r, file)
	}
	header, data := string(file[10:end]), file[end:]
	switch r.IntN(4) {
	case 0:
		header = replaceOne(r, header, npyType, pick(r, npyTypes))
	case 1:
		header = replaceOne(r, header, npyNumber, pick(r, npyShapes))
	case 2:
		header = string(Bytes(r, []byte(header)))
	default:
		header = replaceOne(r, header, npyNumber, pick(r, numbers))
	}
	out := append(bytes.Clone(file[:8]), binary.LittleEndian.AppendUint16(nil, uint16(len(header)+1))...)
	return append(append(out, header...), data...)
}

// pickleCodes are operations of a pickle with what follows them: marks, memos, frames,
// globals, reductions and lengths.
var pickleCodes = []string{
	"(", "0", "2", "R", "b", "t", "\x85", "\x86", "\x87", "q\x00", "h\x00", "r\xff\xff\xff\x7f", "j\xff\xff\xff\x7f", "}", "]", "u", "e", "a", "s", ".", "Q", "\x93", "\x94", "\x95\xff\xff\xff\xff\xff\xff\xff\x7f",
	"cos\nsystem\n", "ctorch\nFloatStorage\n", "c__builtin__\neval\n", "X\xff\xff\xff\x7f", "X\x04\x00\x00\x00evil", "B\xff\xff\xff\xff", "\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", "\x8a\xff", "\x8b\xff\xff\xff\x7f", "J\xff\xff\xff\xff", "K\x00", "M\xff\xff", "G\x7f\xf0\x00\x00\x00\x00\x00\x00", "N", "\x88",
}

// Pickle inserts, replaces and removes operations of a pickle.
func Pickle(r *rand.Rand, file []byte) []byte {
	out := bytes.Clone(file)
	for range 1 + r.IntN(4) {
		if len(out) == 0 || r.IntN(4) == 0 {
			out = Bytes(r, out)
			continue
		}
		at := r.IntN(len(out))
		code := []byte(pick(r, pickleCodes))
		code = bytes.Repeat(code, pick(r, []int{1, 1, 1, 3, 5000}))
		rest := out[min(len(out), at+r.IntN(3)):]
		out = append(append(bytes.Clone(out[:at]), code...), rest...)
	}
	return out
}
