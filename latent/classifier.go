package latent

import (
	"slices"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Classifier answers questions about latents or images: what couples an [Ensemble], or
// what judges it.
type Classifier struct {
	Path string
	Net  *nn.Classifier
}

// OpenClassifier reads the folder of a classifier: config.json or one YAML file, and
// weights, as safetensors or as the training left them. Of the folder of a whole model it
// reads the part named classifier. YAML that describes a training and no heads is passed
// over, and sizes are read off the tensors. Weights are float32 in memory.
func OpenClassifier(dir string) (*Classifier, error) {
	f, err := modelfile.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	part := &f.Parts[0]
	if len(f.Parts) > 1 {
		if part, err = f.Part("classifier"); err != nil {
			return nil, err
		}
	}
	net, err := modelfile.Network[*nn.Classifier](part)
	if err != nil {
		return nil, err
	}
	return &Classifier{Path: dir, Net: net}, part.Fill(net)
}

// question returns a head as a distribution over its classes, and their names. The error
// for another name lists the heads there are.
func (c *Classifier) question(name string) (*nn.Question, []string, error) {
	var names []string
	for i, h := range c.Net.Config().Heads {
		if h.Name == name {
			return c.Net.Question(i), slices.Clone(h.Classes), nil
		}
		names = append(names, h.Name)
	}
	return nil, nil, &SettingError{Where: c.Path, Name: "attribute", Value: name, Want: "one of " + quote.List(names, len(names))}
}

// checkShape returns a [SettingError] for samples that the classifier does not take.
func (c *Classifier) checkShape(what string, shape tensor.Shape) error {
	if _, err := c.Net.Output(shape); err != nil {
		return &SettingError{Where: c.Path, Name: "shape of " + what, Value: shape, Want: "what the classifier takes: " + err.Error()}
	}
	return nil
}
