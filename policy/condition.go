package policy

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Condition returns what the U-Net is told about histories of observations: one row for each.
// A history has as many observations as the policy looks back on, the oldest first. It returns
// an [ObservationError] for one that is not what the policy learned from.
func (p *Policy) Condition(ctx context.Context, histories ...[]Observation) (tensor.Batch, error) {
	rows, err := p.normalized(histories)
	if err != nil {
		return tensor.Batch{}, err
	}
	features, err := p.look(ctx, rows)
	if err != nil {
		return tensor.Batch{}, err
	}
	out := tensor.New(len(histories), p.config.conditionSize())
	dst := out.Data
	take := func(src []float32) { dst = dst[copy(dst, src):] }
	for i := range len(histories) * p.config.ObservationSteps {
		for _, f := range p.config.told() {
			if f.Type == Visual {
				take(features[f.Key].Sample(i))
			} else {
				take(rows[f.Key].Sample(i))
			}
		}
	}
	if err := out.CheckFinite(); err != nil {
		return tensor.Batch{}, &ObservationError{"condition", 0, err.Error(), "finite numbers: the observation is far from those of the training"}
	}
	return out, nil
}

// normalized returns every feature of all observations, history after history.
func (p *Policy) normalized(histories [][]Observation) (map[string]tensor.Batch, error) {
	out, steps := map[string]tensor.Batch{}, p.config.ObservationSteps
	for _, f := range p.config.told() {
		out[f.Key] = tensor.New(len(histories)*steps, f.Shape...)
	}
	for i, history := range histories {
		if len(history) != steps {
			return nil, &ObservationError{"history", i, fmt.Sprintf("%d observations", len(history)), fmt.Sprintf("%d, the oldest first", steps)}
		}
		for k, o := range history {
			for _, f := range p.config.told() {
				if err := p.normalize(out[f.Key].Sample(i*steps+k), o, f, k); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// normalize writes a feature of an observation as the networks take it.
func (p *Policy) normalize(dst []float32, o Observation, f Feature, step int) error {
	n := p.inputs[f.Key]
	if f.Type == Visual {
		m, err := p.image(o, f, step)
		if err != nil {
			return err
		}
		m.planes(dst)
		n.forward(dst, dst, m.Height*m.Width)
		return nil
	}
	v, err := p.vector(o, f, step)
	if err != nil {
		return err
	}
	n.forward(dst, v, 1)
	return nil
}

// check returns an [ObservationError] for an observation that no plan can be made from.
func (p *Policy) check(o Observation) error {
	for _, f := range p.config.told() {
		if f.Type == Visual {
			if _, err := p.image(o, f, 0); err != nil {
				return err
			}
			continue
		}
		row := tensor.New(1, f.Shape...)
		if err := p.normalize(row.Data, o, f, 0); err != nil {
			return err
		}
		if err := row.CheckFinite(); err != nil {
			return &ObservationError{f.Key, 0, err.Error(), "numbers near those of the training"}
		}
	}
	return nil
}

// look returns the features of all pictures of every camera.
func (p *Policy) look(ctx context.Context, rows map[string]tensor.Batch) (map[string]tensor.Batch, error) {
	out := map[string]tensor.Batch{}
	for i, f := range p.config.Cameras() {
		n := p.encoder(i)
		out[f.Key] = tensor.New(rows[f.Key].N, n.Config().Features())
		if err := n.Apply(ctx, out[f.Key], rows[f.Key]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// encoder returns the encoder of a camera.
func (p *Policy) encoder(camera int) *nn.VisionEncoder {
	if len(p.encoders) == 1 {
		return p.encoders[0]
	}
	return p.encoders[camera]
}

// Encoder returns the network that looks at the pictures of a camera, by its place among
// those of [Config.Cameras]: what it takes is a picture as the policy normalises it.
func (p *Policy) Encoder(camera int) *nn.VisionEncoder { return p.encoder(camera) }

// Bind returns the U-Net as a model of normalised actions, [Horizon, numbers of an action],
// with a condition for every sample, or one for all.
func (p *Policy) Bind(condition tensor.Batch) (*nn.Bound, error) { return p.unet.Bind(condition) }

// Unnormalize writes actions in the units of the data set to dst, which may be src.
func (p *Policy) Unnormalize(dst, src tensor.Batch) { p.action.inverse(dst.Data, src.Data) }

// Config returns what the folder says.
func (p *Policy) Config() Config { return p.config }

// Shape returns how large the policy is.
func (p *Policy) Shape() Shape { return p.shape }

// State returns what the robot feels of itself in an observation, in the units of the data set.
func (p *Policy) State(o Observation) ([]float32, error) {
	f, _ := p.config.input(State)
	return p.vector(o, f, 0)
}
