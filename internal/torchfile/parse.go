package torchfile

import "github.com/go-pcd/pcd/internal/pickle"

// Limits on what a file may ask for. Real checkpoints of the networks here have
// pickles below 1 MiB, five levels and a thousand tensors.
const (
	maxPickle = 4 << 20  // bytes of data.pkl
	maxDepth  = 64       // nested containers
	maxNames  = 64 << 20 // bytes of all paths together
	maxShare  = 64       // bytes of all tensors, as a multiple of the file
)

// Options selects what to read.
type Options struct {
	// SkipObjects passes over values that are not plain data or tensors instead
	// of refusing the file. Zero: refuse.
	SkipObjects bool
}

// File lists the tensors of an archive.
type File struct {
	Tensors []Tensor
	// Skipped lists the names that the file imports and that were passed over,
	// in file order, without repetition.
	Skipped []string
}

// Parse finds the tensors in an archive. Names are the keys on the way to a
// tensor, joined by dots; a file that holds one bare tensor gives it the empty
// name. Numbers, text and other plain data are passed over.
//
// A checkpoint with the key "state_dicts" at its root (Diffusion Policy's
// layout: cfg, state_dicts, pickles) is read below that key only; objects
// beside it do not matter.
//
// The File refers to data, which must not change.
func Parse(data []byte, opts Options) (*File, error) {
	a, err := openArchive(data)
	if err != nil {
		return nil, err
	}
	program, err := a.program()
	if err != nil {
		return nil, err
	}
	r := &resolver{archive: a, storages: map[string]*Storage{}}
	root, err := pickle.Read(program, r)
	if err != nil {
		return nil, &Error{Part: a.pickle.Name, Reason: "not a readable pickle", Err: err}
	}
	return r.collect(root, opts, len(data), len(program))
}

// collect finds the tensors below the root of a description.
func (r *resolver) collect(root pickle.Value, opts Options, size, nodes int) (*File, error) {
	w := &walker{skip: opts.SkipObjects, budget: maxShare * int64(size), nodes: nodes}
	path, root, checkpoint := checkpointRoot(root)
	if len(r.foreign) > 0 && !opts.SkipObjects && !checkpoint {
		return nil, &GlobalError{Names: r.foreign}
	}
	if err := w.walk(path, root, 0); err != nil {
		return nil, err
	}
	return &File{Tensors: w.tensors, Skipped: r.foreign}, nil
}

// checkpointRoot returns the part of a training checkpoint that holds tensors.
func checkpointRoot(root pickle.Value) (path string, part pickle.Value, ok bool) {
	const key = "state_dicts"
	if d, isDict := root.(*pickle.Dict); isDict {
		if v, found := d.Get(key); found {
			if _, isDict := v.(*pickle.Dict); isDict {
				return key, v, true
			}
		}
	}
	return "", root, false
}
