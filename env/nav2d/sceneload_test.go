package nav2d

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/maps"
)

// inMemory opens files by name.
func inMemory(files map[string]string) Files {
	return func(name string, most int64) ([]byte, error) {
		data, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return []byte(data), nil
	}
}

var hall = map[string]string{
	"hall.yaml":  "image: hall.pgm\nresolution: 0.5\norigin: [-1, 2, 0]\noccupied_thresh: 0.65\nfree_thresh: 0.196\nnegate: 0\n",
	"hall.pgm":   "P2 8 6 1 1 1 1 1 1 1 1 1  1 1 1 0 1 1 1 1  1 1 1 0 1 1 1 1  1 1 1 1 1 1 1 1  1 1 1 1 1 1 1 1  1 1 1 1 1 1 1 1",
	"graph.yaml": "levels: {L1: {vertices: [[-0.5, 2.5, {name: dock}], [2.5, 4.5, {name: gate}]], lanes: [[0, 1, {}]]}}\n",
	"grid.map":   "type octile\nheight 4\nwidth 5\nmap\n.....\n..@..\n.....\n.....\n",
	"grid.scen":  "version 1\n0\tgrid.map\t5\t4\t0\t0\t4\t3\t5\n0\tgrid.map\t5\t4\t4\t0\t0\t3\t5\n",
	"team.csv":   "name, start, goal_x, goal_y, radius\nada, dock, 2, 4.75, 0.1\n# a comment\n\"bob, the second\", gate, 0, 4.5, \n",
}

// A scene takes bounds, units, walls, places and robots from files.
func TestSceneOfFiles(t *testing.T) {
	s := readScene(t, "map: {file: hall.yaml, places: [graph.yaml]}\nteam: {file: team.csv, radius: 0.2, speed: 1}\nrobots: [{name: eve, start: gate, goal: [2.6, 2.4], radius: 0.1}]\n")
	s.Robots[0].Start = Place{At: []float64{2.6, 3.2}}
	if err := s.LoadMap(inMemory(hall)); err != nil {
		t.Fatal(err)
	}
	task, err := s.Task()
	if err != nil {
		t.Fatal(err)
	}
	if b := task.Bounds; b.Min != (geom.Vec2{X: -1, Y: 2}) || b.Max != (geom.Vec2{X: 3, Y: 5}) || task.Units != "m" {
		t.Errorf("bounds %v in %q", b, task.Units)
	}
	if m := task.MapFile; m == nil || m.File != "hall.yaml" || m.Resolution != 0.5 || m.Solids != 1 {
		t.Errorf("map = %+v", task.MapFile)
	}
	// The wall is [0.5, 1] x [3.5, 4.5]: it lies 1 from the dock in x and y each.
	if d, _ := task.Map.Clearance(task.Robots[1].Start); d*task.Frame.Scale < 1.414213 || d*task.Frame.Scale > 1.414214 {
		t.Errorf("the dock is %v from the wall", d*task.Frame.Scale)
	}
	ada, bob := task.Robots[1], task.Robots[2]
	if ada.Name != "ada" || ada.GivenRadius != 0.1 || bob.Name != "bob, the second" || bob.GivenRadius != 0.2 ||
		task.Frame.FromMap(bob.Start).Dist(geom.Vec2{X: 2.5, Y: 4.5}) > 1e-12 || task.Frame.FromMap(ada.Goal).Dist(geom.Vec2{X: 2, Y: 4.75}) > 1e-12 {
		t.Errorf("robots = %+v, %+v", ada, bob)
	}
	if err := s.LoadMap(inMemory(hall)); err != nil || len(s.Robots) != 3 {
		t.Errorf("loaded again: %v, %d robots", err, len(s.Robots))
	}
}

