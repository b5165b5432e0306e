package planner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/plan"
)

// JudgeRequest asks whether paths from anywhere are free of contact in a scene, and within
// the limits of its robots. Everything is text, so that whoever calls decides which files
// are read. A service judges so:
//
//	outcome, err := Do(ctx, &JudgeTask{Request: JudgeRequest{Scene: &scene, Paths: files}}, Watch{}, nil)
//
// err says what is wrong with the request, [ClassOf] of it [Usage]. Else outcome.Summary is
// the judgement, and outcome.Verdict is nil where it is certified, or a [*JudgedError], which
// is [Uncertified].
type JudgeRequest struct {
	// Task names a published map. With a scene it names the scene, for people.
	Task  string  `json:"task"`
	Scene *string `json:"scene,omitempty"`
	Table *string `json:"table,omitempty"` // as that of a [PlanRequest]
	// Paths are the files of the paths, together one path for each robot of the scene.
	Paths []PathFile `json:"paths"`
	// Motion "polyline" is straight from point to point, though the files give velocities;
	// "" is as the files say.
	Motion string `json:"motion,omitempty"`
	// Radius is that of robots that the scene does not list: without it these are refused.
	Radius *float64 `json:"radius,omitempty"`
	// Limit bounds the speed of all robots, in the units of the scene per second. Stricter ones
	// of the scene stay.
	Limit *float64 `json:"vmax,omitempty"`
	// Anywhere leaves open where robots start and end.
	Anywhere bool `json:"anywhere,omitempty"`
	// Files opens the files that a scene names. Nil opens none.
	Files nav2d.Files `json:"-"`
}

// PathFile is a file of paths. Its name tells the robot where the file does not.
type PathFile struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// JudgeRadius is that of robots that a scene does not list.
var JudgeRadius = settings.Number{Name: "radius", High: 1e9, Above: true, Help: "radius of robots that the scene does not list, in its units; without it they are refused"}

// JudgeTask is a checked request to judge.
type JudgeTask struct {
	Request JudgeRequest

	world *judge.World
	files []*paths.File
	scene *nav2d.Task // nil for a published map
	units Units
	notes []string
	read  map[string]manifest.Input
}

var _ Task[JudgeSummary] = (*JudgeTask)(nil)

// JudgedError says that paths are not certified.
type JudgedError struct {
	Contacts, Exceeded int
	First              string   // of what fails
	Contradictions     []string // between a file and what was found
}

func (e *JudgedError) Error() string {
	switch {
	case e.First == "":
		return "planner: the file contradicts itself: " + strings.Join(e.Contradictions, "; ")
	case e.Contacts+e.Exceeded == 1:
		return "planner: the paths are not certified: " + e.First
	}
	return fmt.Sprintf("planner: the paths are not certified: %d contacts, %d limits exceeded; first, %s", e.Contacts, e.Exceeded, e.First)
}

// Is makes errors.Is(err, [pcd.ErrUncertified]) true.
func (e *JudgedError) Is(target error) bool { return target == pcd.ErrUncertified }

// Check implements [Task]. It reads the scene and the paths.
func (t *JudgeTask) Check() error {
	r := t.Request
	t.read = map[string]manifest.Input{}
	if r.Motion != "" && r.Motion != string(plan.Polyline) {
		return &RequestError{Field: "motion", Value: quoted(r.Motion), Reason: "want polyline, or none for that of the files"}
	}
	if err := first(within(JudgeRadius, r.Radius), within(PlanLimit, r.Limit)); err != nil {
		return err
	}
	if len(r.Paths) == 0 {
		return &RequestError{Field: "paths", Value: "missing", Err: errors.New("no paths, want a file of them, or several")}
	}
	ground, robots, err := t.ground()
	if err != nil {
		return err
	}
	ways, err := t.readPaths(robots)
	if err != nil {
		return err
	}
	t.world = ground
	return t.match(robots, ways)
}

