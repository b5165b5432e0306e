package dataset

// What tests of this package name from outside.
type WindowError = windowError

var (
	NewNPZ   = newNPZ
	ReadZarr = readZarr
)
