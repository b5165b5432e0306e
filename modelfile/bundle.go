package modelfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/weights"
)

// ErrNoModel is matched when a model is asked for that does not ship.
var ErrNoModel = errors.New("no such model")

// Bundle holds the models that ship with the program: the safetensors files in the
// folder "models" of a file system.
type Bundle struct{ Files fs.FS }

// suffix ends the names of the files of models.
const suffix = ".safetensors"

// Names lists the models.
func (b Bundle) Names() []string {
	files, err := fs.Glob(b.Files, "models/*"+suffix)
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), suffix))
	}
	return names
}

// Open returns the file of a model. The error for an unknown one lists the known and
// matches [ErrNoModel].
func (b Bundle) Open(name string) (*weights.StateDict, error) {
	data, err := fs.ReadFile(b.Files, "models/"+name+suffix)
	if err != nil {
		return nil, fmt.Errorf("%w: %s does not ship with the program; those that do are %s", ErrNoModel, quote.Text(name), strings.Join(b.Names(), ", "))
	}
	sd, err := weights.Parse(data, weights.Options{})
	if err != nil {
		return nil, &Error{Path: name, Reason: "cannot be read", Err: err}
	}
	return sd, nil
}
