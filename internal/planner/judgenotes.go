package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/paths"
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

// spots notes what is with robots that turn on the spot and have a turning radius.
func (s *JudgeSummary) spots(w *judge.World) {
	var who []string
	for _, r := range w.Robots {
		if r.Path.Curved() && slices.ContainsFunc(s.Exceeded, func(f JudgedFault) bool {
			return f.Robot == r.Name && f.Constraint == judge.Curvature && onTheSpot(f.By, f.size)
		}) {
			who = append(who, r.Name)
		}
	}
	if who != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("robots with a turning_radius go on as they came, also from where they stood: their ways turn along arcs of that radius at least. "+
			"Those that can turn where they stand have a turn_rate in the scene, and no turning_radius (%s)", strings.Join(who, ", ")))
	}
}

// waits notes of contacts between orders that were exported that these go with who has to wait.
func (s *JudgeSummary) waits(t *JudgeTask) {
	between := slices.ContainsFunc(s.Contacts, func(f JudgedFault) bool { return f.Constraint == judge.Separation && f.Anytime })
	if between && slices.ContainsFunc(t.files, func(f *paths.File) bool { return f.Kind == paths.Order && f.Claim != nil }) {
		s.Notes = append(s.Notes, "orders of an export go with its releases.json, which says who waits for whom, and is not judged here: "+
			"the plan itself, plan.json or its folder, has times")
	}
}

// fewRows notes of tables that were written from a plan and have too few rows to tell its motion how that is judged: what
// fails between these rows may be no fault of the plan.
func (s *JudgeSummary) fewRows(t *JudgeTask) {
	for i, f := range t.files {
		if f.Unclear && f.Claim != nil && f.Claim.Plan != "" {
			s.Notes = append(s.Notes, fmt.Sprintf("%s has too few rows to tell the motion of the plan that it was written from (sha256 %.12s): between rows robots are judged on other curves. "+
				"That plan itself, plan.json or its folder, is judged as it is, and so is a table of it with a row between any two of its waypoints (pcd export --rate)", s.Paths[i].File, f.Claim.Plan))
		}
	}
}
