package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// Robots without a name get one that nobody has, in checks, results and sessions.
func TestTeamsHaveNamesOfTheirOwn(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 4, 1, 3)
	for i := range team.Robots {
		team.Robots[i].Name = ""
	}
	team.Robots[1].Name = "robot 2"
	team.Traffic = []Mover{{Radius: 0.01, Path: slices.Repeat([]geom.Vec2{{X: 0.99, Y: 0.99}}, 64)}}
	names := func(team Team) string {
		robots, traffic := team.bodyNames()
		return strings.Join(append(robots, traffic...), ", ")
	}
	want := "robot 0, robot 2, robot 4, robot 3, traffic 0"
	if got := names(team.Named()); got != want {
		t.Errorf("names %s, want %s", got, want)
	}
	if team.Robots[0].Name != "" || team.Traffic[0].Name != "" {
		t.Error("the caller's team is named")
	}
	r, err := Run(t.Context(), team, Options{Method: PCDSHD, Samples: 1, Gamma: new(0.0), Settings: settings(t, "default")})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Nearest().Certificate.Margins {
		if m.Robot == "" || m.Constraint == "separation" && m.Other == "" {
			t.Errorf("a margin of nobody: %+v", m)
		}
	}
	team.Robots[0].Radius = -1
	if err := team.CheckRun(Options{Method: PCDSHD, Settings: settings(t, "default")}); err == nil || !strings.Contains(err.Error(), "robot 0: the radius") {
		t.Errorf("%v, want it to name robot 0", err)
	}
}

// Two of one name would be one in results that are told by name.
func TestTwoOfOneNameAreRefused(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 3, 1, 3)
	o := Options{Method: PCDSHD, Samples: 1, Gamma: new(0.0), Settings: settings(t, "default")}
	for name, c := range map[string]func(){
		`robot 0 and robot 2 are both called "ada"`:   func() { team.Robots[0].Name, team.Robots[2].Name = "ada", "ada" },
		`robot 1 and traffic 0 are both called "bob"`: func() { team.Robots[1].Name, team.Traffic[0].Name = "bob", "bob" },
		"is no text": func() { team.Robots[1].Name = "b\xff" },
	} {
		team = drawnTeam(t, nav2d.Empty(), 3, 1, 3)
		team.Traffic = []Mover{{Name: "tram", Radius: 0.01, Path: slices.Repeat([]geom.Vec2{{X: 0.99, Y: 0.99}}, 64)}}
		c()
		var refused *TeamError
		if _, err := Run(t.Context(), team, o); !errors.As(err, &refused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}
