package torchfile

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/internal/pickle"
)

// The names with a meaning.
var (
	orderedDict      = pickle.Global{Module: "collections", Name: "OrderedDict"}
	rebuildTensor    = pickle.Global{Module: "torch._utils", Name: "_rebuild_tensor_v2"}
	rebuildParameter = pickle.Global{Module: "torch._utils", Name: "_rebuild_parameter"}
)

// maxForeign bounds the names kept for messages.
const maxForeign = 32

// resolver gives the names of torch.save their meaning and notes all others.
type resolver struct {
	archive  *archive // nil when the elements follow the description
	size     int64    // of the file
	storages map[string]*Storage
	foreign  []string
}

func (r *resolver) Import(name pickle.Global) {
	switch {
	case name == orderedDict, name == rebuildTensor, name == rebuildParameter:
		return
	case name.Module == "torch" && storageTypes[name.Name] != 0:
		return
	}
	if s := name.String(); len(r.foreign) < maxForeign && !slices.Contains(r.foreign, s) {
		r.foreign = append(r.foreign, s)
	}
}

// Persistent opens the storage behind ("storage", class, key, location, elements), to
// which files of before version 1.6 add the part of another storage that it is, or
// None.
func (r *resolver) Persistent(id pickle.Value) (pickle.Value, error) {
	fields := 5
	if r.archive == nil {
		fields = 6
	}
	t, ok := id.(*pickle.Tuple)
	if !ok || len(t.Items) != fields || t.Items[0] != pickle.Value("storage") {
		return nil, fmt.Errorf("want a storage of %d fields", fields)
	}
	if fields == 6 && t.Items[5] != nil {
		return nil, errors.New("a storage that is a part of another is not read; save the file again with a newer PyTorch")
	}
	class, ok1 := t.Items[1].(pickle.Global)
	key, ok2 := t.Items[2].(string)
	location, ok3 := t.Items[3].(string)
	elements, ok4 := t.Items[4].(int64)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, errors.New("a field of the storage has the wrong type")
	}
	d := storageTypes[class.Name]
	if class.Module != "torch" || d == 0 {
		return nil, fmt.Errorf("elements of class %v are not read", class)
	}
	return r.storage(key, location, d, elements)
}

// Call builds the values of the known names.
func (r *resolver) Call(name pickle.Global, args *pickle.Tuple) (pickle.Value, bool, error) {
	switch name {
	case orderedDict:
		if len(args.Items) != 0 {
			return nil, false, errors.New("items as arguments (a Python 2 pickle) are not read")
		}
		return &pickle.Dict{}, true, nil
	case rebuildTensor:
		v, err := newTensor(args.Items)
		return v, true, err
	case rebuildParameter:
		if len(args.Items) > 0 {
			if v, ok := args.Items[0].(*Tensor); ok {
				return v, true, nil
			}
		}
		return nil, false, errors.New("want a tensor as first argument")
	}
	return nil, false, nil
}
