// Package epochs says which examples a training sees when: an [Order] holds some out and goes
// through the others once per epoch, at random. It depends on the seed of its field alone, so a
// training that goes on sees what it would have seen.
package epochs

import (
	"errors"
	"math/rand/v2"

	"github.com/go-pcd/pcd/noise"
)

// Numbered are examples with numbers from 0 on.
type Numbered interface{ Len() int }

// Divided are examples of which the last are held out.
type Divided interface{ HeldOut() int }

// ErrNone is returned when all examples are held out.
var ErrNone = errors.New("the validation share leaves no examples to learn from")

// Order says which examples a training sees when: those to learn from in random order, every
// one once per epoch, and epochs follow each other within a minibatch.
type Order struct {
	field noise.Field
	train []int // numbers of the examples to learn from
	held  []int // numbers of the examples held out
	order []int // permutation of train in the epoch below
	epoch int
}

// New divides examples into those to learn from and those held out, a share of them at random
// unless they are [Divided], and orders the former. It returns [ErrNone] when there are none.
func New(field noise.Field, d Numbered, share float64) (*Order, error) {
	o := &Order{field: field, epoch: -1}
	if divided, ok := d.(Divided); ok {
		for i := range d.Len() {
			o.train = append(o.train, i)
		}
		n := d.Len() - divided.HeldOut()
		o.train, o.held = o.train[:n:n], o.train[n:]
	} else {
		order := rand.New(noise.NewSource(o.field.Sub("split"), 0)).Perm(d.Len())
		n := int(share * float64(d.Len()))
		o.train, o.held = order[n:], order[:n]
	}
	if len(o.train) == 0 {
		return nil, ErrNone
	}
	return o, nil
}

// Held returns the numbers of the examples held out. The slice is the order's own.
func (o *Order) Held() []int { return o.held }

// Example returns the number of the at-th example of a training: example k of the
// minibatch of a step is at step·batch + k.
func (o *Order) Example(at int) int {
	n := len(o.train)
	if epoch := at / n; epoch != o.epoch {
		o.order = rand.New(noise.NewSource(o.field.Sub("order"), uint64(epoch))).Perm(n)
		o.epoch = epoch
	}
	return o.train[o.order[at%n]]
}
