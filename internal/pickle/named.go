package pickle

import (
	"errors"
	"fmt"
)

// named follows the instructions that import names and describe what is made
// with them.
func (m *machine) named(op byte) (bool, error) {
	switch op {
	case opGlobal:
		module, err := m.line()
		if err != nil {
			return true, err
		}
		name, err := m.line()
		if err != nil {
			return true, err
		}
		m.imported(Global{module, name})
	case opStackGlobal:
		return true, m.stackGlobal()
	case opBinPersID:
		return true, m.persistent()
	case opReduce, opNewObj:
		return true, m.call(2)
	case opNewObjEx: // keyword arguments come last
		return true, m.call(3)
	case opBuild:
		return true, m.build()
	default:
		return false, nil
	}
	return true, nil
}

func (m *machine) imported(name Global) {
	m.resolver.Import(name)
	m.push(name)
}

func (m *machine) stackGlobal() error {
	pair, err := m.popN(2)
	if err != nil {
		return err
	}
	module, ok1 := pair[0].(string)
	name, ok2 := pair[1].(string)
	if !ok1 || !ok2 {
		return errors.New("an imported name is not text")
	}
	m.imported(Global{module, name})
	return nil
}

func (m *machine) persistent() error {
	id, err := m.pop()
	if err != nil {
		return err
	}
	v, err := m.resolver.Persistent(id)
	if err != nil {
		return resolverError{"stored value", err}
	}
	m.push(v)
	return nil
}

// call takes a callable and its arguments, n values in all, from the stack and
// pushes what the resolver makes of them, or an inert object. Arguments of a
// call with keywords are never offered to the resolver.
func (m *machine) call(n int) error {
	values, err := m.popN(n)
	if err != nil {
		return err
	}
	args, ok := values[1].(*Tuple)
	if !ok {
		return fmt.Errorf("arguments are %T, want a tuple", values[1])
	}
	switch f := values[0].(type) {
	case Global:
		if n == 2 {
			v, ok, err := m.resolver.Call(f, args)
			if err != nil {
				return resolverError{f.String(), err}
			}
			if ok {
				m.push(v)
				return nil
			}
		}
		m.push(&Object{Class: f})
	case *Object: // a method or class that another call would have returned
		m.push(&Object{Class: f.Class})
	default:
		return fmt.Errorf("%T is not callable", values[0])
	}
	return nil
}

// build drops the attributes that would be set on an object. Dictionaries get
// attributes too: state dicts carry their version numbers that way.
func (m *machine) build() error {
	if _, err := m.pop(); err != nil {
		return err
	}
	into, err := m.top()
	if err != nil {
		return err
	}
	switch into.(type) {
	case *Object, *Dict:
		return nil
	}
	return fmt.Errorf("attributes set on %T", into)
}
