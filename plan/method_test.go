package plan

import (
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
)

// TestRunRefusesUnknownMethods: a method that is not known, or none, is not taken for
// one that neither couples nor projects.
func TestRunRefusesUnknownMethods(t *testing.T) {
	settings, err := SettingsByName("default")
	if err != nil {
		t.Fatal(err)
	}
	team := pairOnEmpty(t)
	for _, m := range []Method{"magic", "PCD-SHD", "pcd-dpp-ps"} {
		r, err := Run(t.Context(), team, Options{Method: m, Samples: 1, Gamma: new(0.0), Settings: settings})
		if err == nil || r != nil || !strings.Contains(err.Error(), "xecbs") {
			t.Errorf("method %q: result %v, error %v, want the known methods", m, r, err)
		}
	}
}

// TestMethodTable: what the names of the methods promise.
func TestMethodTable(t *testing.T) {
	for _, m := range Methods() {
		name := string(m)
		coupling := Uncoupled
		for _, c := range []Coupling{LogBarrier, SquaredHinge} {
			if strings.HasSuffix(name, "-"+string(c)) {
				coupling = c
			}
		}
		if m.Coupling() != coupling {
			t.Errorf("%s couples by %q, want %q", m, m.Coupling(), coupling)
		}
		if want := strings.HasPrefix(name, "pcd") || strings.HasSuffix(name, "proj"); m.Projected() != want {
			t.Errorf("%s projects: %v", m, m.Projected())
		}
		if want := m.Coupling() == Uncoupled && !strings.HasPrefix(name, "diffuser"); m.Searches() != want {
			t.Errorf("%s searches: %v", m, m.Searches())
		}
	}
	if got, want := len(Methods()), len(jointMethods())+len(searchMethods()); got != want || got != 11 {
		t.Errorf("%d methods, want %d", got, want)
	}
}

// TestReferencePresetUsesReferenceDistances: only the preset that promises the
// reference step by step looks distances up in its field.
func TestReferencePresetUsesReferenceDistances(t *testing.T) {
	for _, s := range presets() {
		team := Team{Map: nav2d.Highways()}
		if got := s.on(team).Map == nav2d.Highways().Reference(); got != (s.Name == "mmd") {
			t.Errorf("%s: reference distances %v", s.Name, got)
		}
	}
}

// methodsThat lists the methods with a trait.
func methodsThat(have func(traits) bool) []Method {
	var out []Method
	for _, row := range methods {
		if have(row.What) {
			out = append(out, row.Word)
		}
	}
	return out
}

// jointMethods lists the methods that sample all robots at once, in the order of
// the published tables.
func jointMethods() []Method {
	return methodsThat(func(t traits) bool { return t.search == noSearch })
}

// searchMethods lists the methods that plan robot by robot. Speed limits do not
// enter them.
func searchMethods() []Method {
	return methodsThat(func(t traits) bool { return t.search != noSearch })
}
