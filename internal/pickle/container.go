package pickle

import (
	"errors"
	"fmt"
)

// container follows the instructions that push containers, and those that move
// values about the stack.
func (m *machine) container(op byte) (bool, error) {
	switch op {
	case opMark:
		m.marks = append(m.marks, len(m.stack))
	case opPop:
		if len(m.marks) > 0 && len(m.stack) == m.floor() { // as Python: drops the mark
			_, err := m.popMark()
			return true, err
		}
		_, err := m.pop()
		return true, err
	case opPopMark:
		_, err := m.popMark()
		return true, err
	case opDup:
		v, err := m.top()
		if err != nil {
			return true, err
		}
		m.push(v)
	case opEmptyDict:
		m.push(&Dict{})
	case opEmptyList:
		m.push(&List{})
	case opEmptySet:
		m.push(&Set{m.start})
	case opEmptyTuple:
		m.push(&Tuple{})
	case opTuple1, opTuple2, opTuple3:
		items, err := m.popN(int(op-opTuple1) + 1)
		m.push(&Tuple{Items: items})
		return true, err
	case opTuple:
		items, err := m.popMark()
		m.push(&Tuple{Items: append([]Value(nil), items...)})
		return true, err
	case opFrozenSet:
		_, err := m.popMark()
		m.push(&Set{m.start})
		return true, err
	default:
		return false, nil
	}
	return true, nil
}

// fill follows the instructions that add members to a container.
func (m *machine) fill(op byte) (bool, error) {
	var items []Value
	var err error
	switch op {
	case opAppend:
		items, err = m.popN(1)
	case opSetItem:
		items, err = m.popN(2)
	case opAppends, opSetItems, opAddItems:
		items, err = m.popMark()
	default:
		return false, nil
	}
	if err != nil {
		return true, err
	}
	into, err := m.top()
	if err != nil {
		return true, err
	}
	if _, inert := into.(*Object); inert {
		return true, nil
	}
	switch op {
	case opAppend, opAppends:
		return true, appendTo(into, items)
	case opSetItem, opSetItems:
		return true, setIn(into, items)
	}
	if _, ok := into.(*Set); !ok {
		return true, fmt.Errorf("members added to %T, want a set", into)
	}
	return true, nil
}

func appendTo(into Value, items []Value) error {
	list, ok := into.(*List)
	if !ok {
		return fmt.Errorf("items appended to %T, want a list", into)
	}
	list.Items = append(list.Items, items...)
	return nil
}

func setIn(into Value, items []Value) error {
	dict, ok := into.(*Dict)
	if !ok {
		return fmt.Errorf("items set in %T, want a dict", into)
	}
	if len(items)%2 != 0 {
		return errors.New("a key without a value")
	}
	for i := 0; i < len(items); i += 2 {
		dict.set(items[i], items[i+1])
	}
	return nil
}
