package planner

import (
	"errors"
	"strings"
	"testing"
)

// What only cells keep from a plan of which the map knows nothing is refused with what helps; nothing is advised where it does
// not help, or where the scene says that they are obstacles.
func TestUnknownCellsInTheWay(t *testing.T) {
	grid := func(blocked byte) string {
		rows := make([]string, 30)
		for y := range rows {
			row := []byte(strings.Repeat("\xfe", 50))
			for x := 25; x < 28; x++ {
				row[x] = blocked
			}
			rows[y] = string(row)
		}
		return "P5\n50 30\n255\n" + strings.Join(rows, "")
	}
	for what, c := range map[string]struct {
		start, key string
		cells      byte
		advised    bool
	}{
		"in the way":            {"[1, 3]", "", 205, true},
		"at the start":          {"[5.3, 3]", "", 205, true},
		"obstacles by the file": {"[1, 3]", ", unknown: obstacle", 205, false},
		"a wall":                {"[1, 3]", "", 0, false},
		"beyond the bounds":     {"[-1, 3]", "", 205, false},
	} {
		files := func(name string, _ int64) ([]byte, error) {
			return map[string][]byte{
				"m.yaml": []byte("image: m.pgm\nresolution: 0.2\norigin: [0, 0, 0]\noccupied_thresh: 0.65\nfree_thresh: 0.196\nnegate: 0\n"),
				"m.pgm":  []byte(grid(c.cells)),
			}[name], nil
		}
		scene := "map: {file: m.yaml" + c.key + "}\nrobots: [{name: ada, start: " + c.start + ", goal: [9, 3], radius: 0.3, speed: 1}]\n"
		_, err := PlanRequest{Task: "s.yaml", Scene: &scene, Files: files}.Check()
		if err == nil || errors.As(err, new(*UnknownError)) != c.advised || c.advised && !strings.Contains(err.Error(), "with unknown: free under map") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
