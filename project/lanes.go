package project

import (
	"context"

	solver "github.com/go-pcd/pcd/internal/path"
	"github.com/go-pcd/pcd/tensor"
)

// vectorised reports whether paths go through the lanes.
func (s *SpeedLimit) vectorised() bool {
	return !s.goal.given() && solver.Vectorised(s.dims, s.limit)
}

// laneGroup is up to [solver.Lanes] rows that are projected together.
type laneGroup struct {
	solver.Group
	count  int
	rows   [solver.Lanes]int
	before [solver.Lanes]float64 // violations of the input
	views  [solver.Lanes]solver.View
	memory [solver.Lanes][]float64
}

// projectLanes is projectChecked for a set that is vectorised. memory has a row of
// forces per row of x, or nothing.
func (s *SpeedLimit) projectLanes(ctx context.Context, dst, x tensor.Batch, memory []float64) (Report, error) {
	g, ok := s.groups.Get().(*laneGroup)
	if !ok {
		g = new(laneGroup)
	}
	defer func() {
		clear(g.views[:]) // no reference to the caller's memory stays
		clear(g.memory[:])
		s.groups.Put(g)
	}()
	var total Report
	dst.First, g.count = x.First, 0
	size := len(memory) / max(1, x.N)
	for k := range x.N {
		if k%contextStride == 0 {
			if err := ctx.Err(); err != nil {
				return total, err
			}
		}
		before := s.excess(x, k)
		if before <= 0 {
			total = total.Merge(keepRow(dst, x, k, before))
			continue
		}
		g.rows[g.count], g.before[g.count] = k, before
		g.views[g.count], g.memory[g.count] = s.view(x, k), memory[k*size:(k+1)*size]
		if g.count++; g.count == solver.Lanes {
			total = total.Merge(s.projectGroup(dst, x, g))
		}
	}
	if g.count > 0 {
		total = total.Merge(s.projectGroup(dst, x, g))
	}
	return total, nil
}

// projectGroup projects the rows of g and empties it.
func (s *SpeedLimit) projectGroup(dst, x tensor.Batch, g *laneGroup) (total Report) {
	g.Load(s.limit, g.views[:g.count], g.memory[:g.count])
	g.Solve()
	for i, k := range g.rows[:g.count] {
		copyRow(dst, x, k)
		total = total.Merge(certified(s, dst, k, g.before[i], s.storeLane(dst, g, i)))
	}
	g.count = 0
	return total
}

// storeLane writes the solution of lane i to its row of dst, which holds the path.
func (s *SpeedLimit) storeLane(dst tensor.Batch, g *laneGroup, i int) outcome {
	m, v := s.linkage(), s.view(dst, g.rows[i])
	defer s.pool.Put(m)
	return outcomeOf(g.Store(i, &v, m, func(m *solver.Linkage) {
		load(&s.path, m, dst.Sample(g.rows[i]), dst.Shape[1], dst.First+g.rows[i])
	}))
}
