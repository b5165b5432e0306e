package maps

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/yamlfile"
)

// rosFile is the YAML file of a map server; further keys are passed over.
type rosFile struct {
	Image      *string `yaml:"image"`
	Resolution any     `yaml:"resolution"`
	Origin     []any   `yaml:"origin"`
	Occupied   any     `yaml:"occupied_thresh"`
	Free       any     `yaml:"free_thresh"`
	Negate     any     `yaml:"negate"`
	Mode       string  `yaml:"mode"`
}

// reading says how pixels become cells.
type reading struct {
	mode           string // "trinary", "scale" or "raw"
	negate         bool
	occupied, free float64
}

// readROS reads the map of a map server (navigation2, map_io.cpp). The two conventions in
// use differ at the thresholds, in colours and in translucent pixels: a cell is free only
// if it is by both.
func readROS(open Open, name string, data []byte, o Options) (*Map, error) {
	var f rosFile
	if err := yamlfile.Decode(bytes.NewReader(data), &f, yamlfile.Options{MaxBytes: maxText}); err != nil {
		return nil, ofYAML(name, err)
	}
	r, g, err := f.check(name)
	if err != nil {
		return nil, err
	}
	if f.Image == nil || *f.Image == "" {
		return nil, broken(name, "image is left out, want the name of the file with the pixels")
	}
	image, pixels, err := readBeside(open, name, *f.Image, maxImage)
	if err != nil {
		return nil, err
	}
	weak, err := r.cells(image, pixels, g)
	if err != nil {
		return nil, err
	}
	if err := g.check(name); err != nil {
		return nil, err
	}
	m := gridMap(ROS, "m", g, o.Unknown != "free")
	m.Notes = r.notes(name, g, weak)
	return m, nil
}

// check returns what the keys say, and the grid without its cells.
func (f rosFile) check(name string) (r reading, g *Grid, err error) {
	g = &Grid{}
	var origin [3]float64
	if len(f.Origin) != 3 {
		return r, nil, broken(name, "origin has %d numbers, want [x, y, yaw] of the lower left corner", len(f.Origin))
	}
	for _, n := range []struct {
		key   string
		value any
		to    *float64
	}{
		{"resolution", f.Resolution, &g.Resolution}, {"origin[0]", f.Origin[0], &origin[0]}, {"origin[1]", f.Origin[1], &origin[1]}, {"origin[2]", f.Origin[2], &origin[2]},
		{"occupied_thresh", f.Occupied, &r.occupied}, {"free_thresh", f.Free, &r.free},
	} {
		v, ok := number(n.value)
		if !ok || math.Abs(v) > maxCoordinate {
			return r, nil, broken(name, "%s is %s, want a number", n.key, shown(n.value))
		}
		*n.to = v
	}
	g.Origin, g.Yaw = geom.Vec2{X: origin[0], Y: origin[1]}, origin[2]
	switch r.mode = strings.ToLower(f.Mode); r.mode {
	case "":
		r.mode = "trinary"
	case "trinary", "scale", "raw":
	default:
		return r, nil, broken(name, "mode is %s, want trinary, scale or raw", quote.Text(f.Mode))
	}
	var ok bool
	switch {
	case !(g.Resolution >= minResolution):
		return r, nil, broken(name, "resolution is %v, want a positive number of metres for each cell", g.Resolution)
	case !(r.occupied >= 0 && r.occupied <= 1 && r.free >= 0 && r.free <= 1):
		return r, nil, broken(name, "the thresholds are %v and %v, want them from 0 to 1", r.occupied, r.free)
	case r.free > r.occupied:
		return r, nil, broken(name, "free_thresh is %v, above occupied_thresh of %v: want it below", r.free, r.occupied)
	case f.Negate == nil:
		return r, nil, broken(name, "negate is left out, want 0 where white is free, or 1 where black is")
	}
	if r.negate, ok = truth(f.Negate); !ok {
		return r, nil, broken(name, "negate is %s, want 0 or 1", shown(f.Negate))
	}
	return r, g, nil
}

// maxCoordinate bounds coordinates, minResolution the sides of cells: beyond them float64
// has no digits for the cells of a map.
const (
	maxCoordinate = 1e9
	minResolution = 1e-6
)

// check refuses grids whose cells coordinates cannot tell apart.
func (g *Grid) check(name string) error {
	b := boundsOf(g.corners())
	if far := gaps.Extent(b); !(far <= maxCoordinate) || g.Resolution < far*1e-9 {
		return broken(name, "cells of %v at coordinates of up to %.3g: these have no digits for them", g.Resolution, far)
	}
	return nil
}

// number reads a number as YAML files of robots have it: "1." and ".5" are some.
func number(v any) (float64, bool) {
	var out float64
	switch v := v.(type) {
	case float64:
		out = v
	case int:
		out = float64(v)
	case int64:
		out = float64(v)
	case uint64:
		out = float64(v)
	case string:
		var err error
		if out, err = strconv.ParseFloat(strings.TrimSpace(v), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return out, out-out == 0
}

// truth reads a number that stands for true where it is not 0, or a truth value.
func truth(v any) (value, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		switch strings.ToLower(v) {
		case "true", "yes", "on", "y":
			return true, true
		case "false", "no", "off", "n":
			return false, true
		}
	}
	n, ok := number(v)
	return n != 0, ok && n == math.Trunc(n)
}

// shown makes a value of a file fit for a message.
func shown(v any) string {
	if v == nil {
		return "left out"
	}
	return fmt.Sprintf("%.60s", quote.Text(fmt.Sprint(v)))
}

// savedUnknown is the grey that map savers write for cells of which nothing is known.
const savedUnknown = 205

// notes says what a user may not expect of how a map was read. So many pixels of the grey
// of unknown cells are free by the thresholds.
func (r reading) notes(name string, g *Grid, weak int) (out []string) {
	if weak > 0 {
		out = append(out, fmt.Sprintf("%d cells of grey %d, which map savers write for unknown, are free: free_thresh of %s is %v, and their occupancy is %.4f; 0.196 keeps them unknown",
			weak, savedUnknown, quote.Text(name), r.free, 1-savedUnknown/255.0))
	}
	if g.Yaw != 0 {
		out = append(out, fmt.Sprintf("the map is turned by %.4g rad about its origin, as its message defines it; Nav2's static layer ignores that", g.Yaw))
	}
	return out
}
