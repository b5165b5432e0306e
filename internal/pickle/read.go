package pickle

import "fmt"

// Resolver gives meaning to what a pickle names. The values it returns are
// comparable, as pointers are.
type Resolver interface {
	// Import is told every name that the pickle imports, used or not.
	Import(name Global)
	// Persistent returns the value behind an identifier that the writer of the
	// pickle stored elsewhere.
	Persistent(id Value) (Value, error)
	// Call returns the value that a name describes with the given arguments, or
	// false to leave it an inert [Object]. Nothing is executed: a reader knows a
	// handful of names and builds their values itself.
	Call(name Global, args *Tuple) (Value, bool, error)
}

// Read returns the value that a pickle describes.
func Read(data []byte, r Resolver) (Value, error) {
	v, _, err := ReadNext(data, r)
	return v, err
}

// ReadNext is Read for data in which more follows: it also returns what does.
func ReadNext(data []byte, r Resolver) (v Value, rest []byte, err error) {
	m := machine{data: data, resolver: r, memo: map[uint32]Value{}}
	for {
		m.start = m.pos
		op, err := m.byte()
		if err != nil {
			return nil, nil, m.fail(0, err)
		}
		if op == opStop {
			v, err := m.pop()
			if err == nil && len(m.marks) > 0 {
				err = fmt.Errorf("%d marks left open", len(m.marks))
			}
			if err != nil {
				return nil, nil, m.fail(op, err)
			}
			return v, data[m.pos:], nil
		}
		if err := m.step(op); err != nil {
			return nil, nil, m.fail(op, err)
		}
	}
}

// machine is the state of a pickle that is being read.
type machine struct {
	data     []byte
	pos      int // next byte
	start    int // position of the current instruction
	stack    []Value
	marks    []int // stack heights
	memo     map[uint32]Value
	resolver Resolver
}

// step follows one instruction. Each group returns false for the instructions
// of others.
func (m *machine) step(op byte) error {
	for _, group := range [...]func(*machine, byte) (bool, error){
		(*machine).scalar, (*machine).text, (*machine).memory,
		(*machine).container, (*machine).fill, (*machine).named,
	} {
		if ok, err := group(m, op); ok || err != nil {
			return err
		}
	}
	return fmt.Errorf("not an instruction of protocols %d to %d that is read here", minProtocol, maxProtocol)
}

// fail wraps an error with the place where it happened.
func (m *machine) fail(op byte, err error) error {
	if r, ok := err.(resolverError); ok {
		return &Error{Offset: m.start, Opcode: op, Reason: r.what, Err: r.err}
	}
	return &Error{Offset: m.start, Opcode: op, Reason: err.Error()}
}

// resolverError carries an error of the resolver to fail.
type resolverError struct {
	what string
	err  error
}

func (e resolverError) Error() string { return e.what + ": " + e.err.Error() }
