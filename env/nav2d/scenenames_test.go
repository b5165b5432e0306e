package nav2d

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// namedScene returns a scene of robots and traffic with these names.
func namedScene(robots, traffic []string) *Scene {
	s := &Scene{Bounds: &Bounds{Min: []float64{0, 0}, Max: []float64{20, 20}}}
	for i, name := range robots {
		s.Robots = append(s.Robots, Robot{Name: name, Start: At(1+2*float64(i), 1), Goal: At(1+2*float64(i), 15)})
	}
	for i, name := range traffic {
		s.Traffic = append(s.Traffic, Traffic{Name: name, Radius: 0.1, Path: [][]float64{{0, 1 + float64(i), 19}}})
	}
	return s
}

// Names that are made are those of nobody else.
func TestMadeNamesAreNobodyElses(t *testing.T) {
	for _, c := range []struct {
		robots, traffic []string
		want            string
	}{
		{[]string{"", ""}, []string{""}, "robot 1, robot 2, traffic 1"},
		{[]string{"ada", "robot 3", ""}, nil, "ada, robot 3, robot 4"},
		{[]string{"robot 2", "", "robot 4", ""}, nil, "robot 2, robot 5, robot 4, robot 6"},
		{[]string{""}, []string{"robot 1", ""}, "robot 2, robot 1, traffic 2"},
	} {
		task, err := namedScene(c.robots, c.traffic).Task()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range task.Robots {
			got = append(got, r.Name)
		}
		for _, m := range task.Traffic {
			got = append(got, m.Name)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%q beside %q: %s, want %s", c.robots, c.traffic, text, c.want)
		}
	}
}

func TestTwoOfOneNameAreRefused(t *testing.T) {
	for want, c := range map[string][2][]string{
		"robots[2].name is ada, want a name other than that of robots[0]":   {{"ada", "", "ada"}, nil},
		"traffic[0].name is ada, want a name other than that of robots[0]":  {{"ada"}, {"ada"}},
		"traffic[1].name is van, want a name other than that of traffic[0]": {{"ada"}, {"van", "van"}},
	} {
		_, err := namedScene(c[0], c[1]).Task()
		var value *ValueError
		if !errors.As(err, &value) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