// ground returns the world without robots, and those that the scene has.
func (t *JudgeTask) ground() (*judge.World, []judge.Robot, error) {
	if t.Request.Scene == nil {
		m, err := nav2d.MapByName(orElse(t.Request.Task, DefaultTask))
		if err != nil {
			return nil, nil, &RequestError{Field: "task", Value: quoted(t.Request.Task), Err: err}
		}
		team := plan.Team{Map: m, Step: nav2d.Step}
		t.units = unitsOf(team)
		w, err := groundOf(team)
		return w, nil, err
	}
	scene, err := t.Request.open(t.read)
	if err != nil {
		return nil, nil, err
	}
	if t.scene, err = scene.Workspace(); err != nil {
		return nil, nil, t.Request.refuse(err)
	}
	t.notes = append(t.notes, t.scene.Notes...)
	team, err := plan.TeamOfTask(t.scene, func(string) (*plan.Model, error) { return unitModel(), nil })
	if err != nil {
		return nil, nil, t.Request.refuse(err)
	}
	t.units = unitsOf(team)
	w, err := groundOf(team)
	if err != nil {
		return nil, nil, err
	}
	w.Margin = t.scene.GivenMargin
	if !t.scene.Shortest {
		w.Until = t.scene.Step * float64(t.scene.Waypoints)
	}
	for i, m := range scene.Traffic {
		course := &paths.Path{Robot: t.scene.Traffic[i].Name}
		for _, p := range m.Path {
			course.Times, course.X = append(course.Times, p[0]), append(course.X, geom.Vec2{X: p[1], Y: p[2]})
		}
		w.Traffic = append(w.Traffic, judge.Robot{Name: course.Robot, Radius: m.Radius, Path: course})
	}
	return w, t.robots(scene, w), nil
}

// open reads the scene and the files that it names.
func (r JudgeRequest) open(read map[string]manifest.Input) (*nav2d.Scene, error) {
	scene, err := nav2d.ReadScene(strings.NewReader(*r.Scene))
	if err != nil {
		return nil, r.refuse(err)
	}
	if r.Table != nil {
		if err := scene.AddTeam("the table of robots", []byte(*r.Table)); err != nil {
			return nil, &RequestError{Field: "robots", Value: "a table", Err: err}
		}
	}
	if err := scene.LoadMap(noted(r.Files, read)); errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("%s: %w", orElse(r.Task, "scene"), err)
	} else if err != nil {
		return nil, r.refuse(err)
	}
	return scene, nil
}

func (r JudgeRequest) refuse(err error) error {
	return &RequestError{Field: "scene", Value: orElse(r.Task, "scene"), Err: err}
}

// unitModel is a model for those who need none: its units are those of the map.
func unitModel() *plan.Model {
	m := &plan.Model{}
	m.Limits.Min, m.Limits.Max = []float32{-1, -1, -1, -1}, []float32{1, 1, 1, 1}
	return m
}

// groundOf returns obstacles and border of a team, in the units of the task.
func groundOf(team plan.Team) (*judge.World, error) {
	team.Robots, team.Traffic, team.Motion = nil, nil, plan.Polyline
	w, err := team.World()
	if err != nil {
		return nil, err
	}
	return &judge.World{Obstacles: w.Obstacles, Border: w.Border}, nil
}

// robots returns the robots of a scene with what they have to keep to.
func (t *JudgeTask) robots(scene *nav2d.Scene, w *judge.World) (out []judge.Robot) {
	f := t.scene.Frame
	for i, r := range t.scene.Robots {
		one := judge.Robot{Name: r.Name, Radius: r.GivenRadius, Acceleration: r.Acceleration * f.Scale}
		if s := scene.Robots[i].Speed; s != nil {
			one.Speed = *s
		}
		one.TurnRate, one.TurningRadius = r.TurnRate, r.TurningRadius*f.Scale
		one.Headings = [2]*float64{r.StartHeading, r.GoalHeading}
		one.Before, one.After = r.StartVelocity.Scale(f.Scale), r.GoalVelocity.Scale(f.Scale)
		given := scene.Robots[i]
		ends := [2]geom.Vec2{{X: given.Start.At[0], Y: given.Start.At[1]}, {X: given.Goal.At[0], Y: given.Goal.At[1]}}
		if !t.Request.Anywhere {
			one.Ends = &ends
		}
		one.Inset = insetOf(*w.Border, one.Radius, ends[:]...)
		out = append(out, one)
	}
	return out
}

// insetOf returns how far a robot keeps from the border: its radius, less where it starts or
// ends nearer or, to the last digit, at it, as paths have these places rounded, to float32 at
// worst. Points between two of a path are rounded: the border is kept up to that.
func insetOf(border geom.Box, radius float64, ends ...geom.Vec2) float64 {
	inset, extent := radius, gaps.Extent(border)
	for _, p := range ends {
		gap, _ := gaps.Inner(border, geom.Segment{A: p, B: p}, 0)
		inset = min(inset, gap-0x1p-23*extent)
	}
	return max(0, inset-0x1p-44*extent)
}

