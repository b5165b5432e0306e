package plan

import (
	"cmp"
	"slices"
)

// defaultModel is the one of robots on maps without a model of their own.
const defaultModel = "empty"

// Complete returns a team and options in which nothing is left out that has a default:
// names, models, method, settings and coupling strength. An error is of a model that
// cannot be opened.
func Complete(t Team, o Options) (Team, Options, error) {
	t = t.Named()
	t.Robots = slices.Clone(t.Robots)
	var model *Model
	for i := range t.Robots {
		if t.Robots[i].Model != nil || t.Map == nil {
			continue
		}
		if model == nil {
			var err error
			if model, err = Bundled(modelOf(t.Map.Name)); err != nil {
				return t, o, err
			}
		}
		t.Robots[i].Model = model
	}
	o.Method = cmp.Or(o.Method, PCDSHD)
	if o.Settings == (Settings{}) {
		o.Settings = presets()[0]
	}
	t.Motion = cmp.Or(t.Motion, o.DefaultMotion())
	if o.Gamma == nil && t.Map != nil {
		o.Gamma = new(o.Settings.DefaultGamma(t.Map, o.Method.Coupling()))
	}
	return t, o, nil
}

// modelOf returns the name of the bundled model for a map.
func modelOf(name string) string {
	if slices.Contains(BundledNames(), name) {
		return name
	}
	return defaultModel
}