// The first agents of a scenario are robots.
func TestSceneOfAgents(t *testing.T) {
	s := readScene(t, "map: {file: grid.map}\nteam: {file: grid.scen, count: 1, radius: 0.3, speed: 2}\n")
	if err := s.LoadMap(inMemory(hall)); err != nil {
		t.Fatal(err)
	}
	task, err := s.Task()
	if err != nil || len(task.Robots) != 1 || task.Robots[0].Name != "agent 1" || task.Frame.FromMap(task.Robots[0].Start).Dist(geom.Vec2{X: 0.5, Y: 3.5}) > 1e-12 {
		t.Errorf("%+v, %v", task, err)
	}
}

// What is wrong with files is told with their names, by types.
func TestScenesOfFilesRefuse(t *testing.T) {
	for _, c := range []struct {
		name, scene, want string
		as                any
	}{
		{"no file", "map: {file: none.yaml}\n", "none.yaml", new(*fs.PathError)},
		{"no map", "map: {file: team.csv}\n", "team.csv: no map that is known", new(*maps.FormatError)},
		{"option", "map: {file: hall.yaml, unknown: perhaps}\n", "unknown is perhaps, want obstacle or free", new(*maps.OptionError)},
		{"place", "map: {file: hall.yaml, places: [graph.yaml]}\nrobots: [{start: dok, goal: gate}]\n", "robots[0].start: maps: no place dok (did you mean dock?)", new(*maps.PlaceError)},
		{"agents without cells", "team: {file: grid.scen}\n", "with a map whose cells it names", new(*ValueError)},
		{"too many agents", "map: {file: grid.map}\nteam: {file: grid.scen, count: 3}\n", "it has 2 agents, want 3", new(*maps.FormatError)},
		{"no file of the team", "team: {count: 3}\n", "the name of a file", new(*ValueError)},
		{"too many robots", "team: {file: team.csv, count: 3}\n", "it has 2 robots, want 3", new(*tableError)},
		{"unknown key", "map: {file: hall.yaml, levle: a}\n", "levle", nil},
	} {
		s, err := ReadScene(strings.NewReader(c.scene))
		if err == nil {
			err = s.LoadMap(inMemory(hall))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || c.as != nil && !errors.As(err, c.as) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	var value *ValueError
	s := readScene(t, "map: {file: hall.yaml}\nrobots: [{start: [0, 0], goal: [1, 1]}]\n")
	if _, err := s.Task(); !errors.As(err, &value) || value.Key != "map.file" {
		t.Errorf("a scene whose map was not loaded: %v", err)
	}
	if err := s.LoadMap(nil); !errors.As(err, &value) {
		t.Errorf("without files: %v", err)
	}
}

func TestTablesRefuse(t *testing.T) {
	for table, want := range map[string]string{
		"":                          "line 1: it has 0 robots, want 1",
		"name,strat,goal\n":         "did you mean start?",
		"start\n":                   "no column goal, nor goal_x and goal_y",
		"start,start,goal\n":        "two columns are called start",
		"start,goal\na\n":           "line 2: wrong number of fields",
		"start,goal\na,\n":          "line 2: want the goal of a robot",
		"start,goal_x,goal_y\na,1,": "line 2: want the goal",
		"start,goal,radius\na,b,c":  `line 2: radius is "c", want a number`,
		"start_x,start_y,start,goal_x,goal_y\n1,2,a,3,4": "want the start of a robot either",
		"start,goal\n\"a,b\n":                            "line",
	} {
		var broken *tableError
		if err := new(Scene).AddTeam("t.csv", []byte(table)); !errors.As(err, &broken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", table, err, want)
		}
	}
}

func FuzzAddTeam(f *testing.F) {
	f.Add([]byte(hall["team.csv"]))
	f.Add([]byte("start_x,start_y,goal_x,goal_y\n1,2,3,4\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Scene
		var broken *tableError
		if err := s.AddTeam("t.csv", data); err != nil && !errors.As(err, &broken) {
			t.Errorf("%T: %v", err, err)
		}
	})
}
