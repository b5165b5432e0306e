package train

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/go-pcd/pcd/noise"
)

// field returns the random field of a training with these settings. Objectives
// address it by the number of the step, never by a stream.
func (c Config) field() noise.Field { return noise.New(c.Seed).Sub("train") }

// numberedData are examples with numbers from 0 on.
type numberedData interface{ Len() int }

// exampleOrder says which examples a training sees when: those to learn from in random
// order, every one once per epoch, and epochs follow each other within a minibatch.
type exampleOrder struct {
	field noise.Field
	train []int // numbers of the examples to learn from
	held  []int // numbers of the examples held out
	order []int // permutation of train in the epoch below
	epoch int
}

// newOrder divides examples into those to learn from and those held out, at random
// unless they say so themselves (a method HeldOut), and orders the former.
func newOrder(c Config, d numberedData) (*exampleOrder, error) {
	divided, ok := d.(interface{ HeldOut() int })
	if ok && c.Validation != 0 {
		return nil, &ConfigError{Name: fmt.Sprintf("validation share of data that hold out %d examples themselves", divided.HeldOut()), Value: c.Validation}
	}
	o := &exampleOrder{field: c.field(), epoch: -1}
	if ok {
		for i := range d.Len() {
			o.train = append(o.train, i)
		}
		n := d.Len() - divided.HeldOut()
		o.train, o.held = o.train[:n:n], o.train[n:]
	} else {
		order := rand.New(noise.NewSource(o.field.Sub("split"), 0)).Perm(d.Len())
		n := int(c.Validation * float64(d.Len()))
		o.train, o.held = order[n:], order[:n]
	}
	if len(o.train) == 0 {
		return nil, errors.New("train: the validation share leaves no examples to learn from")
	}
	return o, nil
}

// Held returns the numbers of the examples held out. The slice is the order's own.
func (o *exampleOrder) Held() []int { return o.held }

// Example returns the number of the at-th example of a training: example k of the
// minibatch of a step is at step·batch + k.
func (o *exampleOrder) Example(at int) int {
	n := len(o.train)
	if epoch := at / n; epoch != o.epoch {
		o.order = rand.New(noise.NewSource(o.field.Sub("order"), uint64(epoch))).Perm(n)
		o.epoch = epoch
	}
	return o.train[o.order[at%n]]
}
