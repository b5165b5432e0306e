package separation

import (
	"math"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// polisher brings paths that nearly keep their limits to ones that do, also after
// rounding to float32, by as little as possible.
type polisher struct {
	w     *World
	start *paths // whose ends are held
	speed []*project.SpeedLimit
	shape tensor.Shape
	row   []float64
}

// roundingUnits bounds by how many units of 2⁻²⁴ of the largest coordinate a step
// can grow when its ends, and the way to the goal, are rounded to float32.
const roundingUnits = 6

// newPolisher returns a polisher for paths that begin and end where start does. The
// error says which robot cannot reach its goal.
func newPolisher(w *World, start *paths) (*polisher, error) {
	p := &polisher{
		w: w, start: start, speed: make([]*project.SpeedLimit, len(w.Robots)),
		shape: tensor.Shape{start.waypoints, 2}, row: make([]float64, 2*start.waypoints),
	}
	extent := 0.0
	for _, c := range start.x {
		extent = max(extent, math.Abs(c))
	}
	for i, r := range w.Robots {
		if r.Step == 0 {
			continue
		}
		goal := tensor.New(1, 2)
		way := start.at(i, start.waypoints-1).Sub(start.at(i, 0))
		goal.Data[0], goal.Data[1] = float32(way.X/r.unit(0)), float32(way.Y/r.unit(1))
		limit := r.Step - roundingUnits*0x1p-24*extent/min(r.unit(0), r.unit(1))
		var err error
		p.speed[i], err = project.NewSpeedLimit(max(limit, 0), project.Path{Start: tensor.New(1, 2), Goal: goal, Skip: 1})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// polish projects the robots of x onto their limits and rounds them.
func (p *polisher) polish(x *paths) {
	if p.smooth(x) {
		x.round(len(p.w.Robots))
		return
	}
	for i, set := range p.speed {
		if set != nil && p.exceeds(x, i) {
			p.slow(x, i, set)
		}
	}
	x.round(len(p.w.Robots))
}

// exceeds reports whether robot i takes a step that is too long, or nearly.
func (p *polisher) exceeds(x *paths, i int) bool {
	r := p.w.Robots[i]
	for h := range x.waypoints - 1 {
		if r.longAtMost(x.at(i, h+1).Sub(x.at(i, h))) > r.Step*(1-0x1p-20) {
			return true
		}
	}
	return false
}

// slow projects robot i onto its step limit, in its units and relative to its start,
// and restores both ends.
func (p *polisher) slow(x *paths, i int, set *project.SpeedLimit) {
	r, n := p.w.Robots[i], x.waypoints
	for c := range 2 {
		row := x.row(i, c)
		for h, v := range row {
			p.row[2*h+c] = (v - row[0]) / r.unit(c)
		}
	}
	set.ProjectExact(p.row, p.row, p.shape, 0)
	for c := range 2 {
		row := x.row(i, c)
		for h := 1; h < n-1; h++ {
			row[h] = row[0] + p.row[2*h+c]*r.unit(c)
		}
	}
}

// smooth brings robots whose acceleration is limited within both limits, by the
// solver without any lines. It reports whether there are any.
func (p *polisher) smooth(x *paths) bool {
	limited := false
	for _, r := range p.w.Robots {
		limited = limited || r.Change > 0
	}
	if !limited {
		return false
	}
	s := newSolver(p.w, x)
	s.factor()
	for range smoothRounds {
		if v := newVerdict(); func() bool {
			p.w.judgeMotion(&v, s.at)
			return v[Speed].Value > 0 && v[Acceleration].Value > 0
		}() {
			break
		}
		s.run(smoothIterations)
	}
	copy(x.x, s.at.x)
	return true
}

const (
	smoothRounds     = 12
	smoothIterations = 25
)
