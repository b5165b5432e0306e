package latent

import (
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Steering is an adapter of the denoising network, and the edges that it draws along.
type Steering struct {
	Net  *nn.ControlNetXS
	Hint tensor.Batch // [1 or a sample each, 3, height, width], see [Edges]
	// Scale is how much the adapter adds to the network: 0 nothing, 1 what it has learned.
	Scale float64
}

// Edges returns the edges of a picture as a hint, [1, 3, height, width] of 0 and 1: those
// between the published thresholds, see [dataset.Picture.Canny].
func Edges(p *dataset.Picture) tensor.Batch {
	hint := tensor.New(1, 3, p.Height, p.Width)
	plane := p.Width * p.Height
	for i, v := range p.Canny(published.EdgesLow, published.EdgesHigh).Pix {
		hint.Data[i%3*plane+i/3] = float32(v) / 255
	}
	return hint
}

// controlPart is the name of the part of a folder that steers.
const controlPart = "controlnet"

// OpenControl reads the adapter of the model's folder, the part controlnet. A model
// without one is a [modelfile.Error] that is fs.ErrNotExist.
func (m *Model) OpenControl() (*nn.ControlNetXS, error) {
	f, err := modelfile.OpenFolder(m.Path)
	if err != nil {
		return nil, err
	}
	part, err := f.Part(controlPart)
	if err != nil {
		return nil, err
	}
	return part.Adapter(m.Net)
}

// check returns an error for what steers nothing.
func (s *Steering) check() error {
	if !settings.Control.Allows(s.Scale) {
		return &SettingError{Name: "scale of the control", Value: s.Scale, Want: settings.Control.Range()}
	}
	return nil
}
