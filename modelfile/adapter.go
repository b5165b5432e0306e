package modelfile

import "github.com/go-pcd/pcd/nn"

// Adapter makes the adapter of a part and gives it its weights: it steers a base, which
// keeps its own. It returns an [Error] for settings or weights that do not fit the base.
func (p *Part) Adapter(base *nn.UNet2DCondition) (*nn.ControlNetXS, error) {
	raw, err := p.ReadSettings()
	if err != nil {
		return nil, err
	}
	c, err := nn.ParseControlNetXSConfig(raw)
	if err != nil {
		return nil, p.noNetwork(err)
	}
	net, err := nn.NewControlNetXS(base, c)
	if err != nil {
		return nil, p.noNetwork(err)
	}
	return net, p.Fill(net)
}
