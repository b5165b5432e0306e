package cost

import (
	"context"
	"slices"
	"sync"

	"github.com/go-pcd/pcd/tensor"
)

// Swept evaluates a cost of paths on more points than their waypoints: Between of them
// on every segment, evenly spaced on the straight way, so that the cost sees what
// happens between waypoints. All paths are divided at the same times. The value is
// divided by Between + 1, so that a cost that is a sum over points keeps its size.
//
// Arguments have the shape [waypoint, coordinate]; where the cost has kinks the
// gradient is that of the cost, passed on to both ends of a segment by their shares.
type Swept struct {
	Cost    Cost
	Between int // points within a segment; 0 is the cost itself

	scratch *sync.Pool // of *sweptPoints; nil without [NewSwept]
}

// NewSwept returns a cost with points between waypoints, which keeps its memory from
// call to call.
func NewSwept(c Cost, between int) Swept { return Swept{c, between, new(sync.Pool)} }

// sweptPoints holds the divided paths of one call and the gradient there.
type sweptPoints struct{ at, grad []tensor.Batch }

// divided returns the shape of a path with the points between its waypoints.
func (c Swept) divided(s tensor.Shape) tensor.Shape {
	return tensor.Shape{(s[0]-1)*(c.Between+1) + 1, s[1]}
}

// points returns scratch for paths like x.
func (c Swept) points(x []tensor.Batch) *sweptPoints {
	var p *sweptPoints
	if c.scratch != nil {
		p, _ = c.scratch.Get().(*sweptPoints)
	}
	if p == nil || !c.fit(p, x) {
		p = &sweptPoints{at: make([]tensor.Batch, len(x)), grad: make([]tensor.Batch, len(x))}
		for i, b := range x {
			p.at[i], p.grad[i] = tensor.New(b.N, c.divided(b.Shape)...), tensor.New(b.N, c.divided(b.Shape)...)
		}
	}
	for i, b := range x {
		p.at[i].First, p.grad[i].First = b.First, b.First
		clear(p.grad[i].Data)
	}
	return p
}

// fit reports whether scratch is for paths like x.
func (c Swept) fit(p *sweptPoints, x []tensor.Batch) bool {
	return slices.EqualFunc(p.at, x, func(at, b tensor.Batch) bool {
		return at.N == b.N && at.Shape[0] == (b.Shape[0]-1)*(c.Between+1)+1 && at.Shape[1] == b.Shape[1]
	})
}

// Add implements [Cost].
func (c Swept) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	p := c.points(x)
	if c.scratch != nil {
		defer c.scratch.Put(p)
	}
	for i, b := range x {
		for k := range b.N {
			c.divide(p.at[i].Sample(k), b.Sample(k), b.Shape[1])
		}
	}
	g := p.grad
	if grad == nil {
		g = nil
	}
	if err := c.Cost.Add(ctx, value, g, p.at, weight/float64(c.Between+1)); err != nil {
		return err
	}
	for i, b := range grad {
		for k := range b.N {
			c.collect(b.Sample(k), p.grad[i].Sample(k), b.Shape[1])
		}
	}
	return nil
}

// divide writes the points of a path.
func (c Swept) divide(dst, path []float32, coordinates int) {
	pieces := c.Between + 1
	for h := 0; h+coordinates < len(path); h += coordinates {
		for m := range pieces {
			share := float32(m) / float32(pieces)
			for d := range coordinates {
				a, b := path[h+d], path[h+coordinates+d]
				dst[h*pieces+m*coordinates+d] = a + share*(b-a)
			}
		}
	}
	copy(dst[len(dst)-coordinates:], path[len(path)-coordinates:])
}

// collect adds a gradient at the points to that at the waypoints.
func (c Swept) collect(dst, points []float32, coordinates int) {
	pieces := c.Between + 1
	for h := 0; h+coordinates < len(dst); h += coordinates {
		for m := range pieces {
			share := float32(m) / float32(pieces)
			for d := range coordinates {
				g := points[h*pieces+m*coordinates+d]
				dst[h+d] += (1 - share) * g
				dst[h+coordinates+d] += share * g
			}
		}
	}
	for d := range coordinates {
		dst[len(dst)-coordinates+d] += points[len(points)-coordinates+d]
	}
}

// Check implements [Cost].
func (c Swept) Check(shapes []tensor.Shape) error {
	if c.Between < 0 {
		return &parameterError{Cost: "swept", Name: "Between", Value: float64(c.Between), Want: "0 or more"}
	}
	divided := make([]tensor.Shape, len(shapes))
	for i, s := range shapes {
		if len(s) != 2 || s[0] < 1 {
			return &parameterError{Cost: "swept", Name: "dimensions of a path", Value: float64(len(s)), Want: "2: waypoint, coordinate"}
		}
		divided[i] = c.divided(s)
	}
	return checkPart("swept", c.Cost, divided)
}
