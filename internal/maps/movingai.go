package maps

import (
	"bytes"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/geom"
)

// readOctile reads a map of the MovingAI benchmarks. Trees, water and what is out of bounds
// are blocked; swamp and ground are not. Cells have side 1, and y runs upwards.
func readOctile(name string, data []byte) (*Map, error) {
	g := &Grid{Resolution: 1}
	width, height, at := 0, 0, 0
	lines := bytes.Split(data, []byte("\n"))
	for ; at < len(lines); at++ {
		words := strings.Fields(string(lines[at][:min(len(lines[at]), 80)]))
		if len(words) == 1 && words[0] == "map" {
			break
		}
		var err error
		switch {
		case len(words) == 0:
		case len(words) == 2 && words[0] == "type":
			if words[1] != "octile" {
				return nil, brokenAt(name, at+1, "the type is %.20q, want octile", words[1])
			}
		case len(words) == 2 && words[0] == "height":
			height, err = strconv.Atoi(words[1])
		case len(words) == 2 && words[0] == "width":
			width, err = strconv.Atoi(words[1])
		default:
			return nil, brokenAt(name, at+1, "%.40q, want type, height, width or map", lines[at])
		}
		if err != nil {
			return nil, brokenAt(name, at+1, "%.40q is no number of cells", words[1])
		}
	}
	if at == len(lines) {
		return nil, broken(name, "the line \"map\" is missing, behind which the rows follow")
	}
	rows := lines[at+1:]
	if len(rows) < height || width > len(data) {
		return nil, broken(name, "%d rows of %d cells are announced, and %d lines follow", height, width, len(rows))
	}
	if err := g.setSize(name, width, height); err != nil {
		return nil, err
	}
	for j := range height {
		if err := g.setRow(name, at+2+j, height-1-j, bytes.TrimSuffix(rows[j], []byte("\r"))); err != nil {
			return nil, err
		}
	}
	for j, rest := range rows[height:] {
		if len(bytes.TrimSpace(rest)) > 0 {
			return nil, brokenAt(name, at+2+height+j, "a row more than the %d that are announced", height)
		}
	}
	return gridMap(MovingAI, "cells", g, true), nil
}

// setRow fills a row of cells from a line of a map.
func (g *Grid) setRow(name string, line, j int, row []byte) error {
	if len(row) != g.Width {
		return brokenAt(name, line, "the row has %d cells, want %d", len(row), g.Width)
	}
	for i, c := range row {
		switch c {
		case '.', 'G', 'S':
			g.Cells[j*g.Width+i] = Free
		case '@', 'O', 'T', 'W':
			g.Cells[j*g.Width+i] = Occupied
		default:
			return brokenAt(name, line, "cell %d is %q, want one of . G S @ O T W", i+1, string(rune(c)))
		}
	}
	return nil
}

// Agent is one of the trials of a benchmark: from the centre of a cell to that of another.
type Agent struct {
	Start, Goal geom.Vec2 // in the world of the map
	Optimal     float64   // length of the shortest way of a point over cells
}

// ReadAgents reads the first agents of a scenario of the MovingAI benchmarks for a map.
// Coordinates are scaled where the scenario was made for a map of another size. A note
// says where it was made for a map of another name. The count is 0 for all.
func ReadAgents(name string, data []byte, m *Map, mapName string, count int) (agents []Agent, note string, err error) {
	if m.Grid == nil {
		return nil, "", broken(name, "agents begin in cells, and the map has none: it is a %s", m.Kind)
	}
	lines := strings.Split(strings.TrimPrefix(string(data), "\xef\xbb\xbf"), "\n")
	if words := strings.Fields(lines[0]); len(words) != 2 || words[0] != "version" || words[1] != "1" && words[1] != "1.0" {
		return nil, "", brokenAt(name, 1, "%.40q, want version 1", lines[0])
	}
	for k, line := range lines[1:] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if count > 0 && len(agents) == count {
			break
		}
		a, made, err := readAgent(name, k+2, line, m.Grid)
		if err != nil {
			return nil, "", err
		}
		if base := path.Base(strings.ReplaceAll(made, "\\", "/")); base != path.Base(mapName) && note == "" {
			note = "the agents of " + name + " were made for a map " + strconv.Quote(base)
		}
		agents = append(agents, a)
	}
	if len(agents) < count || len(agents) == 0 {
		return nil, "", broken(name, "it has %d agents, want %d", len(agents), max(count, 1))
	}
	return agents, note, nil
}

// readAgent reads a line of a scenario, and the name of the map it was made for.
func readAgent(name string, line int, text string, g *Grid) (a Agent, made string, err error) {
	fields := strings.Split(strings.TrimRight(text, "\r"), "\t")
	if len(fields) != 9 {
		fields = strings.Fields(text)
	}
	if len(fields) != 9 {
		return a, "", brokenAt(name, line, "%d fields, want nine: bucket, map, width, height, start x, y, goal x, y, length", len(fields))
	}
	var v [6]int
	for k := range v {
		if v[k], err = strconv.Atoi(strings.TrimSpace(fields[2+k])); err != nil || v[k] < 0 || v[k] > maxSide {
			return a, "", brokenAt(name, line, "field %d is %.20q, want a whole number", 3+k, fields[2+k])
		}
	}
	if a.Optimal, err = strconv.ParseFloat(strings.TrimSpace(fields[8]), 64); err != nil {
		return a, "", brokenAt(name, line, "field 9 is %.20q, want a length", fields[8])
	}
	width, height := v[0], v[1]
	if width == 0 || height == 0 {
		width, height = g.Width, g.Height
	}
	for k, to := range []*geom.Vec2{&a.Start, &a.Goal} {
		x, y := v[2+2*k], v[3+2*k]
		if x >= width || y >= height {
			return a, "", brokenAt(name, line, "cell (%d, %d) lies outside of the map of %d by %d", x, y, width, height)
		}
		i := int(math.Floor(float64(x) * float64(g.Width) / float64(width)))
		j := int(math.Floor(float64(y) * float64(g.Height) / float64(height)))
		*to = g.Center(i, g.Height-1-j)
	}
	return a, fields[1], nil
}
