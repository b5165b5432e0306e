package train_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// broken is an objective of one number whose gradient is not finite from a step on, though its
// loss is.
type broken struct {
	line
	param *nn.Param
	at    int
}

func (b broken) Begin(train.Config) (train.Loss, error) { return &b, nil }

func (b *broken) Params() []*nn.Param                { return []*nn.Param{b.param} }
func (b *broken) Refresh()                           {}
func (b *broken) Signature() train.Signature         { return train.Signature{Objective: "broken"} }
func (b *broken) HeldOut() (train.Value, int, error) { return train.Value{}, 0, nil }
func (b *broken) Step(step int) (train.Value, error) {
	b.param.Grad[0] = 1
	if step == b.at {
		b.param.Grad[0] = float32(math.Inf(1))
	}
	return train.Value{Loss: 1}, nil
}

// TestGradientsThatAreNotFinite wants a training to end before such a gradient is taken, clipped
// or not, so that the checkpoint that follows holds numbers.
func TestGradientsThatAreNotFinite(t *testing.T) {
	for _, clip := range []float64{0, 1} {
		p := &nn.Param{Name: "p", Shape: tensor.Shape{1}, Data: make([]float32, 1), Grad: make([]float32, 1)}
		tr, err := train.New(broken{param: p, at: 5}, train.Config{Steps: 10, ClipNorm: clip})
		if err != nil {
			t.Fatal(err)
		}
		err = tr.Run(context.Background(), train.Hooks{})
		if !errors.Is(err, train.ErrDiverged) || tr.Done() != 5 || p.Data[0]-p.Data[0] != 0 || p.Data[0] == 0 {
			t.Errorf("clip %g: %v after %d steps, with the weight %v; want ErrDiverged after 5, with a number", clip, err, tr.Done(), p.Data[0])
		}
	}
}

// TestWhatAnObjectiveLacks wants to be told, and not by a panic.
func TestWhatAnObjectiveLacks(t *testing.T) {
	for want, o := range map[string]train.Objective{
		"a network, data and a schedule": train.NoiseMSE{Net: network(t, 1)},
		"a network and data":             train.CrossEntropy{},
		"network and data":               train.Autoencoder{},
		"2 values and 0 gradients":       broken{param: &nn.Param{Name: "p", Shape: tensor.Shape{2}, Data: make([]float32, 2)}},
	} {
		if _, err := train.New(o, train.Config{Steps: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New = %v, want an error with %q", err, want)
		}
	}
}
