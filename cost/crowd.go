package cost

import (
	"context"
	"math"
	"sync"

	"github.com/go-pcd/pcd/tensor"
)

// Crowd is the squared hinge of [Hinge] summed over all pairs of many paths in
// the plane, which may be of bodies of different size:
//
//	c(x) = Σ_h Σ_{i<j} max(0, Reach_i + Reach_j - ‖x_i,h - x_j,h‖)²
//
// With one reach for all it equals Pairwise(Hinge{Range: 2 Reach}). At every
// point the bodies are swept in the order of their first coordinate, so the time
// grows with the number of neighbours instead of the number of pairs.
type Crowd struct {
	Reach []float64 // per variable, in the units of the coordinates; positive
}

// sweep is the scratch of one call: bodies in the order of their x.
type sweep struct {
	order []int
	x, y  []float64
}

var sweeps = sync.Pool{New: func() any { return new(sweep) }}

// Add implements [Cost].
func (c Crowd) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	s := sweeps.Get().(*sweep)
	defer sweeps.Put(s)
	s.reset(len(x))
	stride, size := pointsOf(x[0].Shape, 2).stride, x[0].Size()
	widest := 0.0
	for _, r := range c.Reach {
		widest = max(widest, r)
	}
	for k := range x[0].N {
		sum := 0.0
		for at := k * size; at < (k+1)*size; at += stride {
			s.gather(x, at)
			sum += c.point(s, grad, at, weight, widest)
		}
		if value != nil {
			value[k] += weight * sum
		}
	}
	return nil
}

func (s *sweep) reset(n int) {
	if cap(s.order) < n {
		s.order, s.x, s.y = make([]int, n), make([]float64, n), make([]float64, n)
	}
	s.order, s.x, s.y = s.order[:n], s.x[:n], s.y[:n]
	for i := range s.order {
		s.order[i] = i
	}
}

// gather reads the positions at element at and restores the order, which changes
// little from one point of a path to the next.
func (s *sweep) gather(x []tensor.Batch, at int) {
	for i, b := range x {
		s.x[i], s.y[i] = float64(b.Data[at]), float64(b.Data[at+1])
	}
	for i := 1; i < len(s.order); i++ {
		body := s.order[i]
		j := i
		for ; j > 0 && s.x[s.order[j-1]] > s.x[body]; j-- {
			s.order[j] = s.order[j-1]
		}
		s.order[j] = body
	}
}

// point adds the pairs at one point and returns their cost.
func (c Crowd) point(s *sweep, grad []tensor.Batch, at int, weight, widest float64) float64 {
	sum := 0.0
	for a, i := range s.order {
		for _, j := range s.order[a+1:] {
			dx := s.x[j] - s.x[i]
			if dx >= c.Reach[i]+widest {
				break
			}
			dy := s.y[j] - s.y[i]
			reach := c.Reach[i] + c.Reach[j]
			d2 := dx*dx + dy*dy
			if d2 >= reach*reach {
				continue
			}
			d := math.Sqrt(d2)
			sum += (reach - d) * (reach - d)
			if grad == nil || d == 0 {
				continue
			}
			w := weight * 2 * (reach - d) / d
			gx, gy := float32(w*dx), float32(w*dy)
			gi, gj := grad[i].Data[at:at+2], grad[j].Data[at:at+2]
			gi[0] += gx
			gi[1] += gy
			gj[0] -= gx
			gj[1] -= gy
		}
	}
	return sum
}

// Check implements [Cost].
func (c Crowd) Check(shapes []tensor.Shape) error {
	const name = "crowd"
	if len(shapes) < 2 || len(shapes) != len(c.Reach) {
		return &ShapeError{Cost: name, Shapes: shapes, Want: "two or more, one per reach"}
	}
	for i, shape := range shapes {
		if !shape.Equal(shapes[0]) {
			return &ShapeError{Cost: name, Shapes: shapes, Want: "equal ones"}
		}
		if err := checkPositive(name, "Reach", c.Reach[i]); err != nil {
			return err
		}
	}
	return checkDims(name, shapes[0], 2)
}
