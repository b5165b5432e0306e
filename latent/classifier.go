package latent

import (
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
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
