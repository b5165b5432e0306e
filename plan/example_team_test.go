package plan

import (
	"cmp"
	"io"
	"os"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
)

// exampleTeam returns the team of an example.
func exampleTeam(t *testing.T, name string) Team {
	t.Helper()
	f, err := os.Open("../examples/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return teamOf(t, f)
}

// teamOf returns the team of a scene.
func teamOf(t *testing.T, text io.Reader) Team {
	t.Helper()
	scene, err := nav2d.ReadScene(text)
	if err != nil {
		t.Fatal(err)
	}
	task, err := scene.Task()
	if err != nil {
		t.Fatal(err)
	}
	team, err := TeamOfTask(task, func(name string) (*Model, error) { return Bundled(cmp.Or(name, "empty")) })
	if err != nil {
		t.Fatal(err)
	}
	return team
}
