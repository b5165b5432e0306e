package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/judge"
)

// corners notes who exceeds its limits of turning because its path is straight from point to point: at a corner everybody
// turns at once, however fine the points of a curve are.
func (s *JudgeSummary) corners(w *judge.World) {
	var who []string
	for _, r := range w.Robots {
		turns := func(f JudgedFault) bool {
			return f.Robot == r.Name && (f.Constraint == judge.Turning || f.Constraint == judge.Curvature)
		}
		if len(r.Path.X) > 2 && !r.Path.Curved() && slices.ContainsFunc(s.Exceeded, turns) {
			who = append(who, r.Name)
		}
	}
	if who != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("straight from point to point is to turn at once at every corner, however near points are: "+
			"files with velocities (plan.json, motion.csv, ros/trajectory.yaml) tell how they turn (%s)", strings.Join(who, ", ")))
	}
}
