package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/render"
)

// planSettings is what a manifest records of a plan.
type planSettings struct {
	Options     planSummaryOptions `json:"options"`
	Settings    plan.Settings      `json:"settings"`
	Differences []string           `json:"differences_from_reference"`
	Models      []plan.Card        `json:"models"`
	Dynamics    string             `json:"dynamics"`
}

// planSummaryOptions are the choices of a run.
type planSummaryOptions struct {
	Task    string      `json:"task"`
	Method  plan.Method `json:"method"`
	Samples int         `json:"samples"`
	Gamma   float64     `json:"gamma"`
	Limits  []*float64  `json:"limits"` // null is none
	Seed    uint64      `json:"seed"`
}

// savePlan writes the files of a plan, when a directory was asked for.
func savePlan(o planOptions, s *planSummary, team plan.Team, run plan.Options, r *plan.Result, invocation []string) error {
	if o.out == "" {
		return nil
	}
	settings, err := settingsOf(s, team, run, r)
	if err != nil {
		return err
	}
	out, err := openOutput(o.out, invocation, s.Seed, settings)
	if err != nil {
		return err
	}
	for _, name := range []string{"plan.json", "samples.npz", "plan.png", "plan.html", "plan.gif"} {
		if name != "plan.gif" || o.gif {
			s.Files = append(s.Files, out.file(name))
		}
	}
	s.Files = append(s.Files, out.file(manifestName))
	return errors.Join(
		out.write("plan.json", func(path string) error { return experiment.WriteJSON(path, s) }),
		out.write("samples.npz", func(path string) error { return saveSamples(path, team, r) }),
		savePictures(out, s, team, r, o.gif),
		out.close())
}

// settingsOf returns what the manifest records.
func settingsOf(s *planSummary, team plan.Team, run plan.Options, r *plan.Result) (planSettings, error) {
	reference, err := plan.SettingsByName("mmd")
	if err != nil {
		return planSettings{}, err
	}
	problem, err := team.Problem(run.Method, run.Gamma, run.Settings)
	if err != nil {
		return planSettings{}, err
	}
	settings := planSettings{
		Options:     planSummaryOptions{s.Task, s.Method, s.Samples, s.Gamma, nil, s.Seed},
		Settings:    run.Settings,
		Differences: run.Settings.Differences(reference),
		Dynamics:    problem.Dynamics.String(),
	}
	for i, robot := range team.Robots {
		settings.Options.Limits = append(settings.Options.Limits, finite(r.Limits[i]))
		settings.Models = append(settings.Models, robot.Model.Card)
	}
	return settings, nil
}

// pagePaths is how many paths an animated page holds at most.
const pagePaths = 1024

// savePictures writes the figure, the animated page and, if asked for, the GIF.
func savePictures(out *outputDir, s *planSummary, team plan.Team, r *plan.Result, gif bool) error {
	v := planView(team, r, pagePaths/len(team.Robots)-1)
	v.Title = fmt.Sprintf("%s: %d robots, %s", filepath.Base(s.Task), s.Robots, s.Method)
	v.Note = fmt.Sprintf("best of %d joint samples; %.0f %% keep apart, speed limits %s", s.Samples, 100*s.Metrics.RS, certification(r.Certificate))
	figure, err := render.Plan(v)
	if err != nil {
		return err
	}
	animation, err := render.Animate(v)
	if err != nil {
		return err
	}
	err = errors.Join(out.write("plan.png", figure.Save), out.write("plan.html", animation.Save))
	if gif {
		err = errors.Join(err, out.write("plan.gif", animation.Save))
	}
	return err
}

// certification says in a word whether speed limits are kept.
func certification(c plan.Certificate) string {
	switch {
	case c.Certified:
		return "certified"
	case c.Robot == "":
		return "not set"
	default:
		return "exceeded"
	}
}

// saveSamples writes all samples as "trajectories" [robot, sample, waypoint,
// channel], with starts and goals.
func saveSamples(path string, team plan.Team, r *plan.Result) error {
	x := r.Trajectories
	var all, limits []float32
	for i := range x {
		all = append(all, x[i].Data...)
		limits = append(limits, float32(r.Limits[i]))
	}
	trajectories, err := dataset.NewArray("trajectories", append([]int{len(x), x[0].N}, x[0].Shape...), all)
	if err != nil {
		return err
	}
	limit, err := dataset.NewArray("limits", []int{len(limits)}, limits)
	if err != nil {
		return err
	}
	return dataset.WriteNPZ(path, trajectories, limit)
}
