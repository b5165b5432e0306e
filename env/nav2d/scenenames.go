package nav2d

import "fmt"

// bodyNames returns the names of all robots and of all traffic. Those without one are
// numbered by their places in the scene; where somebody else has that name, on from the
// last place: results are told by name.
func (s *Scene) bodyNames() (robots, traffic []string) {
	taken := map[string]bool{}
	for _, r := range s.Robots {
		robots = append(robots, r.Name)
		taken[r.Name] = true
	}
	for _, m := range s.Traffic {
		traffic = append(traffic, m.Name)
		taken[m.Name] = true
	}
	NameBodies("robot", 1, robots, taken)
	NameBodies("traffic", 1, traffic, taken)
	return robots, traffic
}

// NameBodies replaces the empty ones of some names by a kind and a number: that of the
// place, counted from first, or the least beyond the last place that is free. Names that
// are taken are not made again, and those that are made are taken.
func NameBodies(kind string, first int, names []string, taken map[string]bool) {
	beyond := first + len(names)
	for i, name := range names {
		if name != "" {
			continue
		}
		made := fmt.Sprintf("%s %d", kind, first+i)
		for ; taken[made]; beyond++ {
			made = fmt.Sprintf("%s %d", kind, beyond)
		}
		names[i], taken[made] = made, true
	}
}

// checkNamesOfBodies finds names that two of them have.
func (s *Scene) checkNamesOfBodies(c *sceneCheck) {
	first := map[string]string{}
	check := func(key, name string) {
		c.name(key+".name", name)
		if other, ok := first[name]; ok && name != "" {
			c.value(key+".name", name, "a name other than that of "+other)
			return
		}
		first[name] = key
	}
	for i, r := range s.Robots {
		check(fmt.Sprintf("robots[%d]", i), r.Name)
	}
	for i, m := range s.Traffic {
		check(fmt.Sprintf("traffic[%d]", i), m.Name)
	}
}
