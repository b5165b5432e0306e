package paths

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/geom"
)

// lines calls f for every line of a text with its number, without comments and empty ones.
func lines(text []byte, f func(number int, line string) error) error {
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, MaxBytes+1)
	for n := 1; s.Scan(); n++ {
		if line := strings.TrimSpace(s.Text()); line != "" && line[0] != '#' {
			if err := f(n, line); err != nil {
				return err
			}
		}
	}
	return s.Err()
}

// readTUM reads one robot, that of the name of the file: rows of time, position and
// quaternion.
func readTUM(name string, text []byte) (*File, error) {
	p := Path{Robot: baseName(name)}
	err := lines(text, func(n int, line string) error {
		fields := strings.Fields(line)
		if len(fields) != 8 {
			return broken(name, n, "%d numbers, want timestamp tx ty tz qx qy qz qw", len(fields))
		}
		var v [3]float64
		for k := range v {
			var err error
			if v[k], err = strconv.ParseFloat(fields[k], 64); err != nil {
				return broken(name, n, "%.40q is no number", fields[k])
			}
		}
		p.Times, p.X = append(p.Times, v[0]), append(p.X, geom.Vec2{X: v[1], Y: v[2]})
		return nil
	})
	return &File{Kind: TUM, Paths: []Path{p}}, err
}

// readSteps reads a result of multi-agent path finding: a line "t:(x,y),(x,y),…" for every
// step, with the cell of each agent, counted from the upper left of the map. A step takes a
// second; robots are in the middle of their cells.
func readSteps(name string, text []byte, o Options) (*File, error) {
	if o.Height <= 0 {
		return nil, broken(name, 0, "cells of a grid: want a scene whose map is a grid")
	}
	f := &File{Kind: Steps, Notes: []string{"a step of path finding is taken to last a second"}}
	err := lines(text, func(n int, line string) error {
		step, cells, ok := strings.Cut(line, ":(")
		t, err := strconv.Atoi(step)
		if !ok || err != nil {
			return nil // what else such files tell
		}
		all := strings.Split(strings.TrimRight(strings.TrimSuffix(cells, ","), ")"), "),(")
		if f.Paths == nil {
			f.Paths = make([]Path, len(all))
			for i := range f.Paths {
				f.Paths[i].Robot = fmt.Sprintf("agent %d", i+1)
				if i < len(o.Robots) {
					f.Paths[i].Robot = o.Robots[i]
				}
			}
		}
		if len(all) != len(f.Paths) {
			return broken(name, n, "%d agents, before %d", len(all), len(f.Paths))
		}
		for i, cell := range all {
			x, y, _ := strings.Cut(cell, ",")
			cx, errX := strconv.Atoi(strings.TrimSpace(x))
			cy, errY := strconv.Atoi(strings.TrimSpace(y))
			if errX != nil || errY != nil {
				return broken(name, n, "cell %.40q, want (x,y)", cell)
			}
			p := &f.Paths[i]
			p.Times = append(p.Times, float64(t))
			p.X = append(p.X, geom.Vec2{X: float64(cx) + 0.5, Y: float64(o.Height) - 0.5 - float64(cy)})
		}
		return nil
	})
	return f, err
}
