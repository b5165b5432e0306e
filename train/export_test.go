package train

// What tests of this package name from outside.
type Order = exampleOrder

var (
	Digest   = digestOf
	NewOrder = newOrder
)
