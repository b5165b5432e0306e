package modelfile

import "github.com/go-pcd/pcd/nn"

// Adapter makes the adapter of a part and gives it its weights: it steers a base, which
// keeps its own. It returns an [Error] for settings or weights that do not fit the base.
func (p *Part) Adapter(base *nn.UNet2DCondition) (*nn.ControlNetXS, error) {
	net, err := p.adapter(base)
	if err != nil {
		return nil, err
	}
	return net, p.Fill(net)
}

// adapterClass is the class of adapters.
const adapterClass = "ControlNetXSAdapter"

// adapter is [Part.Adapter] without weights.
func (p *Part) adapter(base *nn.UNet2DCondition) (*nn.ControlNetXS, error) {
	raw, err := p.ReadSettings()
	if err != nil {
		return nil, err
	}
	c, err := nn.ParseConfig[nn.ControlNetXSConfig](raw)
	if err != nil {
		return nil, p.noNetwork(err)
	}
	net, err := nn.NewControlNetXS(base, c)
	if err != nil {
		return nil, p.noNetwork(err)
	}
	return net, nil
}

// network is [Part.network] for a part of the folder, which may steer another: nil for an
// adapter whose base cannot be made, for that has an error of its own.
func (f *Folder) network(p *Part) (Parameters, error) {
	if p.Class != adapterClass {
		return p.network()
	}
	part, err := f.Part("unet")
	if err != nil {
		return nil, nil
	}
	base, err := Network[*nn.UNet2DCondition](part)
	if err != nil {
		return nil, nil
	}
	net, err := p.adapter(base)
	if err != nil {
		return nil, err
	}
	return net, nil
}
