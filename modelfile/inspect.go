package modelfile

import (
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// Summary describes a file: its tensors, and the networks that they belong to.
type Summary struct {
	*weights.Summary
	Architectures []nn.Architecture `json:"architectures"`
	// Unrecognised says why tensors that look like a network are not one.
	Unrecognised string `json:"unrecognised,omitempty"`
}

// Inspect describes the file at path. It decodes every tensor once.
func Inspect(path string, opts weights.Options) (*Summary, error) {
	sd, err := weights.Open(path, opts)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	s := &Summary{Architectures: []nn.Architecture{}}
	if s.Summary, err = sd.Summary(path); err != nil {
		return nil, err
	}
	found, err := nn.Recognise(sd)
	s.Architectures = append(s.Architectures, found...)
	if err != nil {
		s.Unrecognised = err.Error()
	}
	return s, nil
}
