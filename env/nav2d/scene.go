package nav2d

import (
	"errors"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Scene is a user's task: a workspace of any size with obstacles and the robots
// that cross it together. Lengths are in any one unit; times are in seconds.
//
// A nil or empty key is left out. A scene that names a published map has the
// obstacles and the pattern of that map, stretched to the bounds, in addition to its
// own, and so has one that names the file of a map.
type Scene struct {
	Name     string   `yaml:"name"`     // for summaries and pictures
	Units    string   `yaml:"units"`    // the unit of lengths, for instance m
	Map      MapKey   `yaml:"map"`      // a published map, or a file that [Scene.LoadMap] reads
	Model    string   `yaml:"model"`    // the model to sample from; that of the map if left out
	Pattern  string   `yaml:"pattern"`  // the motion pattern; that of the map if left out
	Duration *Clock   `yaml:"duration"` // of the motion, or the shortest; if left out the shortest, and 5 seconds of polylines and of robots without limits
	Motion   string   `yaml:"motion"`   // along the waypoints: "curve" or "polyline"; curve if left out
	Bounds   *Bounds  `yaml:"bounds"`   // of the workspace, which robots do not leave; [-1, 1]² if left out
	Boxes    []Box    `yaml:"boxes"`
	Circles  []Circle `yaml:"circles"`
	Robots   []Robot  `yaml:"robots"`
	Team     *Team    `yaml:"team"` // robots that a file lists, in addition to Robots

	Polygons []Polygon `yaml:"polygons"`
	Traffic  []Traffic `yaml:"traffic"` // that moves on given paths
	// Margin is the distance that robots keep from each other, from traffic and from
	// obstacles; none if left out.
	Margin       *float64 `yaml:"margin"`
	Acceleration *float64 `yaml:"acceleration"` // limit per second squared of robots that have none of their own
	// Lateness is how late robots and traffic may be, in seconds, without touching anything.
	Lateness *float64 `yaml:"lateness"`

	loaded *loadedMap // by LoadMap
}

// Bounds is the rectangle of a workspace.
type Bounds struct {
	Min []float64 `yaml:"min"`
	Max []float64 `yaml:"max"`
}

// Box is a rectangular obstacle; Radius rounds its corners.
type Box struct {
	Center []float64 `yaml:"center"`
	Size   []float64 `yaml:"size"`
	Radius float64   `yaml:"radius"`
	Angle  float64   `yaml:"angle"` // by which it is turned about its centre, counter-clockwise in degrees
}

// Circle is a round obstacle.
type Circle struct {
	Center []float64 `yaml:"center"`
	Radius float64   `yaml:"radius"`
}

// Robot is a disk that goes from start to goal.
type Robot struct {
	Name   string   `yaml:"name"`
	Start  Place    `yaml:"start"`
	Goal   Place    `yaml:"goal"`
	Radius *float64 `yaml:"radius"` // a fortieth of the longer side of the workspace if left out
	Speed  *float64 `yaml:"speed"`  // limit per second; none if left out
	Model  string   `yaml:"model"`  // overrides that of the scene
	// Acceleration is a limit per second squared, overriding that of the scene. With one,
	// the robot starts and ends with the velocities given, at rest if left out.
	Acceleration  *float64  `yaml:"acceleration"`
	StartVelocity []float64 `yaml:"start_velocity"`
	GoalVelocity  []float64 `yaml:"goal_velocity"`
	// TurnRate limits how fast the heading changes, in radians per second, and TurningRadius how
	// tightly the way bends; none if left out. Headings are those in which it leaves its start
	// and comes to its goal, in radians.
	TurnRate      *float64 `yaml:"turn_rate"`
	TurningRadius *float64 `yaml:"turning_radius"`
	StartHeading  *float64 `yaml:"start_heading"`
	GoalHeading   *float64 `yaml:"goal_heading"`
}

// Frame maps between the coordinates of a scene and those of its [Map]:
// a translation and a uniform scale, so that disks stay disks.
type Frame struct {
	Center geom.Vec2
	Scale  float64 // scene units per map unit
}

// ToMap maps a point of the scene to the map.
func (f Frame) ToMap(p geom.Vec2) geom.Vec2 { return p.Sub(f.Center).Scale(1 / f.Scale) }

// FromMap maps a point of the map to the scene.
func (f Frame) FromMap(p geom.Vec2) geom.Vec2 { return p.Scale(f.Scale).Add(f.Center) }

// farAway is how far from zero a workspace may lie, in halves of its longer side, before
// positions count from an origin near it: float32 loses four of its 24 digits on the way.
const farAway = 16

// Origin returns where positions count from that are stored in float32: zero, or a point
// near the middle of a workspace that is far away, such as one in metres of a map
// projection. It has few digits.
func (f Frame) Origin() geom.Vec2 {
	unit := math.Exp2(math.Floor(math.Log2(f.Scale)))
	near := func(c float64) float64 {
		if math.Abs(c) <= farAway*f.Scale {
			return 0
		}
		return math.Round(c/unit) * unit
	}
	return geom.Vec2{X: near(f.Center.X), Y: near(f.Center.Y)}
}

// Local returns the frame of positions that count from the origin.
func (f Frame) Local() Frame { return Frame{Center: f.Center.Sub(f.Origin()), Scale: f.Scale} }

// Task is a scene in the coordinates of its map, ready to be planned.
type Task struct {
	Name  string // "" when the scene has none
	Units string // of lengths, "" when the scene does not say
	Map   *Map
	Frame Frame
	Model string  // "" when the scene names neither model nor map
	Step  float64 // seconds between waypoints
	// Waypoints is how many of them plans have: [Waypoints], or more where ways are long.
	Waypoints int
	// Shortest says that the scene asks for the shortest time that is found, whatever Step is.
	Shortest bool
	Motion   string // along the waypoints, "" when the scene does not say
	Robots   []TaskRobot

	Margin   float64 // distance that robots keep
	Lateness float64 // seconds
	Traffic  []taskTraffic

	// Bounds and GivenMargin are the workspace and the margin in the units of the scene, as
	// they were given: scaled to the map and back they would differ in the last digit.
	Bounds      geom.Box
	GivenMargin float64

	// Places are those that have names, and those where robots start and end, in the
	// coordinates of the map.
	Places []geom.Vec2

	MapFile *MapFile // nil for a scene without the file of a map
	Notes   []string // what a user should know of how the files of the scene were read
}

// TaskRobot is a robot in the coordinates of the map.
type TaskRobot struct {
	Name        string
	Start, Goal geom.Vec2
	Radius      float64
	GivenRadius float64 // in the units of the scene
	Speed       float64 // limit in map units per second, +Inf if there is none
	Model       string

	Acceleration                float64 // limit in map units per second squared, 0 if there is none
	StartVelocity, GoalVelocity geom.Vec2

	TurnRate, TurningRadius   float64  // radians per second and map units, 0 for no limit
	StartHeading, GoalHeading *float64 // radians, nil for any
}

// rounding bounds by how much a position that is stored in the units of the scene as
// float32 differs from the one that was meant, in map units: two units in the last
// place of the largest coordinate, for its rounding and that of the comparison.
func (f Frame) rounding() float64 {
	near := f.Local().Center
	return 2 * 0x1p-23 * (1 + max(math.Abs(near.X), math.Abs(near.Y))/f.Scale)
}

func point(v []float64) geom.Vec2 { return geom.Vec2{X: v[0], Y: v[1]} }

// bounds returns the workspace; the scene must have valid bounds.
func (s *Scene) bounds() geom.Box {
	if s.Bounds == nil {
		return square
	}
	return geom.Box{Min: point(s.Bounds.Min), Max: point(s.Bounds.Max)}
}

func (s *Scene) frame() Frame {
	b := s.bounds()
	size := b.Size()
	return Frame{Center: b.Center(), Scale: max(size.X, size.Y) / 2}
}

// Task checks the scene and returns it in the coordinates of a map. The error
// joins everything that is wrong: [ValueError], names that are not known,
// [PlacementError], [SeparationError], [ErrNoRobots]. Whether goals can be
// reached in time is a question for [Task.CheckReach].
func (s *Scene) Task() (*Task, error) {
	if len(s.Robots) == 0 {
		return nil, errors.Join(s.check(), ErrNoRobots)
	}
	t, err := s.Workspace()
	if err == nil {
		err = t.checkPlacement()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Workspace is [Scene.Task] without the question whether robots fit where they start and end,
// for those who judge motion or learn of the place: a scene may then have no robots.
func (s *Scene) Workspace() (*Task, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	t := &Task{Name: s.Name, Units: s.Units, Frame: s.frame(), Model: s.Model, Motion: s.Motion, Step: s.duration() / Waypoints, Shortest: s.shortest(), Bounds: s.bounds()}
	if t.Model == "" {
		t.Model = s.Map.Name
	}
	t.Map = s.buildMap(t.Frame)
	if s.loaded != nil {
		t.MapFile, t.Notes = s.loaded.told(s.Map.File), s.loaded.notes
	}
	robots, traffic := s.bodyNames()
	for i, r := range s.Robots {
		t.Robots = append(t.Robots, s.taskRobot(robots[i], r, t))
		t.Places = append(t.Places, t.Robots[i].Start, t.Robots[i].Goal)
	}
	if s.loaded != nil {
		for _, p := range s.loaded.places {
			t.Places = append(t.Places, t.Frame.ToMap(p))
		}
	}
	if s.Margin != nil {
		t.Margin, t.GivenMargin = *s.Margin/t.Frame.Scale, *s.Margin
	}
	if s.Lateness != nil {
		t.Lateness = *s.Lateness
	}
	for i, m := range s.Traffic {
		t.Traffic = append(t.Traffic, m.task(traffic[i], t.Frame))
	}
	t.Waypoints = t.waypoints(s.duration())
	t.Step = s.duration() / float64(t.Waypoints)
	return t, nil
}

// buildMap returns the map of a checked scene.
func (s *Scene) buildMap(f Frame) *Map {
	var obstacles geom.Union
	pattern := patterns[s.Pattern]
	margins, planning := TrialMargins{}, 0.0
	if base, err := MapByName(s.Map.Name); err == nil {
		obstacles = append(obstacles, base.Obstacles...)
		if pattern == nil {
			pattern = base.Pattern
		}
		margins, planning = base.Margins, base.PlanningMargin
	}
	obstacles = append(obstacles, s.loaded.solids(f)...)
	for _, b := range s.Boxes {
		obstacles = append(obstacles, b.solid(f))
	}
	for _, p := range s.Polygons {
		obstacles = append(obstacles, p.solid(f))
	}
	for _, c := range s.Circles {
		obstacles = append(obstacles, geom.Circle{Center: f.ToMap(point(c.Center)), Radius: c.Radius / f.Scale})
	}
	name := s.Name
	if name == "" {
		name = "scene"
	}
	b := s.bounds()
	m := newMap(name, geom.Box{Min: f.ToMap(b.Min), Max: f.ToMap(b.Max)}, obstacles, pattern, f.rounding())
	if s.loaded != nil && s.loaded.file != nil {
		m.Cells = latticeOf(s.loaded.file.Grid, f)
	}
	if planning > 0 {
		m.Margins, m.PlanningMargin = margins, planning
	}
	return m
}

func (s *Scene) taskRobot(name string, r Robot, t *Task) TaskRobot {
	out := TaskRobot{
		Name: name, Start: t.Frame.ToMap(point(r.Start.At)), Goal: t.Frame.ToMap(point(r.Goal.At)),
		Radius: RobotRadius, GivenRadius: RobotRadius * t.Frame.Scale, Speed: math.Inf(1), Model: r.Model,
	}
	if r.Radius != nil {
		out.Radius, out.GivenRadius = *r.Radius/t.Frame.Scale, *r.Radius
	}
	if r.Speed != nil {
		out.Speed = *r.Speed / t.Frame.Scale
	}
	s.setMotion(&out, r, t.Frame.Scale)
	if out.Model == "" {
		out.Model = t.Model
	}
	return out
}
