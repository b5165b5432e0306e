package planner

import (
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/messages"
	"github.com/go-pcd/pcd/internal/regular"
)

// madeOf returns what the files of a plan say they were made of, and its plan.json, which is written
// before them.
func (t *PlanTask) madeOf(all []part) func() (messages.Made, []byte, error) {
	var written string
	for k, p := range all {
		if p.name == "plan.json" {
			all[k].save = func(path string) error { written = path; return p.save(path) }
		}
	}
	return func() (made messages.Made, data []byte, err error) {
		if data, err = regular.ReadFile(written, math.MaxInt64-1); err != nil { // of any size: it was just written
			return made, nil, err
		}
		made.Plan = manifest.DigestBytes(data)
		if text := t.Request.Scene; text != nil {
			made.Scene = manifest.DigestBytes([]byte(*text))
		}
		return made, data, nil
	}
}

// withFormats returns the files of a plan with those of its formats.
func (t *PlanTask) withFormats(all []part, s *PlanSummary, madeOf func() (messages.Made, []byte, error)) []part {
	var others map[string]func(path string) error
	ready := func() error {
		made, data, err := madeOf()
		if err != nil {
			return err
		}
		team, err := teamOfPlan(s, made)
		if err != nil {
			return err
		}
		team.Plan = data
		parts, err := formatParts(context.Background(), t.formats, team, t.Request.Rate)
		others = map[string]func(path string) error{}
		for _, p := range parts {
			others[p.name] = p.save
		}
		return err
	}
	for _, name := range formatFiles(t.formats, robotNames(t.Team)) {
		if slices.ContainsFunc(all, func(p part) bool { return p.name == name }) {
			continue // the table of a plan on curves
		}
		all = append(all, part{name, func(path string) error {
			if others == nil {
				if err := ready(); err != nil {
					return err
				}
			}
			return others[name](path)
		}})
	}
	return all
}
