package plan

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-pcd/pcd/env/nav2d"
)

// Named returns a team whose robots and traffic all have names: those without one are
// numbered by their places, from 0. Results go by these names.
func (t Team) Named() Team {
	taken := map[string]bool{}
	robots, traffic := t.bodyNames()
	for _, name := range append(slices.Clone(robots), traffic...) {
		taken[name] = true
	}
	if !taken[""] {
		return t
	}
	nav2d.NameBodies("robot", 0, robots, taken)
	nav2d.NameBodies("traffic", 0, traffic, taken)
	t.Robots, t.Traffic = slices.Clone(t.Robots), slices.Clone(t.Traffic)
	for i := range t.Robots {
		t.Robots[i].Name = robots[i]
	}
	for i := range t.Traffic {
		t.Traffic[i].Name = traffic[i]
	}
	return t
}

// bodyNames returns the names as they are.
func (t Team) bodyNames() (robots, traffic []string) {
	for _, r := range t.Robots {
		robots = append(robots, r.Name)
	}
	for _, m := range t.Traffic {
		traffic = append(traffic, m.Name)
	}
	return robots, traffic
}

// checkNames returns an error when two have one name, or when one cannot be written.
func (t Team) checkNames() error {
	first := map[string]string{}
	robots, traffic := t.bodyNames()
	for k, names := range [][]string{robots, traffic} {
		for i, name := range names {
			what := fmt.Sprintf("%s %d", [...]string{"robot", "traffic"}[k], i)
			if other, ok := first[name]; ok {
				return &TeamError{Reason: fmt.Sprintf("%s and %s are both called %q, want a name for each", other, what, name)}
			}
			if !utf8.ValidString(name) {
				return &TeamError{Reason: fmt.Sprintf("the name %q of %s is no text", name, what)}
			}
			first[name] = what
		}
	}
	return nil
}
