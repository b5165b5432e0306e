package cost

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

// Sum returns the sum of costs of the same variables, of one cost or more.
func Sum(costs ...Cost) Cost { return sum(costs) }

type sum []Cost

func (s sum) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	for _, c := range s {
		if err := c.Add(ctx, value, grad, x, weight); err != nil {
			return err
		}
	}
	return nil
}

func (s sum) Check(shapes []tensor.Shape) error {
	if len(s) == 0 {
		return &parameterError{Cost: "sum", Name: "the number of costs", Want: "1 or more: none couples nothing"}
	}
	for _, c := range s {
		if err := checkPart("sum", c, shapes); err != nil {
			return err
		}
	}
	return nil
}

func (s sum) Symmetric() bool {
	return !slices.ContainsFunc(s, func(c Cost) bool { return !isSymmetric(c) })
}

// Parts returns the costs of the sum.
func (s sum) Parts() []Cost { return s }

func (s sum) At(t int) Cost {
	out := make(sum, len(s))
	for i, c := range s {
		out[i] = At(c, t)
	}
	return out
}

// Scale returns factor times a cost.
func Scale(c Cost, factor float64) Cost { return scaled{c, factor} }

type scaled struct {
	cost   Cost
	factor float64
}

func (s scaled) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	return s.cost.Add(ctx, value, grad, x, weight*s.factor)
}

func (s scaled) Check(shapes []tensor.Shape) error {
	if s.factor-s.factor != 0 {
		return &parameterError{Cost: "scale", Name: "factor", Value: s.factor, Want: "a finite number"}
	}
	return checkPart("scale", s.cost, shapes)
}

func (s scaled) Symmetric() bool { return isSymmetric(s.cost) }

// Parts returns the cost that is scaled.
func (s scaled) Parts() []Cost { return []Cost{s.cost} }

func (s scaled) At(t int) Cost { return scaled{At(s.cost, t), s.factor} }

// Edge is a pair of variables, by their position.
type Edge struct{ I, J int }

// Graph returns the sum of a pair cost over the edges of a graph, one or more: variable I of
// an edge is the first argument, J the second.
func Graph(pair Cost, edges ...Edge) Cost { return graph{pair, edges} }

type graph struct {
	pair  Cost
	edges []Edge
}

func (g graph) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	var gs []tensor.Batch
	for _, e := range g.edges {
		if grad != nil {
			gs = []tensor.Batch{grad[e.I], grad[e.J]}
		}
		if err := g.pair.Add(ctx, value, gs, []tensor.Batch{x[e.I], x[e.J]}, weight); err != nil {
			return err
		}
	}
	return nil
}

func (g graph) Check(shapes []tensor.Shape) error {
	if len(g.edges) == 0 {
		return &parameterError{Cost: "graph", Name: "the number of edges", Want: "1 or more: none couples nothing"}
	}
	for i, e := range g.edges {
		if min(e.I, e.J) < 0 || max(e.I, e.J) >= len(shapes) || e.I == e.J {
			return &ShapeError{Cost: "graph", Shapes: shapes,
				Want: fmt.Sprintf("two different variables for edge %d, which joins %d and %d", i, e.I, e.J)}
		}
		if err := checkPart("graph", g.pair, []tensor.Shape{shapes[e.I], shapes[e.J]}); err != nil {
			return fmt.Errorf("edge %d-%d: %w", e.I, e.J, err)
		}
	}
	return nil
}

// Parts returns the cost of every edge.
func (g graph) Parts() []Cost { return []Cost{g.pair} }

func (g graph) At(t int) Cost { return graph{At(g.pair, t), g.edges} }

// Pairwise returns the sum of a pair cost over all pairs i < j of its variables,
// two or more.
func Pairwise(pair Cost) Cost { return pairwise{pair} }

type pairwise struct{ pair Cost }

func (p pairwise) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	return Graph(p.pair, complete(len(x))...).Add(ctx, value, grad, x, weight)
}

func (p pairwise) Check(shapes []tensor.Shape) error {
	if len(shapes) < 2 {
		return &ShapeError{Cost: "pairwise", Shapes: shapes, Want: "two or more"}
	}
	return Graph(p.pair, complete(len(shapes))...).Check(shapes)
}

func (p pairwise) Symmetric() bool { return isSymmetric(p.pair) }

// Parts returns the cost of every pair.
func (p pairwise) Parts() []Cost { return []Cost{p.pair} }

func (p pairwise) At(t int) Cost { return pairwise{At(p.pair, t)} }

// Each returns the sum of costs of one variable: argument i goes to costs[i].
func Each(costs ...Cost) Cost { return each(costs) }

type each []Cost

func (e each) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	var g []tensor.Batch
	for i, c := range e {
		if grad != nil {
			g = grad[i : i+1]
		}
		if err := c.Add(ctx, value, g, x[i:i+1], weight); err != nil {
			return err
		}
	}
	return nil
}

func (e each) Check(shapes []tensor.Shape) error {
	if err := checkArity("each", shapes, len(e)); err != nil {
		return err
	}
	for i, c := range e {
		if err := checkPart("each", c, shapes[i:i+1]); err != nil {
			return fmt.Errorf("variable %d: %w", i, err)
		}
	}
	return nil
}

// Parts returns the costs of the variables.
func (e each) Parts() []Cost { return e }

func (e each) At(t int) Cost {
	out := make(each, len(e))
	for i, c := range e {
		out[i] = At(c, t)
	}
	return out
}

// complete returns the edges of the complete graph on n vertices.
func complete(n int) []Edge {
	var edges []Edge
	for j := range n {
		for i := range j {
			edges = append(edges, Edge{i, j})
		}
	}
	return edges
}

// Timed is a [Cost] that depends on the noise level of its arguments, such as a
// classifier of noisy samples or an energy of a diffused model.
type Timed interface {
	Cost
	// At returns the cost at training timestep t.
	At(t int) Cost
}

// At returns the cost at timestep t: c itself unless it, or the cost that it is made of, is
// [Timed].
func At(c Cost, t int) Cost {
	switch c := c.(type) {
	case Timed:
		return c.At(t)
	case Swept:
		c.Cost = At(c.Cost, t)
		return c
	}
	return c
}

// checkPart returns an error where a cost that another is made of is missing, or does not fit.
func checkPart(of string, c Cost, shapes []tensor.Shape) error {
	if c == nil {
		return &ShapeError{Cost: of, Shapes: shapes, Want: "a cost to make it of; one is nil"}
	}
	return c.Check(shapes)
}

func isSymmetric(c Cost) bool {
	s, ok := c.(Symmetric)
	return ok && s.Symmetric()
}
