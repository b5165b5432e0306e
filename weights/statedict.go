package weights

import (
	"errors"
	"slices"
	"strings"
)

// StateDict is an ordered collection of tensors with distinct names. The zero
// value is empty and ready to use.
type StateDict struct {
	Format   string            // of the file it came from
	Metadata map[string]string // free text of a safetensors file
	Skipped  []string          // classes and functions of a PyTorch file that were passed over

	tensors []Tensor
	index   map[string]int
	files   []*mapping
}

// Add appends tensors. It returns a [FormatError] for a name that is taken.
func (sd *StateDict) Add(tensors ...Tensor) error {
	if sd.index == nil {
		sd.index = make(map[string]int, len(tensors))
	}
	for _, t := range tensors {
		if _, taken := sd.index[t.Name]; taken {
			return &nameError{Name: t.Name}
		}
		sd.index[t.Name] = len(sd.tensors)
		sd.tensors = append(sd.tensors, t)
	}
	return nil
}

// Tensors returns the tensors in file order.
func (sd *StateDict) Tensors() []Tensor { return slices.Clone(sd.tensors) }

// Len returns the number of tensors.
func (sd *StateDict) Len() int { return len(sd.tensors) }

// Tensor returns the tensor with the given name.
func (sd *StateDict) Tensor(name string) (Tensor, bool) {
	i, ok := sd.index[name]
	if !ok {
		return Tensor{}, false
	}
	return sd.tensors[i], true
}

// Sub returns the tensors whose names begin with prefix, without it. The result
// shares the file of sd.
func (sd *StateDict) Sub(prefix string) *StateDict {
	out, err := sd.Rename(KeyMap{StripPrefix(prefix), DropOthers()})
	if err != nil {
		panic(err) // names that share a prefix stay distinct without it
	}
	return out
}

// Rename returns the tensors under the names that keys gives them, without those
// that it drops. It returns a [FormatError] when two get the same name. The result
// shares the file of sd.
func (sd *StateDict) Rename(keys KeyMap) (*StateDict, error) {
	out := &StateDict{Format: sd.Format, Metadata: sd.Metadata, Skipped: sd.Skipped, files: sd.files}
	for _, t := range sd.tensors {
		name, keep := keys.Apply(t.Name)
		if !keep {
			continue
		}
		t.Name = name
		if err := out.Add(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// FileBytes returns the length of the files that the tensors are in, 0 for tensors in
// memory.
func (sd *StateDict) FileBytes() (n int64) {
	for _, f := range sd.files {
		n += f.size()
	}
	return n
}

// Close releases the files. Their tensors return an error from then on, also
// those of collections derived from it.
func (sd *StateDict) Close() error {
	var err error
	for _, f := range sd.files {
		err = errors.Join(err, f.close())
	}
	return err
}

// KeyMap renames tensors: the first rule that applies to a name decides; a name
// to which none applies stays.
type KeyMap []Rule

// Rule is one line of a [KeyMap]; see [StripPrefix], [Rename],
// [Drop] and [DropOthers].
type Rule struct {
	From  string // name or beginning of names
	To    string // what replaces From
	Exact bool   // From is a whole name
	Drop  bool   // leave the tensor out
}

// StripPrefix removes a prefix, for instance "model.".
func StripPrefix(prefix string) Rule { return Rule{From: prefix} }

// Rename gives one tensor another name.
func Rename(from, to string) Rule { return Rule{From: from, To: to, Exact: true} }

// Drop leaves out all tensors with a prefix.
func Drop(prefix string) Rule { return Rule{From: prefix, Drop: true} }

// DropOthers leaves out what no earlier rule applied to.
func DropOthers() Rule { return Drop("") }

// Apply returns the new name of a tensor, and false when it is left out.
func (m KeyMap) Apply(name string) (string, bool) {
	for _, r := range m {
		if r.Exact && name == r.From || !r.Exact && strings.HasPrefix(name, r.From) {
			return r.To + name[len(r.From):], !r.Drop
		}
	}
	return name, true
}
