package policy

import (
	"fmt"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
)

// Statistics are two numbers for every number of a feature: what its mode needs, such as the
// bounds.
type Statistics struct{ Low, High []float32 }

// New returns a policy that has not learned anything yet: [Policy.UNet] is trained, on what
// [Policy.Normalize] returns, and [Policy.Save] writes the policy. statistics are those of the
// data, by the key of the feature: a number for each of a vector, and for each channel of a
// camera. Its first weights are drawn from a field. It returns a [ConfigError] or a
// [StatisticsError].
func New(c Config, statistics map[string]Statistics, first noise.Field, o Options) (*Policy, error) {
	c.Vintage = VintageC
	if err := c.check(); err != nil {
		return nil, err
	}
	p := &Policy{config: c, inputs: map[string]*normalizer{}}
	for _, f := range append(c.told(), c.Action) {
		n := &normalizer{mode: c.Modes[f.Type], epsilon: defaultEpsilon, low: statistics[f.Key].Low, high: statistics[f.Key].High}
		if err := n.check(f); err != nil {
			return nil, err
		}
		if f.Type == Action {
			p.action = n
		} else {
			p.inputs[f.Key] = n
		}
	}
	if err := p.makeNetworks(first, o); err != nil {
		return nil, sizesError(err)
	}
	return p, nil
}

// makeNetworks makes the networks with drawn weights.
func (p *Policy) makeNetworks(first noise.Field, o Options) (err error) {
	if p.unet, err = nn.NewActionUNet(p.config.unet(o.Workers)); err != nil {
		return err
	}
	p.unet.Init(first)
	params := p.unet.Params()
	eyes := min(len(p.config.Cameras()), 1)
	if p.config.SeparateEncoders {
		eyes = len(p.config.Cameras())
	}
	for i := range eyes {
		n, err := nn.NewVisionEncoder(p.config.encoder(o.Workers))
		if err != nil {
			return err
		}
		n.Init(first.Sub(fmt.Sprintf("eye %d", i)))
		p.encoders = append(p.encoders, n)
		params = append(params[:len(params):len(params)], n.Params()...)
	}
	for i, q := range params {
		if i < len(p.unet.Params()) {
			p.shape.UNet += q.Shape.Size()
		}
		p.shape.Parameters += q.Shape.Size()
	}
	p.shape.Tensors, p.shape.Bytes, p.shape.Stored = len(params), 4*int64(p.shape.Parameters), "F32"
	return nil
}

// UNet returns the network that predicts actions, for its training.
func (p *Policy) UNet() *nn.ActionUNet { return p.unet }

// Normalize writes rows of a feature without cameras, in the units of the data set, as the
// networks take them to dst, which may be src.
func (p *Policy) Normalize(dst, src []float32, f Feature) {
	n := p.normalizerOf(f)
	for at := 0; at < len(src); at += f.Size() {
		n.forward(dst[at:at+f.Size()], src[at:at+f.Size()], 1)
	}
}
