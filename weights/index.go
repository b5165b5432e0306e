package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
)

// isIndex reports whether a file says which file each tensor is in: its name ends in
// ".index.json", or in ".index.", a variant such as fp16, and ".json".
func isIndex(path string) bool {
	stem, ok := strings.CutSuffix(filepath.Base(path), ".json")
	return ok && (strings.HasSuffix(stem, ".index") || strings.Contains(stem, ".index."))
}

// Limits on what an index may ask for. A network of ten thousand tensors needs a
// megabyte, the largest published ones have ten times as many.
const (
	maxIndex  = 16 << 20
	maxShards = 4096
)

// indexError says why the files that a model is divided among do not make one.
type indexError struct {
	Path   string // of the index
	Shard  string // the file concerned, or empty
	Tensor string // the tensor concerned, or empty
	Reason string
	Err    error // cause, or nil
}

func (e *indexError) Error() string {
	s := "weights: " + quote.Text(e.Path)
	if e.Shard != "" {
		s += ": file " + quote.Text(e.Shard)
	}
	if e.Tensor != "" {
		s += ": tensor " + quote.Text(e.Tensor)
	}
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// As finds a [FormatError].
func (e *indexError) As(target any) bool { return asFormat(target, e.Tensor, e) }

// Unwrap returns the cause.
func (e *indexError) Unwrap() error { return e.Err }

// openIndex opens the files that an index names. Tensors are listed file by file, in
// the order of the names of the files.
func openIndex(path string, opts Options) (*StateDict, error) {
	places, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	shards := slices.Compact(slices.Sorted(maps.Values(places)))
	if len(shards) == 0 || len(shards) > maxShards {
		return nil, &indexError{Path: path, Reason: fmt.Sprintf("names %d files, want 1 to %d", len(shards), maxShards)}
	}
	all := &StateDict{}
	for _, name := range shards {
		if err := all.addShard(path, name, places, opts); err != nil {
			all.Close() // the first error says more
			return nil, err
		}
	}
	for _, tensor := range slices.Sorted(maps.Keys(places)) {
		if _, ok := all.Tensor(tensor); !ok {
			all.Close()
			return nil, &indexError{Path: path, Shard: places[tensor], Tensor: tensor, Reason: "is missing from its file"}
		}
	}
	return all, nil
}

// readIndex returns the file of every tensor.
func readIndex(path string) (map[string]string, error) {
	data, err := regular.ReadFile(path, maxIndex)
	if size := new(regular.SizeError); errors.As(err, &size) {
		return nil, &indexError{Path: path, Err: size}
	}
	if err != nil {
		return nil, err
	}
	var index struct {
		Places map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, &indexError{Path: path, Reason: "is no index", Err: err}
	}
	return index.Places, nil
}

// addShard adds the tensors of one file and takes the file over.
func (sd *StateDict) addShard(index, name string, places map[string]string, opts Options) error {
	if !filepath.IsLocal(name) || filepath.Base(name) != name || quote.Text(name) != name {
		return &indexError{Path: index, Shard: name, Reason: "is not the name of a file beside the index"}
	}
	shard, err := openFile(filepath.Join(filepath.Dir(index), name), opts)
	if err != nil {
		return &indexError{Path: index, Shard: name, Err: err}
	}
	sd.files = append(sd.files, shard.files...)
	sd.Format, sd.Skipped = shard.Format, append(sd.Skipped, shard.Skipped...)
	for _, t := range shard.tensors {
		if places[t.Name] != name {
			return &indexError{Path: index, Shard: name, Tensor: t.Name, Reason: "is in this file, but the index does not say so"}
		}
		if err := sd.Add(t); err != nil {
			return &indexError{Path: index, Shard: name, Err: err}
		}
	}
	return nil
}
