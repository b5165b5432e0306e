package train

import "github.com/go-pcd/pcd/internal/epochs"

// What tests of this package name from outside.
type Order = epochs.Order

var (
	Digest   = digestOf
	NewOrder = newOrder
)

// ValidationLoss returns the loss of the averaged weights on the held-out examples.
func (t *Trainer) ValidationLoss() (float64, error) {
	v, _, err := t.heldOut()
	return v.Loss, err
}
