package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// Data are the examples to learn from, already normalised. What they may say beside, they say by
// further methods:
//
//	HeldOut() int                         // the last examples are held out, because neighbouring ones resemble each other; the validation share is 0 then
//	Identity() string                     // how they are made, in the place of a digest of all examples
//	Condition(dst []float32, i int)       // a condition without its sample, so that all are checked before
//	HintShape() tensor.Shape              // of an array that steers a network beside the condition
//	Hint(dst []float32, i int)            // that of sample number i
type Data interface {
	// Len returns the number of examples.
	Len() int
	// Shape returns the shape of a sample.
	Shape() tensor.Shape
	// ConditionShape returns the shape of the condition of a sample, nil for none.
	ConditionShape() tensor.Shape
	// Example writes sample and condition number i.
	Example(x0, condition []float32, i int)
}

// Unconditional returns the samples of a batch as [Data] without conditions.
func Unconditional(x tensor.Batch) Data { return unconditional{x} }

type unconditional struct{ samples tensor.Batch }

func (d unconditional) Len() int { return d.samples.N }

func (d unconditional) Shape() tensor.Shape { return d.samples.Shape }

func (d unconditional) ConditionShape() tensor.Shape { return nil }

func (d unconditional) Example(x0, _ []float32, i int) { copy(x0, d.samples.Sample(i)) }

// digestOf identifies the examples, so that a checkpoint is not resumed on others.
// It fails on examples that are not finite.
func digestOf(d Data) (string, error) {
	if d.Len() == 0 {
		return "", errors.New("train: there are no examples")
	}
	if made, ok := d.(identifiedData); ok {
		return made.Identity(), nil
	}
	h := sha256.New()
	x0, cond := newExample(d)
	hinted, _ := d.(hintedData)
	var hint []float32
	if hinted != nil {
		hint = make([]float32, hinted.HintShape().Size())
	}
	for i := range d.Len() {
		d.Example(x0, cond, i)
		if hinted != nil {
			hinted.Hint(hint, i)
		}
		for _, part := range []struct {
			name   string
			values []float32
		}{{"element", x0}, {"condition", cond}, {"hint", hint}} {
			if err := digest(h, part.values); err != nil {
				return "", fmt.Errorf("train: example %d: %s %w", i, part.name, err)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digest adds numbers to a hash. It fails on the first that is not finite.
func digest(h hash.Hash, values []float32) error {
	buf := make([]byte, 4*len(values))
	for j, v := range values {
		if v-v != 0 {
			return fmt.Errorf("%d is %v", j, v)
		}
		binary.LittleEndian.PutUint32(buf[4*j:], math.Float32bits(v))
	}
	h.Write(buf)
	return nil
}

func newExample(d Data) (x0, cond []float32) {
	x0 = make([]float32, d.Shape().Size())
	if s := d.ConditionShape(); s != nil {
		cond = make([]float32, s.Size())
	}
	return x0, cond
}
