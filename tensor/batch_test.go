package tensor_test

import (
	"errors"
	"math"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

func TestRowsKeepSampleNumbers(t *testing.T) {
	b := tensor.New(10, 3, 2)
	for i := range b.Data {
		b.Data[i] = float32(i)
	}
	v := b.Rows(4, 9).Rows(1, 3)
	if v.First != 5 || v.N != 2 {
		t.Fatalf("Rows(4,9).Rows(1,3) = First %d, N %d, want 5, 2", v.First, v.N)
	}
	if got := v.Sample(1)[2]; got != 6*6+2 {
		t.Errorf("element = %v, want 38", got)
	}
	v.Data[0] = -1
	if b.Data[5*6] != -1 {
		t.Error("Rows copied the data, want a view")
	}
	c := v.Clone()
	c.Data[0] = 7
	if v.Data[0] != -1 || c.First != 5 {
		t.Error("Clone shares memory or lost its sample number")
	}
}

func TestOfRejectsPartialSamples(t *testing.T) {
	_, err := tensor.Of(make([]float32, 7), 3)
	var se *tensor.ShapeError
	if !errors.As(err, &se) || se.Got != 7 {
		t.Fatalf("Of(7 elements, [3]) = %v, want *ShapeError with Got 7", err)
	}
	if _, err := tensor.Of(nil, 0); err == nil {
		t.Error("Of with an empty axis = nil, want an error")
	}
}

func TestCheckFiniteNamesTheElement(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		b := tensor.New(4, 5)
		b.Data[13] = float32(bad)
		err := b.Rows(1, 4).CheckFinite()
		var nf *tensor.NonFiniteError
		if !errors.As(err, &nf) || nf.Sample != 2 || nf.Index != 3 {
			t.Errorf("CheckFinite with %v = %v, want sample 2, index 3", bad, err)
		}
	}
	b := tensor.New(1, 2)
	b.Data[0], b.Data[1] = math.MaxFloat32, math.SmallestNonzeroFloat32
	if err := b.CheckFinite(); err != nil {
		t.Errorf("CheckFinite(finite extremes) = %v, want nil", err)
	}
}

func TestSameAs(t *testing.T) {
	b := tensor.New(2, 3, 4)
	for name, c := range map[string]struct {
		other tensor.Batch
		want  bool
	}{
		"itself": {b, true}, "another sample": {tensor.New(3, 3, 4), false}, "another shape": {tensor.New(2, 4, 3), false}, "another rank": {tensor.New(2, 12), false},
		"other numbers": {tensor.Batch{N: 2, First: 9, Shape: tensor.Shape{3, 4}}, true},
	} {
		if b.SameAs(c.other) != c.want {
			t.Errorf("%s: SameAs = %v, want %v", name, !c.want, c.want)
		}
	}
}
