package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan/internal/turns"
	"github.com/go-pcd/pcd/tensor"
)

// Team is a task for several robots on one map.
type Team struct {
	Name  string // of a scene, for people; "" for none
	Units string // of a scene's lengths, "" when it does not say
	Map   *nav2d.Map
	Step  float64 // seconds between waypoints
	// Waypoints is how many of them plans have; 0 is as many as the models draw, or more where
	// vehicles need them: [Plan.Times] has all. Samples of longer plans are stretched to them.
	Waypoints int
	Motion    Motion // along the waypoints; "" is that of [Options.DefaultMotion], [Curve] where there are no options
	Robots    []Robot
	// Shortest asks for the shortest time that is found, along curves. Step does not count
	// then: [Plan.Times] has what was found.
	Shortest bool
	// Frame maps to the units of the task, in which results are given; the zero
	// value leaves them in map units.
	Frame nav2d.Frame
	// Margin is the distance that robots keep from each other, from traffic and from
	// obstacles, in map units.
	Margin float64
	// Traffic moves among the robots on paths that are given.
	Traffic []Mover
	// Lateness is how late robots and traffic may be, in seconds, each by something else and at
	// any time by something else, up to which plans along curves are to stay certified; 0 is on
	// time. Where no such plan is found [Certificate.Lateness] is less.
	Lateness float64
	// GivenBounds and GivenMargin are the workspace and the margin as the task gives them, in
	// its units: see [Robot.GivenRadius].
	GivenBounds geom.Box
	GivenMargin float64

	// stretch is by how many times the steps of samples are longer than those of the plan; 0 is 1.
	stretch float64
	// openEnded says that it is planned for again with more time if ways are found that need it.
	openEnded bool
	// binary rounds the knots of curves to binary digits instead of decimal ones: then a scene
	// twice as large has the same plan, twice as large, to the last bit.
	binary bool
	// glancing says that only steps of the ladder are taken that are quick, and patient that
	// robots take turns in them.
	glancing, patient bool
	lines             *turns.Lines // of a run; nil keeps none
}

// Mover is a disk on a given path, straight and even from point to point.
type Mover struct {
	Name   string      // of its own, as that of a robot
	Radius float64     // in map units
	Path   []geom.Vec2 // in map units
	// GivenRadius is as that of a robot, and GivenPath is Path in the units of the task.
	GivenRadius float64
	GivenPath   []geom.Vec2
	// Times are those of the points of Path, in seconds from the first waypoint on; before
	// and after them it rests. Nil is one point per waypoint.
	Times []float64
}

// Robot is a disk with a model of its motion.
type Robot struct {
	Name        string // of its own; "" is one that is made of its place in the team
	Model       *Model
	Start, Goal geom.Vec2 // in map units
	Radius      float64   // in map units
	// GivenRadius is Radius as the task gives it, in its units. Lengths that are
	// scaled to the map and back differ from it in the last digit, and plans are certified
	// for the one that was given. It does not count where it is not Radius to rounding; 0 is
	// none.
	GivenRadius float64
	// Limit is the highest speed, in normalised units of the model per second;
	// +Inf is none.
	Limit float64
	// Acceleration is the highest one, in normalised units of the model per second
	// squared; 0 is no limit. With one, the robot begins and ends at the velocities
	// given, in map units per second; zero is rest.
	Acceleration                float64
	StartVelocity, GoalVelocity geom.Vec2
	// TurnRate is the highest rate at which its heading changes along a curve, in radians per
	// second, and TurningRadius the smallest radius that its way bends with, in map units; 0 is
	// no limit. StartHeading and GoalHeading are the directions, in radians, in which it leaves its
	// start and comes to its goal; nil is any.
	TurnRate, TurningRadius   float64
	StartHeading, GoalHeading *float64
}

// TeamOfTrial returns the team of a published trial: equal robots with one model
// and one speed limit.
func TeamOfTrial(m *nav2d.Map, t nav2d.Trial, model *Model, limit float64) Team {
	team := Team{Map: m, Step: nav2d.Step}
	for i := range t.Starts {
		team.Robots = append(team.Robots, Robot{
			Name: fmt.Sprint("robot ", i), Model: model, Start: t.Starts[i], Goal: t.Goals[i],
			Radius: nav2d.RobotRadius, Limit: limit,
		})
	}
	return team
}

