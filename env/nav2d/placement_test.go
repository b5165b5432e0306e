package nav2d_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
)

func taskOf(t *testing.T, text string) (*nav2d.Task, error) {
	t.Helper()
	s, err := nav2d.ReadScene(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return s.Task()
}

// A refusal of a place says where the robot fits: written into the scene as it is told, that is accepted, and the other end is
// in reach. Beside a wall it is on the side that has a way.
func TestRefusedPlacesSayWhereRobotsFit(t *testing.T) {
	const begin, end = "bounds: {min: [%[1]d, %[2]d], max: [%[3]d, %[4]d]}\ncircles: [{center: [%[5]d, %[6]d], radius: 1}]\n" +
		"boxes: [{center: [%[7]d, %[6]d], size: [1, 10]}]\ntraffic: [{radius: 0.5, path: [[0, %[8]d, %[9]d]]}]\nmargin: 0.05\nduration: 60\nrobots:\n" +
		"- {name: ada, start: [%[8]d, %[6]d], goal: [%[8]d, %[10]d], radius: 0.4, speed: 2}\n", "- {name: bob, start: [%s], goal: [%s], radius: 0.37, speed: 2}\n"
	for _, zero := range [][2]int{{0, 0}, {432000, 5410000}, {-7000, -3}} {
		x, y := zero[0], zero[1]
		scene := fmt.Sprintf(begin, x, y, x+20, y+10, x+9, y+5, x+15, x+2, y+9, y+1)
		at := func(dx, dy float64) string { return fmt.Sprintf("%v, %v", float64(x)+dx, float64(y)+dy) }
		for name, c := range map[string]struct {
			start, goal string
			end         int
		}{
			"in a pillar":          {at(1, 2), at(9, 5), 1},
			"beside a pillar":      {at(1, 2), at(9.9, 5.9), 1},
			"touches a pillar":     {at(1, 2), at(9, 6.42), 1},
			"on top of another":    {at(2, 5), at(7, 1), 0},
			"near another":         {at(2.5, 5), at(7, 1), 0},
			"on traffic":           {at(2.2, 8.8), at(7, 1), 0},
			"in a wall":            {at(1, 2), at(15.1, 5), 1},
			"outside":              {at(1, 2), at(9, 50), 1},
			"far outside":          {at(1, 2), at(-1e9, 1e9), 1},
			"at a corner, outside": {at(0, 0), at(5, 1), 0},
		} {
			_, err := taskOf(t, scene+fmt.Sprintf(end, c.start, c.goal))
			told := regexp.MustCompile(`; bob fits at \(([^)]*)\)`).FindStringSubmatch(fmt.Sprint(err))
			if told == nil {
				t.Errorf("%v, %s: %v", zero, name, err)
				continue
			}
			ends := [2]string{c.start, c.goal}
			ends[c.end] = told[1]
			task, err := taskOf(t, scene+fmt.Sprintf(end, ends[0], ends[1]))
			var placed *nav2d.PlacementError
			var close *nav2d.SeparationError
			if errors.As(err, &placed) || errors.As(err, &close) {
				t.Errorf("%v, %s: told (%s), which is refused: %v", zero, name, told[1], err)
			} else if err != nil {
				t.Errorf("%v, %s: %v", zero, name, err)
			} else if err := task.CheckReach(task.Waypoints, task.Step); err != nil {
				t.Errorf("%v, %s: told (%s), which is out of reach: %v", zero, name, told[1], err)
			}
		}
	}
}

// A place far outside is told where the bounds are, and what puts it within: its numbers the other way round, or a map
// that counts from its corner.
func TestPlacesFarOutsideSayHowTheyAreMeant(t *testing.T) {
	const bounds = "; these reach from (432000, 5410000) to (432030, 5410020)"
	for place, want := range map[string]string{
		"5410004, 432012": bounds + ", and it is within with x and y swapped; a fits at (",
		"2.5, 3":          bounds + ", and it is within when it counts from their lower left corner; a fits at (",
		"40, 50":          bounds + "; a fits at (",
		"432031, 5410007": "it leaves them by 1.5; a fits at (",
	} {
		_, err := taskOf(t, fmt.Sprintf("bounds: {min: [432000, 5410000], max: [432030, 5410020]}\nrobots: [{name: a, start: [%s], goal: [432009, 5410004], radius: 0.5}]\n", place))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", place, err, want)
		}
	}
}

// Where nothing is free nothing is told.
func TestNoPlaceIsToldWhereNoneIs(t *testing.T) {
	_, err := taskOf(t, "bounds: {min: [0, 0], max: [4, 4]}\nboxes: [{center: [2, 2], size: [4, 4]}]\nrobots: [{name: ada, start: [1, 1], goal: [3, 3], radius: 0.3}]\n")
	if err == nil || strings.Contains(err.Error(), "fits") || !strings.Contains(err.Error(), "is in an obstacle") {
		t.Error(err)
	}
}

// Bounds that are too small say the least size that is accepted: one that has exactly those sides is.
func TestBoundsSayTheLeastSize(t *testing.T) {
	bounds := func(x, y, width, height float64) string {
		return fmt.Sprintf("bounds: {min: [%v, %v], max: [%v, %v]}\nrobots: [{start: [%v, %v], goal: [%[5]v, %[6]v], radius: %v}]\n",
			x, y, x+width, y+height, x+width/2, y+height/2, min(width, height)/4)
	}
	sides := regexp.MustCompile(`sides of at least ([0-9.e-]+): .*?(?:and of at least ([0-9.e-]+),.*)?$`)
	for _, c := range [][4]float64{{432000, 5410000, 0.04, 0.04}, {432000, 5410000, 0.04, 10}, {-432000, -5410000, 3, 0.001}, {0, 1e11, 5, 5}, {1e-4, 0, 1e-13, 1e-13}} {
		_, err := taskOf(t, bounds(c[0], c[1], c[2], c[3]))
		told := sides.FindStringSubmatch(strings.Split(fmt.Sprint(err), "\n")[0])
		if told == nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		least, flat := 0.0, 0.0
		fmt.Sscan(told[1], &least)
		fmt.Sscan(told[2], &flat)
		least = max(least, flat)
		if _, err := taskOf(t, bounds(c[0], c[1], max(c[2], least), max(c[3], least))); err != nil {
			t.Errorf("%v: told %v, which is refused: %v", c, least, err)
		}
		if _, err := taskOf(t, bounds(c[0], c[1], max(c[2], 0.9*least), max(c[3], 0.9*least))); err == nil {
			t.Errorf("%v: told %v, and 0.9 of it is accepted", c, least)
		}
	}
	if _, err := taskOf(t, "bounds: {min: [432000.04, 5410000], max: [432000, 5410010]}\nrobots: [{start: [0, 0], goal: [1, 1]}]\n"); err == nil ||
		!strings.Contains(err.Error(), "bounds.max is [432000 5410010], want both numbers above those of bounds.min, [432000.04 5410000]") {
		t.Error(err)
	}
}
