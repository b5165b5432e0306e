package cost

import (
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// layout says how the elements of a sample form points.
type layout struct {
	stride int // elements from one point to the next
	dims   int // leading ones that are coordinates
}

// pointsOf returns the layout of a shape whose points have dims coordinates; 0
// stands for all elements of the last axis.
func pointsOf(shape tensor.Shape, dims int) layout {
	l := layout{stride: 1, dims: dims}
	if len(shape) > 0 {
		l.stride = shape[len(shape)-1]
	}
	if dims == 0 {
		l.dims = l.stride
	}
	return l
}

// checkDims returns an error when points of this shape do not have dims
// coordinates.
func checkDims(name string, shape tensor.Shape, dims int) error {
	if l := pointsOf(shape, dims); dims < 0 || l.dims > l.stride {
		return &parameterError{Cost: name, Name: "Dims", Value: float64(dims),
			Want: "at most the last axis of the shape " + shape.String()}
	}
	return nil
}

// distance returns the Euclidean distance of the points p and q.
func distance(p, q []float32) float64 {
	switch len(p) {
	case 1:
		return math.Abs(float64(p[0]) - float64(q[0]))
	case 2:
		dx, dy := float64(p[0])-float64(q[0]), float64(p[1])-float64(q[1])
		return math.Sqrt(dx*dx + dy*dy)
	}
	sum := 0.0
	for i, v := range p {
		d := float64(v) - float64(q[i])
		sum += d * d
	}
	return math.Sqrt(sum)
}

// pairCost is a cost of two paths that is a sum over their points of a function
// of the distance.
type pairCost struct {
	layout
	value func(d float64) float64
	// slope returns the derivative divided by the distance, 0 where the points
	// coincide.
	slope func(d float64) float64
}

// add runs over all tuples and points. Value and slope are separate passes,
// because samplers ask for the slope alone.
func (c pairCost) add(value []float64, grad, x []tensor.Batch, weight float64) {
	if grad != nil {
		c.addSlopes(grad[0].Data, grad[1].Data, x[0].Data, x[1].Data, weight)
	}
	if value == nil {
		return
	}
	p, q, size := x[0].Data, x[1].Data, x[0].Size()
	for k := range value {
		sum := 0.0
		for at := k * size; at < (k+1)*size; at += c.stride {
			sum += c.value(distance(p[at:at+c.dims], q[at:at+c.dims]))
		}
		value[k] += weight * sum
	}
}

// addSlopes treats a batch as one long path, since points do not interact.
func (c pairCost) addSlopes(gp, gq, p, q []float32, weight float64) {
	for at := 0; at < len(p); at += c.stride {
		a, b := p[at:at+c.dims], q[at:at+c.dims]
		slope := c.slope(distance(a, b))
		if slope == 0 {
			continue
		}
		w := weight * slope
		for i, u := range a {
			g := float32(w * (float64(u) - float64(b[i])))
			gp[at+i] += g
			gq[at+i] -= g
		}
	}
}
