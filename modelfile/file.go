package modelfile

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/weights"
)

// The largest sizes of a description that tensors do not tell. The published models
// have 64 waypoints and 25 to 1000 steps.
const (
	MaxHorizon = 4096
	MaxSteps   = 10000
)

// Spec describes a model whose network is of type N.
type Spec[N Parameters] interface {
	// Check returns what is wrong with the description by itself.
	Check() error
	// Layout returns the names and shapes of the network's parameters without
	// allocating anything for their elements.
	Layout() ([]weights.Spec, error)
	// NewNetwork returns the network with zero weights, whose batches are shared among
	// a number of goroutines; 0 is one per processor.
	NewNetwork(workers int) (N, error)
}

// Error says why a file or folder is not a model that can be used.
type Error struct {
	Path   string
	Reason string
	Err    error // cause, or nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("model %s: %s", quote.Text(e.Path), e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// trainedFile is the name of the model in the folder of a training.
const trainedFile = "model.safetensors"

// File returns the file of a model: path, or that in the folder of a training. Folders
// that say in config.json what their weights are stay folders.
func File(path string) string {
	file := filepath.Join(path, trainedFile)
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return path
	}
	if _, err := os.Stat(filepath.Join(path, "config.json")); err == nil {
		return path
	}
	return file
}

// Open opens the file of a model, or that in the folder of a training. The caller closes
// it.
func Open(path string) (*weights.StateDict, error) {
	path = File(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Path: path, Reason: "cannot be read", Err: err}
	}
	if info.IsDir() {
		return nil, &Error{Path: path, Reason: "is a folder without " + trainedFile + ", which a training writes with every checkpoint", Err: fs.ErrNotExist}
	}
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		return nil, &Error{Path: path, Reason: "cannot be read", Err: err}
	}
	return sd, nil
}

// Describe reads the description under a key of the metadata into spec, and reports
// whether there is one.
func Describe(path string, sd *weights.StateDict, key string, spec any) (bool, error) {
	text, ok := sd.Metadata[key]
	if !ok {
		return false, nil
	}
	if len(text) > maxSettings {
		return true, &Error{Path: path, Reason: fmt.Sprintf("its description has %d bytes, want at most %d", len(text), maxSettings)}
	}
	if err := json.Unmarshal([]byte(text), spec); err != nil {
		return true, &Error{Path: path, Reason: "its description cannot be read", Err: err}
	}
	return true, nil
}

// Load makes the network of a description and fills it. The description is compared
// with the tensors first; keys renames them.
func Load[N Parameters](path string, spec Spec[N], sd *weights.StateDict, keys weights.KeyMap) (N, error) {
	var none N
	if err := spec.Check(); err != nil {
		return none, &Error{Path: path, Reason: "its description cannot be used", Err: err}
	}
	layout, err := spec.Layout()
	if err != nil {
		return none, &Error{Path: path, Reason: "its description cannot be used", Err: err}
	}
	options := weights.LoadOptions{Keys: keys}
	if err := weights.Check(layout, sd, options); err != nil {
		return none, &Error{Path: path, Reason: "its weights do not fit", Err: err}
	}
	net, err := spec.NewNetwork(1) // the sampler shares the rows out among goroutines
	if err != nil {
		return none, &Error{Path: path, Reason: "its network cannot be made", Err: err}
	}
	if err := weights.Load(Targets(net), sd, options); err != nil {
		return none, &Error{Path: path, Reason: "its weights do not fit", Err: err}
	}
	net.Refresh()
	return net, nil
}

// Targets lists the [State] of a network for loading.
func Targets(net Parameters) []weights.Target {
	params := State(net)
	out := make([]weights.Target, len(params))
	for i, p := range params {
		out[i] = weights.Target{Name: p.Name, Shape: p.Shape, Data: p.Data}
	}
	return out
}
