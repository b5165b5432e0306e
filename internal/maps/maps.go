package maps

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/quote"
)

// Kind is a kind of map.
type Kind string

// The kinds.
const (
	ROS        Kind = "ROS map"
	MovingAI   Kind = "MovingAI map"
	Building   Kind = "building"
	NavGraph   Kind = "navigation graph"
	GeoJSON    Kind = "GeoJSON"
	RouteGraph Kind = "route graph"
)

// Map is what a file says of a workspace. Lengths are in Units.
type Map struct {
	Kind   Kind
	Units  string   // "m", or "cells" for grids of a benchmark
	Bounds geom.Box // around everything the file knows
	// Obstacles are convex, their corners counter-clockwise; each is to be grown by Pad, the
	// rounding of its corners.
	Obstacles []geom.Polygon
	Pad       float64
	Places    []Place
	Grid      *Grid    // the cells, nil for maps that have none
	Graph     *Graph   // where robots drive, nil for maps that do not say
	Notes     []string // what a user should know of how the file was read, each a sentence
}

// Place is a point with a name.
type Place struct {
	Name  string
	At    geom.Vec2
	Level string // of a building, "" for others
}

// Open returns the content of a file of at most so many bytes. Names are those of the
// request, and those in files joined to the folder of the file that names them, with
// forward slashes.
type Open func(name string, most int64) ([]byte, error)

// Options says how what a file leaves open is read. The zero value is the safe reading.
type Options struct {
	Unknown string // cells of which nothing is known: "obstacle", also if empty, or "free"
	Doors   string // of buildings: "open", also if empty, or "closed"
	Level   string // of a building; its reference level if empty
	Outline string // of GeoJSON polygons that do not say: "obstacle", also if empty, or "free"
}

// What a file may claim. A grid takes two bytes for each cell while it is read.
const (
	maxText  = 16 << 20
	maxImage = 256 << 20
	maxCells = 1 << 26
	maxSide  = 1 << 16
)

// Read reads a map and what it refers to.
func Read(open Open, name string, o Options) (*Map, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	data, err := open(name, maxImage)
	if err != nil {
		return nil, err
	}
	kind, err := kindOf(name, data)
	if err != nil {
		return nil, err
	}
	switch kind {
	case ROS:
		return readROS(open, name, data, o)
	case MovingAI:
		return readOctile(name, data)
	case GeoJSON:
		return readGeoJSON(name, data, o)
	}
	return readLevels(name, data, o)
}

func (o Options) check() error {
	for _, c := range []struct{ option, value, first, second string }{
		{"unknown", o.Unknown, "obstacle", "free"}, {"doors", o.Doors, "open", "closed"}, {"kind", o.Outline, "obstacle", "free"},
	} {
		if c.value != "" && c.value != c.first && c.value != c.second {
			return &OptionError{c.option, c.value, c.first + " or " + c.second}
		}
	}
	return nil
}

var (
	svgHead   = regexp.MustCompile(`(?s)^(<\?xml.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>|\s)*<(\w+:)?svg[\s>]`)
	imageKey  = regexp.MustCompile(`(?m)^["']?image["']?\s*:`)
	levelsKey = regexp.MustCompile(`(?m)^["']?levels["']?\s*:`)
)

// kindOf tells the kind of a file by its content; that of files with levels is told apart
// by their vertices.
func kindOf(name string, data []byte) (Kind, error) {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	for _, first := range []string{"P1", "P2", "P3", "P4", "P5", "P6", "\x89PNG", "BM", "\xff\xd8\xff"} {
		if bytes.HasPrefix(text, []byte(first)) {
			return "", broken(name, "this is an image; give the YAML file that names it and says its resolution and origin")
		}
	}
	switch {
	case svgHead.Match(text[:min(len(text), 4096)]):
		return "", broken(name, "this is an SVG drawing, which says neither how long a metre is nor what is a wall: save its walls as polygons in metres (GeoJSON), "+
			"or as an image with a YAML file that says the resolution")
	case bytes.HasPrefix(text, []byte("type ")):
		return MovingAI, nil
	case bytes.HasPrefix(text, []byte("version ")):
		return "", broken(name, "this is a list of trials (.scen); give the map that it belongs to, and this file as the team's")
	case bytes.HasPrefix(text, []byte("{")) && jsonGeometry(text):
		return GeoJSON, nil
	case imageKey.Match(text):
		return ROS, nil
	case levelsKey.Match(text):
		return Building, nil
	}
	return "", broken(name, "no map that is known: want a ROS map (YAML with image and resolution), a MovingAI .map, "+
		"an Open-RMF building or navigation graph, or GeoJSON")
}

// beside returns the name of a file that another one names.
func beside(file, name string) string {
	if path.IsAbs(name) || len(name) > 1 && name[1] == ':' {
		return name
	}
	return path.Join(path.Dir(file), name)
}

// readBeside reads a file that another one names.
func readBeside(open Open, file, name string, most int64) (string, []byte, error) {
	full := beside(file, name)
	data, err := open(full, most)
	if err != nil {
		err = fmt.Errorf("maps: %s names %s: %w", quote.Text(file), quote.Text(name), err)
	}
	return full, data, err
}

// Find returns the place of a name: its own, or level/name where several levels have it.
func (m *Map) Find(name string) (Place, error) { return Find(m.Places, name) }

// Find returns the place of a name among some.
func Find(places []Place, name string) (Place, error) {
	var found []Place
	level, rest, cut := strings.Cut(name, "/")
	for _, p := range places {
		if p.Name == name || cut && p.Level == level && p.Name == rest {
			found = append(found, p)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Place{}, &PlaceError{Name: name, Several: true}
	}
	return Place{}, newPlaceError(name, places)
}
