package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/plan"
)

func isPublished(task string) bool {
	_, err := nav2d.MapByName(task)
	return err == nil
}

// loadTask returns the team of a published map or of a scene file.
func loadTask(task string, o planOptions, method plan.Method) (plan.Team, error) {
	m, err := nav2d.MapByName(task)
	if err == nil {
		return loadTrial(m, o)
	}
	if _, statErr := os.Stat(task); statErr != nil {
		if strings.HasSuffix(task, ".yaml") || strings.HasSuffix(task, ".yml") {
			return plan.Team{}, statErr
		}
		return plan.Team{}, usageError{err}
	}
	return loadScene(task, o, method)
}

func loadTrial(m *nav2d.Map, o planOptions) (plan.Team, error) {
	if o.robots < 1 {
		return plan.Team{}, usageError{fmt.Errorf("--robots is %d, want at least 1", o.robots)}
	}
	number, seed := o.trial, uint32(nav2d.PublishedSeed)
	if o.hasSeed {
		number, seed = 0, uint32(o.seed)
	}
	if number < 0 || number > 100000 {
		return plan.Team{}, usageError{fmt.Errorf("--trial is %d, want 0 to 100000", number)}
	}
	trials, err := nav2d.Trials(m, o.robots, number+1, seed)
	if err != nil {
		return plan.Team{}, usageError{err}
	}
	limit := o.limit
	if limit == 0 {
		limit = plan.PublishedLimits(m)[0]
	}
	model, err := loadModel(o.model, m.Name)
	if err != nil {
		return plan.Team{}, err
	}
	return plan.TeamOfTrial(m, trials[number], model, limit), nil
}

func loadScene(path string, o planOptions, method plan.Method) (plan.Team, error) {
	f, err := os.Open(path)
	if err != nil {
		return plan.Team{}, err
	}
	defer f.Close()
	scene, err := nav2d.ReadScene(f)
	if err != nil {
		return plan.Team{}, usageError{fmt.Errorf("%s: %w", path, err)}
	}
	t, err := scene.Task()
	if err != nil {
		return plan.Team{}, usageError{fmt.Errorf("%s: %w", path, err)}
	}
	if !method.Searches() { // which know no limits
		if err := t.CheckReach(nav2d.Waypoints, t.Step); err != nil {
			return plan.Team{}, err
		}
	}
	team, err := plan.TeamOfTask(t, func(name string) (*plan.Model, error) {
		if name == "" {
			name = "empty"
		}
		return loadModel(o.model, name)
	})
	if err != nil {
		return plan.Team{}, err
	}
	for i := range team.Robots {
		if o.limit > 0 {
			team.Robots[i].Limit = o.limit
		}
	}
	return team, nil
}

// loadModel opens a model file or folder, or the bundled model of a map.
func loadModel(path, name string) (*plan.Model, error) {
	if path != "" {
		return plan.OpenModel(path)
	}
	if m, err := plan.Bundled(name); err == nil || !errors.Is(err, plan.ErrNoModel) {
		return m, err
	}
	if _, err := os.Stat(name); err == nil { // a scene may name a file
		return plan.OpenModel(name)
	}
	_, err := plan.Bundled(name)
	return nil, fmt.Errorf("%w (%w)", err, fs.ErrNotExist)
}
