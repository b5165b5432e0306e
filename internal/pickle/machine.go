package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	errEmptyStack = errors.New("the stack is empty")
	errNoMark     = errors.New("no mark on the stack")
)

func (m *machine) byte() (byte, error) {
	b, err := m.bytes(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// bytes returns the next n bytes of the pickle without copying them.
func (m *machine) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(m.data)-m.pos) {
		return nil, fmt.Errorf("the pickle ends here: %d bytes wanted, %d left", n, len(m.data)-m.pos)
	}
	b := m.data[m.pos : m.pos+int(n)]
	m.pos += int(n)
	return b, nil
}

// uint reads a little-endian unsigned number of 1, 2, 4 or 8 bytes.
func (m *machine) uint(size int) (uint64, error) {
	b, err := m.bytes(uint64(size))
	if err != nil {
		return 0, err
	}
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:]), nil
}

// counted reads a length of the given size and that many bytes.
func (m *machine) counted(size int) ([]byte, error) {
	n, err := m.uint(size)
	if err != nil {
		return nil, err
	}
	return m.bytes(n)
}

// line reads up to a newline, which it drops.
func (m *machine) line() (string, error) {
	for i, b := range m.data[m.pos:] {
		if b == '\n' {
			s := string(m.data[m.pos : m.pos+i])
			m.pos += i + 1
			return s, nil
		}
	}
	return "", errors.New("the pickle ends within a name")
}

func (m *machine) push(v Value) { m.stack = append(m.stack, v) }

// floor is the height below which values belong to an outer mark.
func (m *machine) floor() int {
	if len(m.marks) == 0 {
		return 0
	}
	return m.marks[len(m.marks)-1]
}

func (m *machine) pop() (Value, error) {
	v, err := m.top()
	if err == nil {
		m.stack = m.stack[:len(m.stack)-1]
	}
	return v, err
}

func (m *machine) top() (Value, error) {
	if len(m.stack) <= m.floor() {
		return nil, errEmptyStack
	}
	return m.stack[len(m.stack)-1], nil
}

// popN removes the top n values and returns a copy of them.
func (m *machine) popN(n int) ([]Value, error) {
	if len(m.stack)-m.floor() < n {
		return nil, errEmptyStack
	}
	cut := len(m.stack) - n
	items := append([]Value(nil), m.stack[cut:]...)
	m.stack = m.stack[:cut]
	return items, nil
}

// popMark removes the values above the last mark, and the mark. The result is
// valid until the next push.
func (m *machine) popMark() ([]Value, error) {
	if len(m.marks) == 0 {
		return nil, errNoMark
	}
	cut := m.floor()
	items := m.stack[cut:]
	m.stack = m.stack[:cut]
	m.marks = m.marks[:len(m.marks)-1]
	return items, nil
}
