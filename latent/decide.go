package latent

import (
	"context"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// What a network is asked to see what it predicts.
const (
	probeSide  = 8
	probeValue = 0.5
	probeTime  = 999
	probeBelow = -1 // mean difference of what it says and what it sees
)

// decide measures what the network of an undecided folder predicts. Nearly all of a state at
// timestep 999 is noise: a network of noise returns about what it sees, and one of velocities
// about the negative of the clean sample. Source: stable-diffusion.cpp.
func (m *Model) decide(f *modelfile.Folder) error {
	if !f.Undecided {
		return nil
	}
	velocity, err := m.saysVelocity()
	if err != nil {
		return err
	}
	if err := f.Decide(velocity); err != nil {
		return err
	}
	if m.Noise, err = openNoise(f); err != nil {
		return err
	}
	part, err := f.Part("unet")
	if err != nil {
		return err
	}
	raw, err := part.ReadSettings()
	if err != nil {
		return err
	}
	c, err := nn.ParseConfig[nn.UNet2DConfig](raw)
	m.side = c.SampleSize
	return err
}

func (m *Model) saysVelocity() (bool, error) {
	c := m.Net.Config()
	x, rows := tensor.New(1, c.InChannels, probeSide, probeSide), tensor.New(1, 2, c.CrossAttentionDim)
	for _, b := range []tensor.Batch{x, rows} {
		for i := range b.Data {
			b.Data[i] = probeValue
		}
	}
	bound, err := m.Net.Bind(probeSide, probeSide, rows)
	if err != nil {
		return false, err
	}
	y := tensor.New(1, c.OutChannels, probeSide, probeSide)
	if err := bound.Predict(context.Background(), y, x, probeTime); err != nil {
		return false, err
	}
	sum := 0.0
	for _, v := range y.Data {
		sum += float64(v) - probeValue
	}
	return sum/float64(len(y.Data)) < probeBelow, nil
}

// NoiseOf returns what the model of a folder was trained on. Of an undecided folder, it opens
// the network and measures.
func NoiseOf(f *modelfile.Folder) (Noise, error) {
	if !f.Undecided {
		return openNoise(f)
	}
	net, err := openPart[*nn.UNet2DCondition](&opener{Folder: f, keepFrom: keepFrom}, "unet")
	if err != nil {
		return Noise{}, err
	}
	m := &Model{Path: f.Path, Net: net}
	err = m.decide(f)
	return m.Noise, err
}
