package mmd

import (
	"container/heap"
	"context"
)

// conflictBased is conflict-based search: the first conflict of the node that has
// the fewest gives two children, in each of which one of its robots is planned
// anew under a further Constraint. It returns the node with the solution, or the
// one that was expanded last; nil when a robot has no path by itself.
//
// Source: Sharon et al., "Conflict-Based Search for Optimal Multi-Agent
// Pathfinding" (Artificial Intelligence 219, 2015), with diffusion models as Shaoul
// et al., "Multi-Robot Motion Planning with Diffusion Models" (ICLR 2025). ECBS and
// XCBS are variants of the latter: see [search].
func (s *Search) conflictBased(ctx context.Context) (*Node, error) {
	root, err := s.root(ctx)
	if err != nil || root == nil {
		return nil, err
	}
	open := queue{root}
	created := 1
	current := root
	for len(open) > 0 {
		current = heap.Pop(&open).(*Node)
		s.report.Conflicts = len(current.conflicts)
		if len(current.conflicts) == 0 {
			s.end(Solved, current)
			return current, nil
		}
		children, err := s.expand(ctx, current)
		if err != nil {
			return current, s.fail(err, current)
		}
		for _, c := range children {
			c.order = created
			created++
			heap.Push(&open, c)
		}
		if limit, ok := s.limited(); ok {
			s.end(limit, current)
			return current, nil
		}
	}
	s.end(Exhausted, current)
	return current, nil
}

// noFavourite lets conflict-based search take the first of equals.
const noFavourite = -1

// root plans every robot by itself and takes its cheapest path. It returns nil
// when a robot has none.
func (s *Search) root(ctx context.Context) (*Node, error) {
	n := &Node{robots: make([]trajectory, len(s.team))}
	for i, r := range s.team {
		b, err := s.plan(ctx, n, i, nil)
		if err != nil {
			return nil, s.fail(err, nil)
		}
		if b.Best < 0 {
			s.report.Robot = r.Name
			s.end(NoPath, nil)
			return nil, nil
		}
		s.take(n, i, b, b.Best, nil)
	}
	n.conflicts = s.team.conflicts(n.paths())
	return n, nil
}

// expand returns the children of a node. When a robot finds no free path under its
// new Constraint, the children that would follow are given up, as in the
// reference.
func (s *Search) expand(ctx context.Context, n *Node) ([]*Node, error) {
	s.report.Expanded++
	first := n.conflicts[0]
	added := s.team.resolve(first, len(n.robots[first.a].path)-1)
	var children []*Node
	for _, i := range []int{first.a, first.b} {
		before := n.robots[i].constraints
		hard := append(before[:len(before):len(before)], added)
		b, err := s.plan(ctx, n, i, hard)
		if err != nil {
			return nil, err
		}
		sample := s.fewest(n, i, b, noFavourite)
		if sample < 0 {
			s.report.Abandoned++
			break
		}
		child := &Node{robots: append([]trajectory(nil), n.robots...)}
		s.take(child, i, b, sample, hard)
		child.conflicts = s.team.conflicts(child.paths())
		children = append(children, child)
	}
	return children, nil
}

// limited reports whether the search has reached a limit, and which.
func (s *Search) limited() (Status, bool) {
	if limit := s.options.Expansions; limit > 0 && s.report.Expanded >= limit {
		return ExpansionLimit, true
	}
	if limit := s.options.TimeLimit; limit > 0 && s.options.Now().Sub(s.started) > limit {
		return TimeLimit, true
	}
	if s.room.Full {
		return MemoryLimit, true
	}
	return "", false
}

// queue is a heap of nodes: fewest conflicts first, then oldest.
type queue []*Node

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if a, b := len(q[i].conflicts), len(q[j].conflicts); a != b {
		return a < b
	}
	return q[i].order < q[j].order
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) { *q = append(*q, x.(*Node)) }

func (q *queue) Pop() any {
	last := len(*q) - 1
	n := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return n
}
