package plan

import "github.com/go-pcd/pcd/modelfile"

// ErrNoModel is matched when a model is asked for that is not part of the program.
var ErrNoModel = modelfile.ErrNoModel

// kind is the one of the models that package plan/bundled registers.
const kind = "plan"

// BundledNames lists the models that are part of the program: those that ship where
// package plan/bundled is imported, none otherwise.
func BundledNames() []string { return modelfile.Bundled(kind).Names() }

// Bundled returns the model of a map that is part of the program: package plan/bundled
// has those that ship. The error for an unknown one lists the known and matches
// [ErrNoModel].
func Bundled(name string) (*Model, error) {
	sd, err := modelfile.Bundled(kind).Open(name)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	return fromStateDict(name, sd)
}
