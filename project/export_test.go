package project

// What tests of this package name from outside.
type (
	MissingSampleError = missingSampleError
	SizeError          = sizeError
)
