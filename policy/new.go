package policy

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
)

// Statistics are two numbers for every number of a feature: what its mode needs, such as the
// bounds.
type Statistics struct{ Low, High []float32 }

// New returns a policy that has not learned anything yet: [Policy.UNet] and every
// [Policy.Encoder] are trained, on what [Policy.Normalize] returns, and [Policy.Save] writes the
// policy. statistics are those of the data, by the key of the feature: a number for each of a
// vector, and for each channel of a camera. Its first weights are drawn from a field. It returns a
// [ConfigError] or a [StatisticsError].
func New(c Config, statistics map[string]Statistics, first noise.Field, o Options) (*Policy, error) {
	c.Vintage = VintageC
	if err := c.checkFeatures(); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.ratio(); err != nil {
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
	if err := p.reads(); err != nil {
		return nil, err
	}
	if err := p.makeNetworks(first, o); err != nil {
		return nil, sizesError(err)
	}
	return p, nil
}

// checkFeatures returns an error for features that are none.
func (c *Config) checkFeatures() error {
	if a := c.Action; a.Key != actionKey || a.Type != Action {
		return &ConfigError{configFile, "output features", fmt.Sprintf("%q of type %q", a.Key, a.Type), "a feature action of type ACTION"}
	}
	for _, f := range append(c.Inputs[:len(c.Inputs):len(c.Inputs)], c.Action) {
		if err := f.check(); err != nil {
			got, want, _ := strings.Cut(err.Error(), ", want ")
			return &ConfigError{configFile, "feature " + f.Key, got, want}
		}
	}
	return nil
}

// reads returns the error with which the folder that [Policy.Save] writes would be refused, so that
// nothing is learned in vain.
func (p *Policy) reads() error {
	document, err := p.configJSON()
	if err != nil {
		return err
	}
	raw, err := json.Marshal(document)
	if err != nil {
		return &ConfigError{configFile, "the configuration", err.Error(), "finite numbers"}
	}
	_, err = parseConfig(raw, true)
	return err
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

// Normalize writes rows of a feature, in the units of the data set, as the networks take them
// to dst, which may be src. A row of a camera is a picture channel by channel, in numbers from
// 0 to 1.
func (p *Policy) Normalize(dst, src []float32, f Feature) {
	n, per := p.normalizerOf(f), 1
	if f.Type == Visual {
		per = f.Shape[1] * f.Shape[2]
	}
	for at := 0; at < len(src); at += f.Size() {
		n.forward(dst[at:at+f.Size()], src[at:at+f.Size()], per)
	}
}

// ratio finds the share of the resized picture that its crop is: a folder says it so.
func (c *Config) ratio() error {
	if c.Resize == [2]int{} || c.Crop == [2]int{} || c.cropRatio != 0 {
		return nil
	}
	low, high := 0.0, 1.0
	for i, n := range c.Crop {
		low, high = max(low, float64(n)/float64(c.Resize[i])), min(high, float64(n+1)/float64(c.Resize[i]))
	}
	r := (low + high) / 2
	for i, n := range c.Crop {
		if int(math.Floor(float64(c.Resize[i])*r)) != n {
			return &ConfigError{configFile, "crop_shape", fmt.Sprint(c.Crop), fmt.Sprintf("the same share of both sides of the resized picture, %v", c.Resize)}
		}
	}
	c.cropRatio = r
	return nil
}