// readPaths reads the files.
func (t *JudgeTask) readPaths(robots []judge.Robot) (ways []paths.Path, err error) {
	o := paths.Options{Straight: t.Request.Motion != ""}
	for _, r := range robots {
		o.Robots = append(o.Robots, r.Name)
	}
	if t.scene != nil && t.scene.MapFile != nil && t.scene.MapFile.Resolution == 1 {
		o.Height = int(math.Round(t.scene.Bounds.Size().Y))
	}
	seen := map[string]string{}
	for _, in := range t.Request.Paths {
		f, err := paths.Read(in.Name, in.Data, o)
		if err != nil {
			return nil, &RequestError{Field: "paths", Value: in.Name, Err: err}
		}
		t.read["paths "+in.Name] = manifest.Input{Path: in.Name, SHA256: manifest.DigestBytes(in.Data)}
		for _, p := range f.Paths {
			if other, ok := seen[p.Robot]; ok {
				return nil, &RequestError{Field: "paths", Value: in.Name, Err: fmt.Errorf("%s and %s both have a path of %s", other, in.Name, p.Robot)}
			}
			seen[p.Robot] = in.Name
		}
		t.files, ways = append(t.files, f), append(ways, f.Paths...)
		for _, n := range f.Notes {
			if !slices.Contains(t.notes, n) {
				t.notes = append(t.notes, n)
			}
		}
	}
	t.setClock(ways)
	return ways, nil
}

// epoch is a time in seconds beyond which clocks count from 1970.
const epoch = 1e8

// setClock makes the time of the first point that of the scene, where times are dates.
func (t *JudgeTask) setClock(ways []paths.Path) {
	begin := math.Inf(1)
	for _, p := range ways {
		if p.Times != nil {
			begin = min(begin, p.Times[0])
		}
	}
	if begin < epoch || math.IsInf(begin, 1) {
		return
	}
	t.notes = append(t.notes, fmt.Sprintf("times are dates: they count from the first of them, %s", time.Unix(0, int64(begin*1e9)).UTC().Format(time.RFC3339Nano)))
	for _, p := range ways {
		for k := range p.Times {
			p.Times[k] -= begin
		}
	}
}

// match gives each robot its path. Paths without a robot make one, if their radius is known.
func (t *JudgeTask) match(robots []judge.Robot, ways []paths.Path) error {
	r := t.Request
	radius := value(r.Radius, 0)
	if r.Scene == nil && radius == 0 {
		radius = nav2d.RobotRadius
	}
	t.callBySerials(robots, ways)
	for k := range ways {
		p := &ways[k]
		i := slices.IndexFunc(robots, func(b judge.Robot) bool { return b.Name == p.Robot })
		if i >= 0 {
			robots[i].Path = p
			continue
		}
		if radius == 0 {
			return &RequestError{Field: "paths", Value: "given", Err: fmt.Errorf("%s is a robot that the scene does not list: name its robots as the paths do, or give their radius (--radius)", quoted(p.Robot))}
		}
		robots = append(robots, judge.Robot{
			Name: p.Robot, Radius: radius, Path: p, Inset: insetOf(*t.world.Border, radius, p.X[0], p.X[len(p.X)-1]),
		})
	}
	for i := range robots {
		if robots[i].Path == nil {
			return &RequestError{Field: "paths", Value: "given", Err: fmt.Errorf("there is no path of %s, which the scene lists", quoted(robots[i].Name))}
		}
		if l := r.Limit; l != nil && (robots[i].Speed == 0 || *l < robots[i].Speed) {
			robots[i].Speed = *l
		}
	}
	t.world.Robots = robots
	return nil
}

// Files implements [Task].
func (t *JudgeTask) Files() []string { return []string{"judge.json"} }

// Run implements [Task].
func (t *JudgeTask) Run(ctx context.Context, _ Watch, f *Folder) (*Outcome[JudgeSummary], error) {
	v, err := t.world.Judge(ctx)
	if err != nil {
		return nil, err
	}
	s, err := t.summarise(ctx, v)
	if err != nil {
		return nil, err
	}
	if text := t.Request.Scene; text != nil {
		t.read["scene"] = manifest.Input{Path: t.Request.Task, SHA256: manifest.DigestBytes([]byte(*text))}
	}
	out := &Outcome[JudgeSummary]{Name: "judge", Summary: s, Inputs: t.read, Verdict: s.verdict(), setFiles: func(files []string) { s.Files = files }}
	out.parts = func() ([]part, error) {
		return []part{{"judge.json", func(path string) error { return atomicfile.WriteJSON(path, s) }}}, nil
	}
	return out, out.writeTo(f)
}

// noted returns what opens files and notes what they were.
func noted(open nav2d.Files, read map[string]manifest.Input) nav2d.Files {
	if open == nil {
		return nil
	}
	return func(name string, most int64) ([]byte, error) {
		data, err := open(name, most)
		if err == nil {
			read["file "+name] = manifest.Input{Path: name, SHA256: manifest.DigestBytes(data)}
		}
		return data, err
	}
}
