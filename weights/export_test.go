package weights

// What tests of this package name from outside.
type (
	Mismatch   = mismatch
	WriteError = writeError
)
