package policy

import (
	"math"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// give makes a tensor the values of a parameter: as they are stored if it can use them so,
// rounded to half precision on demand. It returns how many of them are not finite then.
func give(q *nn.Param, t weights.Tensor, half bool) (strange int, err error) {
	if !q.CanKeep(t.DType) {
		if strange, err = t.NonFinite(); err != nil {
			return 0, err
		}
		q.Data, err = t.Float32s(nil)
		return strange, err
	}
	var raw []byte
	d := t.DType
	if half && d == weights.F32 {
		d = weights.F16
		err = t.Raw(func(stored []byte) error { raw = halved(stored); return nil })
	} else {
		raw, err = t.Stored()
	}
	if err != nil {
		return 0, err
	}
	q.Keep(raw, d)
	return dtype.NonFinite(d, raw), nil
}

// halved rounds float32 numbers to binary16, ties to even.
func halved(raw []byte) []byte {
	out := make([]byte, 0, len(raw)/2)
	var block [1024]float32
	for len(raw) > 0 {
		n := min(len(block), len(raw)/4)
		dtype.Float32s(dtype.F32, block[:n], raw)
		out = dtype.AppendFloat32s(dtype.F16, out, block[:n])
		raw = raw[4*n:]
	}
	return out
}

// count adds a tensor to what is known about the size of a policy.
func (s *Shape) count(q *nn.Param, t weights.Tensor, half, parameter bool) {
	s.Tensors++
	if parameter {
		s.Parameters += t.Elements()
	}
	size, kind := 4, weights.F32
	if q.CanKeep(t.DType) {
		size, kind = t.DType.Size(), t.DType
		if half && t.DType == weights.F32 {
			size, kind = 2, weights.F16
		}
	}
	s.Bytes += int64(size) * int64(t.Elements())
	if name := kind.String(); s.Stored == "" || size < sizeOf(s.Stored) {
		s.Stored = name
	}
}

func sizeOf(name string) int {
	d, ok := dtype.Parse(name)
	if !ok {
		return math.MaxInt
	}
	return d.Size()
}
