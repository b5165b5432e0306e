package train

import (
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/epochs"
)

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

// WithPatience lets checkpoints be due after another time while a test runs.
func WithPatience(t *testing.T, d time.Duration) {
	before := patience
	t.Cleanup(func() { patience = before })
	patience = d
}
