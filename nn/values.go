package nn

import "fmt"

// unsetError says that a parameter has no values yet.
type unsetError struct{ Name string }

func (e *unsetError) Error() string {
	return fmt.Sprintf("nn: parameter %s has no values; load weights, or call Init, and then Refresh", e.Name)
}

// keptError says that a parameter cannot change, because its values are kept as a file
// holds them.
type keptError struct{ Name string }

func (e *keptError) Error() string {
	return fmt.Sprintf("nn: parameter %s is kept as its file holds it, and cannot be trained; load it as float32", e.Name)
}

// isSet reports whether the parameter has as many values as its shape says.
func (p *Param) isSet() bool { return p.tensor().Len() == p.Shape.Size() }

// unset returns an error for the first parameter without values.
func (p *params) unset() error {
	for _, list := range [][]*Param{p.list, p.buffers} {
		for _, q := range list {
			if !q.isSet() {
				return &unsetError{q.Name}
			}
		}
	}
	return nil
}
