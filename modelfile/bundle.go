package modelfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/weights"
)

// ErrNoModel is matched when a model is asked for that is not part of the program.
var ErrNoModel = errors.New("no such model")

// Bundle holds the models of a kind that are part of the program, in the folder "models"
// of a file system.
type Bundle struct {
	Kind  string // the package whose models they are
	Files fs.FS  // nil where none are registered
}

// bundles are the models that are registered, by kind.
var bundles sync.Map

// Register makes models part of the program. A package that embeds models calls it when
// it is initialised, as decoders do for package image: only programs that import it carry
// its files.
func Register(b Bundle) { bundles.Store(b.Kind, b) }

// Bundled returns the models of a kind that are registered.
func Bundled(kind string) Bundle {
	b, ok := bundles.Load(kind)
	if !ok {
		return Bundle{Kind: kind}
	}
	return b.(Bundle)
}

// suffix ends the names of the files of models.
const suffix = ".safetensors"

// Names lists the models.
func (b Bundle) Names() []string {
	if b.Files == nil {
		return nil
	}
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
	if b.Files == nil {
		return nil, b.Missing()
	}
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

// Missing returns the error of a program without models of the kind: it names the package
// that has them, and matches [ErrNoModel].
func (b Bundle) Missing() error {
	return fmt.Errorf("%w: this program carries none; import _ \"github.com/go-pcd/pcd/%s/bundled\" adds those that ship", ErrNoModel, b.Kind)
}
