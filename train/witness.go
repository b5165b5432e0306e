package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// checkWitness returns an error for a witness that does not take the images.
func (o Autoencoder) checkWitness() error {
	if err := inRange("weight of the witness", o.Witnessed, 0, 1e3); err != nil || o.Witnessed == 0 {
		return err
	}
	if o.Witness == nil {
		return &ConfigError{Name: "weight of a witness that is not there", Value: o.Witnessed}
	}
	if _, err := o.Witness.Output(o.Data.Shape()); err != nil {
		return fmt.Errorf("train: the witness: %w", err)
	}
	return nil
}

// witnessDigest identifies the witness in checkpoints.
func (o Autoencoder) witnessDigest() (string, error) {
	if o.Witnessed == 0 {
		return "", nil
	}
	d, err := weightsDigest(append(o.Witness.Params(), o.Witness.Buffers()...))
	if err != nil {
		return "", fmt.Errorf("train: the witness: %w", err)
	}
	return d, nil
}

// weightsDigest identifies the values of some parameters.
func weightsDigest(params []*nn.Param) (string, error) {
	h := sha256.New()
	for _, p := range params {
		if err := digest(h, p.Data); err != nil {
			return "", fmt.Errorf("%s %w", p.Name, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// witness adds the mean squared difference of what the witness says of the first n images
// and of their reconstructions. To the cotangent it adds its gradient, if that is wanted.
func (l *autoencoderLoss) witness(ctx context.Context, v *Value, n int, gradient bool) error {
	if l.Witnessed == 0 {
		return nil
	}
	x, y := l.x.Rows(0, n), l.y.Rows(0, n)
	shape, err := l.Witness.Output(x.Shape)
	if err != nil {
		return err
	}
	want, said := tensor.New(n, shape...), tensor.New(n, shape...)
	if err := l.Witness.Apply(ctx, want, x); err != nil {
		return err
	}
	back, err := l.Witness.Linearize(ctx, said, y)
	if err != nil {
		return err
	}
	defer back.Release()
	sum, slope := 0.0, float32(2*l.Witnessed/float64(len(said.Data)))
	for i, a := range want.Data {
		d := said.Data[i] - a
		sum += float64(d) * float64(d) / float64(len(said.Data))
		said.Data[i] = slope * d
	}
	v.Loss += l.Witnessed * sum
	v.Terms = append(v.Terms, Term{"witness", l.Witnessed * sum})
	if !gradient {
		return nil
	}
	d := tensor.New(n, y.Shape...)
	if err := back.VJP(ctx, d, said); err != nil {
		return err
	}
	for i, g := range d.Data {
		l.cotangent.Data[i] += g
	}
	return nil
}
