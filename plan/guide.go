package plan

import (
	"context"
	"sync"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/tensor"
)

// inMapUnits is a cost of positions in map units as a cost of normalised states.
// As in the reference, the gradient with respect to the position in map units is
// applied to the normalised state as it is, without the factor of the chain rule.
type inMapUnits struct {
	cost   cost.Cost
	limits []dataset.Limits // one per variable
	// rule limits states to the range of the data before they are mapped.
	rule    dataset.Clip
	scratch sync.Pool
}

// newInMapUnits returns a cost of the positions of a team as one of its states.
func newInMapUnits(c cost.Cost, team Team, s Settings) cost.Cost {
	var limits []dataset.Limits
	for _, r := range team.Robots {
		limits = append(limits, r.Model.Limits)
	}
	with := func(rule dataset.Clip) *inMapUnits { return &inMapUnits{cost: c, limits: limits, rule: rule} }
	if rule := s.clip(); rule != dataset.ClipBatch {
		return with(rule)
	}
	return batchwide{inMapUnits: with(dataset.ClipNone), limited: with(dataset.ClipElement)}
}

// clip returns the rule for states outside the range of the data.
func (s Settings) clip() dataset.Clip {
	switch {
	case s.BatchClip:
		return dataset.ClipBatch
	case s.FreeRange:
		return dataset.ClipNone
	default:
		return dataset.ClipElement
	}
}

// batchTolerance is how far an element of the batch may leave the range of the
// data before the batch-wide rule clips.
const batchTolerance = 1e-4

// batchwide is an inMapUnits with the rule of the reference: as soon as one
// element of any robot leaves the range of the data, all are limited to it.
type batchwide struct {
	*inMapUnits
	limited *inMapUnits
}

// Batchwide implements [pcd.Batchwide].
func (u batchwide) Batchwide() {}

// Add implements [cost.Cost].
func (u batchwide) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	if exceeded(x) {
		return u.limited.Add(ctx, value, grad, x, weight)
	}
	return u.inMapUnits.Add(ctx, value, grad, x, weight)
}

// exceeded reports whether an element leaves the range of the data.
func exceeded(x []tensor.Batch) bool {
	for _, b := range x {
		for _, v := range b.Data {
			if v > 1+batchTolerance || v < -1-batchTolerance {
				return true
			}
		}
	}
	return false
}

// positions holds the positions in map units of the rows of one call, and the
// gradient with respect to them.
type positions struct {
	room     [][2][]float32 // per variable: memory of the two
	at, grad []tensor.Batch
}

// positions returns scratch with as many rows as x.
func (u *inMapUnits) positions(x []tensor.Batch) *positions {
	p, _ := u.scratch.Get().(*positions)
	if p == nil {
		p = &positions{room: make([][2][]float32, len(x)), at: make([]tensor.Batch, len(x)), grad: make([]tensor.Batch, len(x))}
	}
	for i, b := range x {
		n := b.N * b.Shape[0] * 2
		if len(p.room[i][0]) < n {
			p.room[i] = [2][]float32{make([]float32, n), make([]float32, n)}
		}
		shape := tensor.Shape{b.Shape[0], 2}
		p.at[i] = tensor.Batch{N: b.N, Shape: shape, First: b.First, Data: p.room[i][0][:n]}
		p.grad[i] = tensor.Batch{N: b.N, Shape: shape, First: b.First, Data: p.room[i][1][:n]}
	}
	return p
}

// Add implements [cost.Cost].
func (u *inMapUnits) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	p := u.positions(x)
	defer u.scratch.Put(p)
	for i := range x {
		u.toMap(p.at[i], x[i], u.limits[i])
		clear(p.grad[i].Data)
	}
	g := p.grad
	if grad == nil {
		g = nil
	}
	if err := u.cost.Add(ctx, value, g, p.at, weight); err != nil {
		return err
	}
	for i := range grad {
		for j, k := 0, 0; j < len(grad[i].Data); j, k = j+channels, k+2 {
			grad[i].Data[j] += g[i].Data[k]
			grad[i].Data[j+1] += g[i].Data[k+1]
		}
	}
	return nil
}

// toMap writes the positions of normalised states in map units.
func (u *inMapUnits) toMap(dst, x tensor.Batch, l dataset.Limits) {
	clip := u.rule == dataset.ClipElement
	for c := range 2 {
		lo, width := l.Min[c], l.Max[c]-l.Min[c]
		for j, k := c, c; j < len(x.Data); j, k = j+channels, k+2 {
			v := x.Data[j]
			if clip {
				v = min(max(v, -1), 1)
			}
			dst.Data[k] = (v+1)/2*width + lo
		}
	}
}

// Check implements [cost.Cost].
func (u *inMapUnits) Check(shapes []tensor.Shape) error {
	points := make([]tensor.Shape, len(shapes))
	for i, s := range shapes {
		points[i] = tensor.Shape{s[0], 2}
	}
	return u.cost.Check(points)
}
