package tensor

import (
	"fmt"
	"math"
)

// Batch is N samples of one shape in contiguous memory.
type Batch struct {
	N     int       // number of samples
	Shape Shape     // shape of one sample
	First int       // sample number of row 0 in its run; a view keeps count
	Data  []float32 // N*Shape.Size() elements, sample-major
}

// New returns a batch of n samples set to zero.
func New(n int, shape ...int) Batch {
	s := Shape(shape)
	return Batch{N: n, Shape: s, Data: make([]float32, n*s.Size())}
}

// Of returns a batch over data, which it does not copy. It returns
// an error when the length of data is not a multiple of the sample size.
func Of(data []float32, shape ...int) (Batch, error) {
	s := Shape(shape)
	if err := s.Check(); err != nil {
		return Batch{}, err
	}
	size := s.Size()
	if len(data)%size != 0 {
		return Batch{}, &shapeError{Want: s, Got: len(data)}
	}
	return Batch{N: len(data) / size, Shape: s, Data: data}, nil
}

// Size returns the number of elements of one sample.
func (b Batch) Size() int { return b.Shape.Size() }

// Sample returns row i as a view.
func (b Batch) Sample(i int) []float32 {
	n := b.Size()
	return b.Data[i*n : (i+1)*n : (i+1)*n]
}

// Rows returns the rows [lo, hi) as a view that keeps their sample numbers.
func (b Batch) Rows(lo, hi int) Batch {
	n := b.Size()
	return Batch{N: hi - lo, Shape: b.Shape, First: b.First + lo, Data: b.Data[lo*n : hi*n : hi*n]}
}

// Clone returns a copy in new memory.
func (b Batch) Clone() Batch {
	b.Data = append([]float32(nil), b.Data...)
	return b
}

// CopyFrom copies the elements of src, which must have the same size.
func (b Batch) CopyFrom(src Batch) {
	if len(b.Data) != len(src.Data) {
		panic(fmt.Sprintf("tensor: copy of %d elements into %d", len(src.Data), len(b.Data)))
	}
	copy(b.Data, src.Data)
}

// SameAs reports whether b and c hold the same number of samples of one shape.
func (b Batch) SameAs(c Batch) bool { return b.N == c.N && b.Shape.Equal(c.Shape) }

// CheckFinite returns a [NonFiniteError] that names the first element that is
// NaN or infinite, or nil.
func (b Batch) CheckFinite() error {
	for i, v := range b.Data {
		if v-v != 0 { // false only for finite numbers
			n := b.Size()
			return &NonFiniteError{Sample: b.First + i/n, Index: i % n, Value: float64(v)}
		}
	}
	return nil
}

// shapeError says that a number of elements does not fill whole samples.
type shapeError struct {
	Want Shape
	Got  int
}

func (e *shapeError) Error() string {
	return fmt.Sprintf("tensor: %d elements do not fill samples of shape %v (%d elements each)", e.Got, e.Want, e.Want.Size())
}

// NonFiniteError says which element of which sample is NaN or infinite.
type NonFiniteError struct {
	Sample int // sample number in its run
	Index  int // element within the sample, row-major
	Value  float64
}

func (e *NonFiniteError) Error() string {
	what := "infinite"
	if math.IsNaN(e.Value) {
		what = "not a number"
	}
	return fmt.Sprintf("sample %d, element %d is %s", e.Sample, e.Index, what)
}
