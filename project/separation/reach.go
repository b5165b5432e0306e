package separation

import (
	"fmt"

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
		way, reach := r.longAtMost(p.at(i, steps).Sub(p.at(i, 0))), r.Step*float64(steps)
		if way > reach {
			return &project.InfeasibleError{
				Set: setName, Sample: sample, Violation: way - reach,
				Reason: fmt.Sprintf("robot %d has to go %.6g and %d steps of %.6g reach %.6g", i, way, steps, r.Step, reach),
			}
		}
	}
	return nil
}