// TeamOfTask returns the team of a user's scene. models finds a model by the name
// that the scene or a robot gives, which may be empty; it is asked once for each. Limits per map unit become
// limits of the model's units that are at least as strict.
func TeamOfTask(t *nav2d.Task, models func(name string) (*Model, error)) (Team, error) {
	team := Team{Name: t.Name, Units: t.Units, Map: t.Map, Step: t.Step, Waypoints: t.Waypoints, Frame: t.Frame, GivenBounds: t.Bounds, GivenMargin: t.GivenMargin}
	known := map[string]*Model{}
	for _, r := range t.Robots {
		name := cmp.Or(r.Model, t.Model)
		model := known[name]
		if model == nil {
			found, err := models(name)
			if err != nil {
				return Team{}, fmt.Errorf("robot %s: %w", r.Name, err)
			}
			model = found.In(t.Frame)
			known[name] = model
		}
		half := model.HalfRange()
		team.Robots = append(team.Robots, Robot{
			Name: r.Name, Model: model, Start: r.Start, Goal: r.Goal, Radius: r.Radius, GivenRadius: r.GivenRadius,
			Limit: r.Speed / larger(half), Acceleration: r.Acceleration / larger(half),
			StartVelocity: r.StartVelocity, GoalVelocity: r.GoalVelocity,
			TurnRate: r.TurnRate, TurningRadius: r.TurningRadius, StartHeading: r.StartHeading, GoalHeading: r.GoalHeading,
		})
	}
	team.Margin, team.Motion, team.Shortest, team.Lateness = t.Margin, Motion(t.Motion), t.Shortest, t.Lateness
	for _, m := range t.Traffic {
		team.Traffic = append(team.Traffic, Mover{Name: m.Name, Radius: m.Radius, GivenRadius: m.GivenRadius, Path: m.Path, GivenPath: m.GivenPath, Times: m.Times})
	}
	return team, nil
}

// larger returns the larger half of a range, see [Model.HalfRange]. A step that is short in
// normalised units is no longer than as many of it.
func larger(half [2]float64) float64 { return max(half[0], half[1]) }

// HalfRange returns half the range of x and y: map units per normalised unit.
func (m *Model) HalfRange() (h [2]float64) {
	for i := range h {
		h[i] = (float64(m.Limits.Max[i]) - float64(m.Limits.Min[i])) / 2
	}
	return h
}

// waypoints returns the number of waypoints of all robots.
func (t Team) waypoints() int {
	if t.Waypoints > 0 {
		return t.Waypoints
	}
	return t.Robots[0].Model.Waypoints()
}

// Waypoints returns the number of waypoints of a model.
func (m *Model) Waypoints() int { return m.Net.Shape()[0] }

// state returns the normalised state of a robot that rests at a point.
func (m *Model) state(p geom.Vec2) tensor.Batch {
	b := tensor.New(1, channels)
	b.Data[0], b.Data[1] = float32(p.X), float32(p.Y)
	m.Limits.Normalize(b, b)
	return b
}

// frame returns the frame of a team, identity by default.
func (t Team) frame() nav2d.Frame {
	if t.Frame.Scale == 0 {
		return nav2d.Frame{Scale: 1}
	}
	return t.Frame
}

// local returns the frame of stored positions, which count from [Team.Origin].
func (t Team) local() nav2d.Frame { return t.frame().Local() }

// ulps bounds, in units in the last place of the largest coordinate, by how much
// a step can grow when its ends are rounded to float32: twice in every unit that
// positions pass through.
const ulps = 8

// slack returns by how much the sampler's limit per step stays below the one that
// is asked for, in normalised units, so that rounding positions to the units of
// the task cannot exceed it.
func (t Team) slack(m *Model) float64 {
	f, half := t.local(), m.HalfRange()
	largest := 1 + max(math.Abs(f.Center.X), math.Abs(f.Center.Y))/f.Scale // in map units
	return max(t.stretch, 1) * ulps * 0x1p-24 * largest / min(half[0], half[1])
}

// stepLimit returns how far a robot may go from one waypoint to the next, in
// normalised units.
func (t Team) stepLimit(r Robot) float64 { return max(r.Limit*t.Step-t.slack(r.Model), 0) }

