package nn

import "github.com/go-pcd/pcd/weights"

// Layout returns the names and shapes of the parameters of the network that is
// described, in the order of its state dict. It allocates nothing for their elements,
// so that a description can be compared with a file before the network is made.
func (config TemporalUNetConfig) Layout() ([]weights.Spec, error) {
	n, err := config.build(true)
	if err != nil {
		return nil, err
	}
	return n.params.layout(), nil
}

// Layout is that of [TemporalUNetConfig].
func (config ConditionalUNet1DConfig) Layout() ([]weights.Spec, error) {
	n, err := config.build(true)
	if err != nil {
		return nil, err
	}
	return n.params.layout(), nil
}

func (p *params) layout() []weights.Spec {
	out := make([]weights.Spec, len(p.list))
	for i, q := range p.list {
		out[i] = weights.Spec{Name: q.Name, Shape: q.Shape}
	}
	return out
}
