package plan

import (
	"embed"

	"github.com/go-pcd/pcd/modelfile"
)

//go:embed models
var files embed.FS

// bundle holds the models that ship with the program.
var bundle = modelfile.Bundle{Files: files}

// ErrNoModel is matched when a model is asked for that does not ship.
var ErrNoModel = modelfile.ErrNoModel

// BundledNames lists the models that ship with the program.
func BundledNames() []string { return bundle.Names() }

// Bundled returns the model of a map that ships with the program. The error for
// an unknown one lists the known and matches [ErrNoModel].
func Bundled(name string) (*Model, error) {
	sd, err := bundle.Open(name)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	return fromStateDict(name, sd)
}
