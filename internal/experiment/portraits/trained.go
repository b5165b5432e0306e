package portraits

import (
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// headerKey is the name of the description among the metadata of a part's weights.
const headerKey = "pcd.images"

// Description says how a part came about.
type Description struct {
	Recipe Recipe  `json:"recipe"`
	Steps  int     `json:"steps"`           // of training
	Loss   float64 `json:"loss"`            // on held-out portraits
	Scale  float64 `json:"scale,omitempty"` // factor of the latents that were learned from
	Source string  `json:"source"`          // identity of the examples
}

// savePart writes the weights of a part with a description, beside its config.json.
func savePart(dir string, config any, d Description, params []*nn.Param, as weights.DType, file string) error {
	if err := writeSettings(dir, "config.json", config); err != nil {
		return err
	}
	return modelfile.Save(dir+"/"+file, headerKey, d, params, as)
}

// folders are where parts are looked for.
type folders struct {
	dir  string // of the trainings
	base string // of a model whose parts stand in for those that are not trained there; "" for none
}

// of returns the folder of a part, and whether it is that of the base.
func (f folders) of(p Part) (path string, fromBase bool) {
	path = p.Dir(f.dir)
	if _, err := os.Stat(path); f.base == "" || err == nil {
		return path, false
	}
	return filepath.Join(f.base, p.folder()), true
}

// openPart reads a part from the folder of its training, or from that of the model.
func openPart[N modelfile.Parameters](from folders, p Part) (net N, d Description, err error) {
	return openWith(from, p, whole[N])
}

// whole is a network of the settings of a part with its weights.
func whole[N modelfile.Parameters](part *modelfile.Part) (N, error) {
	net, err := modelfile.Network[N](part)
	if err != nil {
		return net, err
	}
	return net, part.Fill(net)
}

// openWith reads a part with a function that makes its network.
func openWith[N modelfile.Parameters](from folders, p Part, read func(*modelfile.Part) (N, error)) (net N, d Description, err error) {
	path, _ := from.of(p)
	return openAt(path, read, func(err error) error { return &MissingError{Part: p, Dir: from.dir, Err: err} })
}

// openAt reads the part of a folder; missing says that there is none.
func openAt[N modelfile.Parameters](path string, read func(*modelfile.Part) (N, error), missing func(error) error) (net N, d Description, err error) {
	folder, err := modelfile.OpenFolder(path)
	if err != nil {
		return net, d, missing(err)
	}
	part := &folder.Parts[0]
	sd, err := part.Open()
	if err != nil {
		return net, d, missing(err)
	}
	defer sd.Close()
	if _, err := modelfile.Describe(part.Weights[0], sd, headerKey, &d); err != nil {
		return net, d, err
	}
	net, err = read(part)
	return net, d, err
}

// weightsFile is the name of the weights of a part in the folder of its training.
const weightsFile = experiment.ModelFile
