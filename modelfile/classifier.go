package modelfile

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// classifier is the network of folders that hold one.
var classifier = network{build: newClassifier, keys: classifierKeys}

// newClassifier makes a classifier from its description, or, where the settings
// describe a training instead, as those published with the weights do, from the tensors.
func newClassifier(p *Part) (Parameters, error) {
	raw, err := p.ReadSettings()
	if err != nil {
		return nil, err
	}
	if isYAML(p.Settings) && !describesHeads(raw) {
		return p.classifierOfTensors()
	}
	c, err := nn.ReadClassifierConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, p.noNetwork(err)
	}
	net, err := nn.NewClassifier(c)
	if err != nil {
		return nil, p.noNetwork(err)
	}
	return net, nil
}

// describesHeads reports whether a text has the key that every description of a
// classifier begins a line with.
func describesHeads(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("heads:")) || bytes.Contains(raw, []byte("\nheads:"))
}

func (p *Part) classifierOfTensors() (Parameters, error) {
	sd, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	found, err := nn.Recognise(sd)
	if err != nil || len(found) != 1 || found[0].Classifier == nil || found[0].Prefix != "" {
		return nil, &Error{Path: p.Weights[0], Reason: "holds no classifier", Err: err}
	}
	net, err := nn.NewClassifier(*found[0].Classifier)
	if err != nil {
		return nil, p.noNetwork(err)
	}
	return net, nil
}

// classifierKeys leaves out how many batches the running statistics have seen.
func classifierKeys(sd *weights.StateDict) (keys weights.KeyMap) {
	for _, t := range sd.Tensors() {
		if strings.HasSuffix(t.Name, ".num_batches_tracked") {
			keys = append(keys, weights.Rule{From: t.Name, Exact: true, Drop: true})
		}
	}
	return keys
}

// isYAML reports whether a file is named as YAML.
func isYAML(path string) bool {
	ending := filepath.Ext(path)
	return ending == ".yaml" || ending == ".yml"
}
