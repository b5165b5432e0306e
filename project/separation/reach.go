package separation

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/project"
)

// checkReach returns an [project.InfeasibleError] for the first robot that cannot be at
// its end in time under its speed limit.
func (w *World) checkReach(p *paths, sample int) error {
	steps := p.waypoints - 1
	for i, r := range w.Robots {
		if r.Step == 0 {
			continue
		}
		d, most := p.at(i, steps).Sub(p.at(i, 0)), float64(steps)
		if w.Motion.Curved {
			// The natural ends take two thirds of a step, and give what the velocities there go.
			d, most = d.Sub(r.Before.Add(r.After).Scale(1.0/3)), most-2.0/3
		}
		way, reach := r.longAtMost(d), r.Step*most
		if way > reach {
			long, short := told.Apart(way, reach, 6)
			return &project.InfeasibleError{
				Set: setName, Sample: sample, Violation: way - reach,
				Reason: fmt.Sprintf("robot %d has to go %s and %s steps of %s reach %s", i, long, told.Digits(most, 4), told.Digits(r.Step, 6), short),
			}
		}
	}
	return nil
}
