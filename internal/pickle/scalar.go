package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// scalar follows the instructions that push a number or a constant.
func (m *machine) scalar(op byte) (bool, error) {
	switch op {
	case opNone:
		m.push(nil)
	case opNewTrue:
		m.push(true)
	case opNewFalse:
		m.push(false)
	case opBinInt1, opBinInt2, opBinInt:
		size := map[byte]int{opBinInt1: 1, opBinInt2: 2, opBinInt: 4}[op]
		n, err := m.uint(size)
		if op == opBinInt {
			n = uint64(int32(n))
		}
		m.push(int64(n))
		return true, err
	case opLong1, opLong4:
		size := map[byte]int{opLong1: 1, opLong4: 4}[op]
		b, err := m.counted(size)
		m.push(long(b, m.start))
		return true, err
	case opBinFloat:
		b, err := m.bytes(8)
		if err != nil {
			return true, err
		}
		m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
	default:
		return false, nil
	}
	return true, nil
}

// long decodes a little-endian two's complement integer of any length.
func long(b []byte, offset int) Value {
	if len(b) > 8 {
		return BigInt{offset}
	}
	if len(b) == 0 {
		return int64(0)
	}
	wide := [8]byte{}
	if b[len(b)-1]&0x80 != 0 {
		wide = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}
	}
	copy(wide[:], b)
	return int64(binary.LittleEndian.Uint64(wide[:]))
}

// text follows the instructions that push text or bytes, and those that frame
// the pickle itself.
func (m *machine) text(op byte) (bool, error) {
	var b []byte
	var err error
	switch op {
	case opBinUnicode, opBinString, opBinBytes:
		b, err = m.counted(4)
	case opShortBinUnicode, opShortBinString, opShortBinBytes:
		b, err = m.counted(1)
	case opBinUnicode8, opBinBytes8, opByteArray8:
		b, err = m.counted(8)
	case opProto:
		return true, m.protocol()
	case opFrame:
		n, err := m.uint(8)
		if err == nil && n > uint64(len(m.data)-m.pos) {
			err = fmt.Errorf("frame of %d bytes, %d left", n, len(m.data)-m.pos)
		}
		return true, err
	default:
		return false, nil
	}
	if err != nil {
		return true, err
	}
	switch op {
	case opBinUnicode, opShortBinUnicode, opBinUnicode8:
		if !utf8.Valid(b) {
			return true, errors.New("text is not UTF-8")
		}
		m.push(string(b))
	default:
		m.push(append([]byte(nil), b...))
	}
	return true, nil
}

func (m *machine) protocol() error {
	v, err := m.byte()
	if err == nil && (v < minProtocol || v > maxProtocol) {
		err = fmt.Errorf("protocol %d, want %d to %d", v, minProtocol, maxProtocol)
	}
	return err
}

// memory follows the instructions that store and fetch values by number.
func (m *machine) memory(op byte) (bool, error) {
	switch op {
	case opBinPut, opBinGet, opLongBinPut, opLongBinGet:
		size := map[byte]int{opBinPut: 1, opBinGet: 1, opLongBinPut: 4, opLongBinGet: 4}[op]
		n, err := m.uint(size)
		if err != nil {
			return true, err
		}
		if op == opBinPut || op == opLongBinPut {
			return true, m.remember(uint32(n))
		}
		v, ok := m.memo[uint32(n)]
		if !ok {
			return true, fmt.Errorf("memo %d was never stored", n)
		}
		m.push(v)
	case opMemoize:
		return true, m.remember(uint32(len(m.memo)))
	default:
		return false, nil
	}
	return true, nil
}

func (m *machine) remember(n uint32) error {
	v, err := m.top()
	if err == nil {
		m.memo[n] = v
	}
	return err
}