// Check returns an error for the first thing that keeps a team from being
// planned: no robots, two of one name, models of different length, starts or goals that
// collide or overlap, limits that are not positive, goals out of reach.
func (t Team) Check(settings Settings) error {
	if err := t.checkTask(); err != nil {
		return err
	}
	t = t.Named()
	t.Motion = cmp.Or(t.Motion, Options{Settings: settings}.DefaultMotion())
	if err := errors.Join(t.checkNames(), t.checkCurves(settings)); err != nil {
		return err
	}
	if !(t.Step > 0) || math.IsInf(t.Step, 0) {
		return &TeamError{Reason: fmt.Sprintf("%v seconds between waypoints, want a positive number", t.Step)}
	}
	for i, r := range t.Robots {
		if r.Model == nil {
			return &TeamError{r.Name, "no model"}
		}
		if n := t.Robots[0].Model.Waypoints(); r.Model.Waypoints() != n {
			return &TeamError{r.Name, fmt.Sprintf("the model has %d waypoints, that of %s %d", r.Model.Waypoints(), t.Robots[0].Name, n)}
		}
		if !(r.Limit > 0) {
			return &LimitError{Robot: r.Name, Limit: r.Limit, Want: "a positive number"}
		}
		if !(r.Radius > 0) || math.IsInf(r.Radius, 0) {
			return &TeamError{r.Name, fmt.Sprintf("the radius is %v, want a positive number", r.Radius)}
		}
		if err := t.checkPlaces(i); err != nil {
			return err
		}
		if err := errors.Join(t.checkReach(r, settings), t.checkMotion(r)); err != nil {
			return err
		}
	}
	return nil
}

// checkTask returns an error for a team that is no task: without robots or a map, or with numbers of the whole team that
// are none.
func (t Team) checkTask() error {
	switch {
	case len(t.Robots) == 0:
		return nav2d.ErrNoRobots
	case t.Map == nil:
		return &TeamError{Reason: "no map"}
	case math.IsNaN(t.Margin):
		return &TeamError{Reason: "the margin is NaN, want a distance"}
	case !(t.Lateness >= 0) || math.IsInf(t.Lateness, 0):
		return &TeamError{Reason: fmt.Sprintf("a lateness of %v s, want a finite number, 0 or more", t.Lateness)}
	case t.Waypoints < 0:
		return &TeamError{Reason: fmt.Sprintf("%d waypoints, want more, or 0 for those of the models", t.Waypoints)}
	}
	return nil
}

// checkPlaces returns an error when the start or goal of robot i collides, or
// overlaps with that of a robot before it.
func (t Team) checkPlaces(i int) error {
	r := t.Robots[i]
	for _, place := range []struct {
		name string
		at   func(Robot) geom.Vec2
	}{{"start", func(r Robot) geom.Vec2 { return r.Start }}, {"goal", func(r Robot) geom.Vec2 { return r.Goal }}} {
		p := place.at(r)
		if !p.IsFinite() {
			p = t.TaskFrame().FromMap(p)
			return &TeamError{r.Name, fmt.Sprintf("the %s is %s, want finite numbers", place.name, told.Place(p.X, p.Y, t.RadiusOf(r)))}
		}
		if d, _ := t.Map.Clearance(p); d < r.Radius+t.Margin {
			return t.collision(i, place.name, "an obstacle", d, r.Radius+t.Margin)
		}
		for _, other := range t.Robots[:i] {
			if d := p.Dist(place.at(other)); d < r.Radius+other.Radius+t.Margin {
				return t.collision(i, place.name, "the "+place.name+" of "+other.Name, d, r.Radius+other.Radius+t.Margin)
			}
		}
	}
	return nil
}

// checkReach returns an error when a pinned goal is farther from the start than a
// robot gets.
func (t Team) checkReach(r Robot, settings Settings) error {
	if !settings.PinGoal || math.IsInf(r.Limit, 1) {
		return nil
	}
	a, b := r.Model.state(r.Start), r.Model.state(r.Goal)
	distance := math.Hypot(float64(b.Data[0])-float64(a.Data[0]), float64(b.Data[1])-float64(a.Data[1]))
	steps := t.steps(r)
	if reach := t.stepLimit(r) * steps; distance > reach {
		unit := t.unitOf(r)
		return &ReachError{Robot: r.Name, Missing: unit * (distance - reach), Need: unit * distance / (steps * t.Step), Limit: unit * r.Limit}
	}
	return nil
}
