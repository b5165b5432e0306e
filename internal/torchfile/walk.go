package torchfile

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/pickle"
)

// walker collects the tensors below a value. Containers can be shared and can
// hold themselves, so what it visits is bounded, not only how deep it goes.
type walker struct {
	skip    bool // pass over objects instead of refusing them
	tensors []Tensor
	open    []pickle.Value // containers on the way to the current value
	names   int            // bytes of all paths so far
	nodes   int            // members that may still be visited
	budget  int64          // bytes of tensors that may still be described
}

func (w *walker) walk(path string, v pickle.Value, depth int) error {
	if err := w.spend(path, depth); err != nil {
		return err
	}
	switch v := v.(type) {
	case *Tensor:
		return w.add(path, v)
	case pickle.Global:
		return w.foreign(path, v)
	case *pickle.Object:
		return w.foreign(path, v.Class)
	case *pickle.Dict:
		return w.enter(path, v, depth, v.Keys, v.Values)
	case *pickle.List:
		return w.enter(path, v, depth, nil, v.Items)
	case *pickle.Tuple:
		return w.enter(path, v, depth, nil, v.Items)
	}
	return nil
}

// spend charges the bounds for one more value.
func (w *walker) spend(path string, depth int) error {
	w.names += len(path)
	switch {
	case depth > maxDepth:
		return &LimitError{What: "PyTorch archive: nested containers at " + clip(path), Value: int64(depth), Limit: maxDepth}
	case w.names > maxNames:
		return &LimitError{What: "PyTorch archive: bytes of all names", Value: int64(w.names), Limit: maxNames}
	}
	return nil
}

func (w *walker) foreign(path string, name pickle.Global) error {
	if w.skip {
		return nil
	}
	return &GlobalError{Path: clip(path), Names: []string{name.String()}}
}

// enter visits the members of a container; keys is nil for a sequence.
func (w *walker) enter(path string, c pickle.Value, depth int, keys, values []pickle.Value) error {
	if slices.Contains(w.open, c) {
		return &Error{Part: clip(path), Reason: "the container holds itself"}
	}
	if w.nodes -= len(values); w.nodes < 0 {
		return &Error{Part: clip(path), Reason: "containers are shared so often that there are more values than bytes"}
	}
	w.open = append(w.open, c)
	for i, v := range values {
		if !holdsMore(v) {
			continue
		}
		part := strconv.Itoa(i)
		if keys != nil {
			var err error
			if part, err = keyName(path, keys[i]); err != nil {
				return err
			}
		}
		if path != "" {
			part = path + "." + part
		}
		if err := w.walk(part, v, depth+1); err != nil {
			return err
		}
	}
	w.open = w.open[:len(w.open)-1]
	return nil
}

// holdsMore reports whether a value is more than a number or text.
func holdsMore(v pickle.Value) bool {
	switch v.(type) {
	case *Tensor, pickle.Global, *pickle.Object, *pickle.Dict, *pickle.List, *pickle.Tuple:
		return true
	}
	return false
}

func keyName(path string, key pickle.Value) (string, error) {
	switch k := key.(type) {
	case string:
		return k, nil
	case int64:
		return strconv.FormatInt(k, 10), nil
	case pickle.Global: // a class, as trainings name their callbacks by; it stays a name
		return k.String(), nil
	}
	return "", &Error{Part: clip(path), Reason: fmt.Sprintf("a key is %T, want text or an integer", key)}
}

func (w *walker) add(name string, t *Tensor) error {
	n, _ := dtype.Elements(t.Shape, t.Storage.Elements)
	w.budget -= n * int64(t.Storage.DType.Size())
	if w.budget < 0 {
		return &Error{Part: clip(name), Reason: fmt.Sprintf("tensors share storages so often that they are %d times larger than the file", maxShare)}
	}
	named := *t
	named.Name = name
	w.tensors = append(w.tensors, named)
	return nil
}
