package pcd

import (
	"context"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// constrain projects the next states where the cadence says so, each variable onto
// its set and then several onto theirs, and writes the conditions.
func (m *mover) constrain(ctx context.Context) error {
	if m.accepted && m.problem.Accept.Unprojected {
		return nil
	}
	if m.problem.Cadence.projects(m.i) {
		for v := range m.problem.Variables {
			if err := m.project(ctx, v); err != nil {
				return m.fail(v, err)
			}
		}
		if err := m.projectJointly(ctx); err != nil {
			return err
		}
	}
	for v, p := range m.problem.Variables {
		if p.Model != nil {
			p.condition(m.after(v), m.i)
		}
	}
	return nil
}

// project maps the next state of a variable to its constraint set.
func (m *mover) project(ctx context.Context, v int) (err error) {
	p, next := m.problem.Variables[v], m.after(v)
	if p.Project == nil || p.Model == nil {
		return nil
	}
	var report project.Report
	if memory := m.memory[v]; memory != nil {
		size := len(memory) / m.opts.Samples
		report, err = p.Project.(project.WarmStarter).ProjectFrom(ctx, next, next, memory[m.lo*size:m.hi*size])
	} else {
		report, err = p.Project.Project(ctx, next, next)
	}
	m.own.reports[v] = m.own.reports[v].Merge(report)
	m.own.lap(&m.own.seconds.Projection)
	return err
}

// projectJointly maps the next states to the sets of several variables.
func (m *mover) projectJointly(ctx context.Context) error {
	for k, c := range m.problem.Constraints {
		if !c.Window.Contains(m.i) {
			continue
		}
		var x []tensor.Batch
		for _, v := range m.problem.arguments(c.Variables) {
			x = append(x, m.after(v))
		}
		report, err := c.Project.Project(ctx, x, x)
		m.own.joint[k] = m.own.joint[k].Merge(report)
		m.own.lap(&m.own.seconds.Projection)
		if err != nil {
			return m.fail(-1, &partError{"constraint", m.problem.constraintName(k), err})
		}
	}
	return nil
}
