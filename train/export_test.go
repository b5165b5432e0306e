package train

import "github.com/go-pcd/pcd/internal/epochs"

// What tests of this package name from outside.
type Order = epochs.Order

var (
	Digest   = digestOf
	NewOrder = newOrder
)
