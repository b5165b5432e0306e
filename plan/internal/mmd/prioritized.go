package mmd

import "context"

// prioritized plans the robots one after the other, each away from the paths of
// those before it. Each takes its cheapest path, unless another has strictly fewer
// conflicts with those before it. It returns nil when a robot finds no free path.
//
// Source: Erdmann and Lozano-Pérez, "On Multiple Moving Objects" (Algorithmica 2,
// 1987), with diffusion models as Shaoul et al., "Multi-Robot Motion Planning with
// Diffusion Models" (ICLR 2025).
func (s *Search) prioritized(ctx context.Context) (*Node, error) {
	n := &Node{robots: make([]trajectory, len(s.team))}
	for i, r := range s.team {
		var hard []Constraint
		if c, ok := s.team.avoid(i, n.paths(), false); ok {
			hard = append(hard, c)
		}
		b, err := s.plan(ctx, n, i, hard)
		if err != nil {
			return nil, s.fail(err, nil)
		}
		sample := s.fewest(n, i, b, b.Best)
		if sample < 0 {
			s.report.Robot = r.Name
			s.end(NoPath, nil)
			return nil, nil
		}
		s.take(n, i, b, sample, hard)
	}
	n.conflicts = s.team.conflicts(n.paths())
	if len(n.conflicts) > 0 {
		s.end(Conflicting, n)
	} else {
		s.end(Solved, n)
	}
	return n, nil
}
