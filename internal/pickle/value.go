package pickle

import "fmt"

// Value is what a pickle describes: nil, bool, int64, float64, string, []byte,
// [*Tuple], [*List], [*Dict], [*Set], [Global], [*Object], [BigInt], or what a
// [Resolver] returned.
type Value any

// Tuple is a Python tuple.
type Tuple struct{ Items []Value }

// List is a Python list.
type List struct{ Items []Value }

// Set is a Python set or frozenset. Its members are dropped; what is left is the
// position of the instruction that made it, which tells sets apart.
type Set struct{ Offset int }

// BigInt is an integer that does not fit int64. Its digits are dropped, as the
// members of a [Set] are.
type BigInt struct{ Offset int }

// Global is a name that a pickle imports: a class or a function.
type Global struct{ Module, Name string }

// String returns the dotted name, shortened and quoted where it is not plain.
func (g Global) String() string {
	name := g.Module + "." + g.Name
	if len(name) > 120 {
		name = name[:120] + "…"
	}
	for i := range len(name) {
		if name[i] < ' ' || name[i] > '~' {
			return fmt.Sprintf("%q", name)
		}
	}
	return name
}

// Object stands for the result of calling a name that has no meaning here. It
// keeps nothing but that name.
type Object struct{ Class Global }

// Dict is a Python dict in the order of insertion.
type Dict struct {
	Keys, Values []Value
	index        map[Value]int
}

// Get returns the value of a key.
func (d *Dict) Get(key Value) (Value, bool) {
	i, ok := d.index[hashable(key)]
	if !ok {
		return nil, false
	}
	return d.Values[i], true
}

// set inserts or, as Python does, replaces the value and keeps the first place.
func (d *Dict) set(key, value Value) {
	k := hashable(key)
	if i, ok := d.index[k]; ok {
		d.Values[i] = value
		return
	}
	if d.index == nil {
		d.index = map[Value]int{}
	}
	d.index[k] = len(d.Keys)
	d.Keys = append(d.Keys, key)
	d.Values = append(d.Values, value)
}

// hashable returns a comparable stand-in for a key: scalars stand for
// themselves, bytes for their text, the rest compares by identity.
func hashable(key Value) Value {
	if b, ok := key.([]byte); ok {
		return bytesKey(b)
	}
	return key
}

type bytesKey string
