package experiment

import (
	"path/filepath"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/train"
)

// ModelFile is the name of a trained model in the directory of its training.
const ModelFile = "model.safetensors"

// Training is a training of a model in a directory: it starts from the last
// checkpoint there, if there is one. The model so far is written with every
// checkpoint, so that it can be judged while it learns.
type Training struct {
	*train.Folder
	path string
	save SaveModel
}

// SaveModel writes a model to a file. Its card says how many steps it was trained
// for and what it loses on held-out examples.
type SaveModel func(path string, params []*nn.Param, steps int, loss float64) error

// NewTraining opens the directory of a training.
func NewTraining(dir string, trainer *train.Trainer, save SaveModel) (*Training, error) {
	folder, err := train.OpenFolder(dir, trainer)
	if err != nil {
		return nil, err
	}
	t := &Training{Folder: folder, path: filepath.Join(dir, ModelFile), save: save}
	t.Saved = func() error { _, err := t.Finish(); return err }
	return t, nil
}

// Finish writes the averaged weights as a model and returns its path.
func (t *Training) Finish() (string, error) {
	defer t.Trainer().UseAverage()()
	return t.path, t.save(t.path, t.Trainer().Params(), t.Done(), t.ValidationLoss())
}
