package planner

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/plan"
)

// load fills the team of a task.
func (t *PlanTask) load() error {
	motion, err := plan.ParseMotion(t.Request.Motion)
	if err != nil {
		return &RequestError{Field: "motion", Value: quoted(t.Request.Motion), Err: err}
	}
	if t.Request.Scene != nil {
		err = t.loadScene(*t.Request.Scene)
	} else {
		if t.Request.Table != nil {
			return &RequestError{Field: "robots", Value: "a table", Reason: "which a published map does not take: give the number of robots, or a scene"}
		}
		var m *nav2d.Map
		if m, err = nav2d.MapByName(orElse(t.Request.Task, DefaultTask)); err != nil {
			return &RequestError{Field: "task", Value: quoted(t.Request.Task), Err: err}
		}
		err = t.loadTrial(m)
	}
	t.Team.Motion = cmp.Or(motion, t.Team.Motion, t.Options.DefaultMotion())
	return err
}

// loadTrial takes a published trial or draws one.
func (t *PlanTask) loadTrial(m *nav2d.Map) error {
	r := t.Request
	robots, number, seed := value(r.Robots, DefaultRobots), value(r.Trial, 0), uint32(nav2d.PublishedSeed)
	scale := nav2d.CrowdScale(robots)
	if r.Radius != nil {
		scale = *r.Radius / nav2d.RobotRadius
	}
	if r.Trial == nil && r.Seed != nil {
		seed = uint32(*r.Seed)
	} else {
		t.Trial = &number
	}
	if err := first(within(PlanRobots, &robots), within(PlanTrial, &number), within(PlanRadius, r.Radius)); err != nil {
		return err
	}
	trials, err := nav2d.ScaledTrials(m, scale, robots, number+1, seed)
	if err != nil {
		return &RequestError{Field: "robots", Value: robots, Err: err}
	}
	model, err := t.model(m.Name)
	if err != nil {
		return err
	}
	t.Team = plan.TeamOfTrial(m, trials[number], model, value(r.Limit, plan.PublishedLimits(m)[0]))
	for i := range t.Team.Robots {
		t.Team.Robots[i].Radius *= scale
	}
	return nil
}

// loadScene reads a user's scene.
func (t *PlanTask) loadScene(text string) error {
	r := t.Request
	refuse := func(err error) error { return &RequestError{Field: "scene", Value: orElse(r.Task, "scene"), Err: err} }
	switch {
	case r.Robots != nil:
		return &RequestError{Field: "robots", Value: *r.Robots, Reason: "which has no effect on a scene: it lists its robots, or names a table (CSV) of them"}
	case r.Radius != nil:
		return &RequestError{Field: "radius", Value: *r.Radius, Reason: "which has no effect on a scene: it says how large its robots are"}
	case r.Trial != nil:
		return &RequestError{Field: "trial", Value: *r.Trial, Reason: "which has no effect on a scene: only published maps have trials"}
	}
	scene, err := nav2d.ReadScene(strings.NewReader(text))
	if err != nil {
		return refuse(err)
	}
	if r.Table != nil {
		if err := scene.AddTeam("the table of robots", []byte(*r.Table)); err != nil {
			return &RequestError{Field: "robots", Value: "a table", Err: err}
		}
	}
	if t.unknownFree {
		if scene.Map.File == "" || scene.Map.Unknown != "" {
			return refuse(errors.New("what unknown cells are is no question"))
		}
		scene.Map.Unknown = "free"
	}
	if err := scene.LoadMap(t.files()); errors.As(err, new(*fs.PathError)) {
		return fmt.Errorf("%s: %w", orElse(r.Task, "scene"), err) // a file that is not there, as the scene itself might be
	} else if err != nil {
		return refuse(err)
	}
	// The duration of a scene that does not say one depends on its motion.
	scene.Motion = cmp.Or(r.Motion, scene.Motion, string(t.Options.DefaultMotion()))
	task, err := scene.Task()
	if err != nil {
		return refuse(err)
	}
	t.scene = task
	if !t.Options.Method.Searches() { // which know no limits
		if err := task.CheckReach(task.Waypoints, task.Step); err != nil {
			return err
		}
	}
	if t.Team, err = t.teamOf(task); err != nil {
		return err
	}
	for i := range t.Team.Robots {
		if r.Limit != nil {
			t.Team.LimitTo(i, *r.Limit)
		}
	}
	return nil
}

// teamOf returns the team of a scene, whose plans may have more waypoints than models draw where they need them.
func (t *PlanTask) teamOf(task *nav2d.Task) (plan.Team, error) {
	team, err := plan.TeamOfTask(task, t.model)
	if team.Waypoints == nav2d.Waypoints {
		team.Waypoints = 0
	}
	return team, err
}

// files returns what opens the files of the scene and notes what they were.
func (t *PlanTask) files() nav2d.Files {
	open := t.Request.Files
	if open == nil {
		return nil
	}
	return func(name string, most int64) ([]byte, error) {
		data, err := open(name, most)
		if err == nil {
			t.read["file "+name] = manifest.Input{Path: name, SHA256: manifest.DigestBytes(data)}
		}
		return data, err
	}
}

// model returns the model of a name, opened once.
func (t *PlanTask) model(name string) (*plan.Model, error) {
	name = orElse(name, "empty")
	if m := t.models[name]; m != nil {
		return m, nil
	}
	open := t.Request.Models
	if open == nil {
		open = NavigationModel
	}
	m, err := open(t.Request.Model, name)
	if err == nil {
		t.models[name] = m
	}
	return m, err
}

// NavigationModel opens a model file or folder, or the one of a map that ships with
// the program when path is empty. A name that does not ship may be that of a file.
func NavigationModel(path, name string) (*plan.Model, error) {
	if path != "" {
		return plan.OpenModel(path)
	}
	m, err := plan.Bundled(name)
	if err == nil || !errors.Is(err, plan.ErrNoModel) {
		return m, err
	}
	if _, statErr := os.Stat(name); statErr == nil { // a scene may name a file
		return plan.OpenModel(name)
	}
	return nil, fmt.Errorf("%w (%w)", err, fs.ErrNotExist)
}

// PushModel opens a policy, or the one that ships with the program when path is
// empty.
func PushModel(path string) (*push.Model, error) {
	if path == "" {
		return push.Bundled()
	}
	return push.OpenModel(path)
}
