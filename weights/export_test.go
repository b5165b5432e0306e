package weights

// What tests of this package name from outside.
type (
	Mismatch   = mismatch
	WriteError = writeError
	DTypeError = dtypeError
	NameError  = nameError
	RangeError = rangeError
	IndexError = indexError
)

var ErrClosed, ErrLost = errClosed, errLost

// Summarize describes the file at path.
func Summarize(path string, opts Options) (*Summary, error) {
	sd, err := Open(path, opts)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	return sd.Summary(path)
}

// Stats computes the statistics of a tensor.
func (t Tensor) Stats() (Stats, error) { return t.stats() }
