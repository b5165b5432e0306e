package session

import (
	"cmp"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
)

// Newcomer is a robot that joins a team on its way, in the units of the task. It stands where
// it starts.
type Newcomer struct {
	Name         string
	Model        *plan.Model // nil is that of the first robot
	Start, Goal  geom.Vec2
	Radius       float64
	Speed        float64 // limit per second; 0 is none
	Acceleration float64 // limit per second squared; 0 is none
}

// robot returns a newcomer as a robot of a team.
func (n Newcomer) robot(t plan.Team, model *plan.Model) plan.Robot {
	f := t.TaskFrame()
	r := plan.Robot{
		Name: n.Name, Model: cmp.Or(n.Model, model), Start: f.ToMap(n.Start), Goal: f.ToMap(n.Goal),
		Radius: n.Radius / f.Scale, GivenRadius: n.Radius, Limit: math.Inf(1),
	}
	half := r.Model.HalfRange()
	unit := max(half[0], half[1])
	if t.IsScene() {
		unit *= f.Scale
	}
	if n.Speed > 0 {
		r.Limit = n.Speed / unit
	}
	r.Acceleration = n.Acceleration / unit
	return r
}

// place tells where it starts.
func (n Newcomer) place() string { return "at " + told.Place(n.Start.X, n.Start.Y, n.Radius) }

// check returns an error for a newcomer that makes no sense.
func (n Newcomer) check(s *Session) error {
	what := fmt.Sprintf("newcomer %q", n.Name)
	switch {
	case !n.Start.IsFinite():
		return &UpdateError{what, n.place(), "want a start of finite numbers"}
	case !(n.Radius > 0) || math.IsInf(n.Radius, 0):
		return &UpdateError{what, n.Radius, "want a positive radius"}
	case !(n.Speed >= 0) || !(n.Acceleration >= 0) || math.IsInf(n.Acceleration, 0):
		return &UpdateError{what, [2]float64{n.Speed, n.Acceleration}, "want limits that are positive, or 0 for none"}
	case n.Model != nil && n.Model.Waypoints() != s.team.Robots[0].Model.Waypoints():
		return &UpdateError{what, n.Model.Waypoints(), fmt.Sprintf("want a model of %d waypoints, as the others have", s.team.Robots[0].Model.Waypoints())}
	}
	return nil
}

// checkNewcomers returns an error for newcomers that are where they cannot be.
func (at situation) checkNewcomers(all []Newcomer) error {
	t := at.team
	first := len(t.Robots) - len(all)
	for k, n := range all {
		r := t.Robots[first+k]
		alone := t
		alone.Robots, alone.Traffic = []plan.Robot{r}, nil
		refuse := func(want string) error { return &UpdateError{fmt.Sprintf("newcomer %q", n.Name), n.place(), want} }
		fits := func() string { return nearby.Fits("it", at.startNear(first+k, n.Radius), n.Radius) }
		switch p, err := (situation{team: alone}).stop(); {
		case err != nil:
			return refuse("want another: " + err.Error())
		case p == nil:
			return refuse("want a start within the workspace and off obstacles" + fits())
		}
		if near := at.tooNear(first + k); near != "" {
			return refuse("want a start further from " + near + fits())
		}
	}
	return nil
}

// tooNear tells whom robot i stands too near to, a robot before it or traffic, "" for nobody.
func (at situation) tooNear(i int) string {
	t, r := at.team, at.team.Robots[i]
	tell := func(name string, is geom.Vec2, radius float64) string {
		d, need := is.Dist(r.Start), radius+r.Radius+t.Margin
		if d >= need {
			return ""
		}
		apart, least := told.Apart(d*t.LengthUnit(), need*t.LengthUnit(), 4)
		return fmt.Sprintf("%s: they are %s apart and need %s", name, apart, least)
	}
	near := ""
	for _, other := range t.Robots[:i] {
		near = cmp.Or(near, tell(other.Name, other.Start, other.Radius))
	}
	for _, m := range t.Traffic {
		near = cmp.Or(near, tell(m.Name, ahead(m)[0], m.Radius))
	}
	return near
}
