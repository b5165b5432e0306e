package plan

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-pcd/pcd/weights"
)

// bundle holds the models that ship with the program.
//
//go:embed models
var bundle embed.FS

// ErrNoModel is matched when a model is asked for that does not ship.
var ErrNoModel = errors.New("plan: no such model")

// BundledNames lists the models that ship with the program.
func BundledNames() []string {
	files, err := fs.Glob(bundle, "models/*.safetensors")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), ".safetensors"))
	}
	return names
}

// Bundled returns the model of a map that ships with the program. The error for
// an unknown one lists the known and matches [ErrNoModel].
func Bundled(name string) (*Model, error) {
	data, err := bundle.ReadFile("models/" + name + ".safetensors")
	if err != nil {
		return nil, fmt.Errorf("%w: %q does not ship with the program; those that do are %s", ErrNoModel, name, strings.Join(BundledNames(), ", "))
	}
	sd, err := weights.Parse(data, weights.Options{})
	if err != nil {
		return nil, &ModelError{Path: name, Reason: "cannot be read", Err: err}
	}
	defer sd.Close()
	return fromStateDict(name, sd)
}
