package nav2d_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// room is a scene of 10 by 4 with one robot of radius 1.
func room() *nav2d.Scene {
	return &nav2d.Scene{
		Bounds: &nav2d.Bounds{Min: []float64{100, 20}, Max: []float64{110, 24}},
		Robots: []nav2d.Robot{{Name: "ada", Start: nav2d.At(101, 22), Goal: nav2d.At(109, 21), Radius: new(1.0)}},
	}
}

// TestBoundsAreBounds: a robot whose rim leaves the bounds of a scene is not clear; on
// a published map the boundary stands 0.08 outside, as published.
func TestBoundsAreBounds(t *testing.T) {
	task, err := room().Task()
	if err != nil {
		t.Fatal(err)
	}
	radius := float32(task.Robots[0].Radius)
	for _, c := range []struct {
		x, y     float64
		occupied bool
	}{
		{105, 22, false}, {101, 21, false}, {109, 23, false}, // touching
		{100.999, 22, true}, {109.001, 22, true}, {105, 20.999, true}, {105, 23.001, true}, {99, 22, true}, {105, 30, true},
	} {
		p := task.Frame.ToMap(geom.Vec2{X: c.x, Y: c.y})
		if got := task.Map.Occupied(float32(p.X), float32(p.Y), radius); got != c.occupied {
			t.Errorf("a disk of radius 1 at (%v, %v) leaves the bounds: %v", c.x, c.y, got)
		}
	}
	if nav2d.Empty().Occupied(1.02, 0, nav2d.RobotRadius) || !nav2d.Empty().Occupied(1.04, 0, nav2d.RobotRadius) {
		t.Error("the boundary of a published map has moved")
	}
}

// TestRadiusFitsTheRoom: a robot larger than the room, or that leaves it where it
// starts, is refused.
func TestRadiusFitsTheRoom(t *testing.T) {
	s := room()
	s.Robots[0].Radius = new(2.001)
	var value *nav2d.ValueError
	if _, err := s.Task(); !errors.As(err, &value) || value.Key != "robots[0] (ada).radius" {
		t.Errorf("a robot wider than the room: %v", err)
	}
	s = room()
	s.Robots[0].Start = nav2d.At(100.5, 22)
	var place *nav2d.PlacementError
	if _, err := s.Task(); !errors.As(err, &place) || !place.Outside || math.Abs(place.Clearance-0.5) > 1e-9 {
		t.Errorf("a start beside the wall: %v", err)
	}
}

// TestSceneNumbersAreOfAUsualSize: numbers that arithmetic has no room for are refused
// by name, also 0 where it would mean the default.
func TestSceneNumbersAreOfAUsualSize(t *testing.T) {
	const rest = "\nrobots: [{start: [0, 0], goal: [0.5, 0.5]}]"
	for text, key := range map[string]string{
		"duration: 1e-300" + rest: "duration", "duration: 0" + rest: "duration", "duration: 1e300" + rest: "duration",
		"bounds: {min: [-1e90, -1e90], max: [1e90, 1e90]}" + rest:     "bounds.min",
		"circles: [{center: [1e300, 0], radius: 1}]" + rest:           "circles[0].center",
		"circles: [{center: [2, 0], radius: 1e13}]" + rest:            "circles[0].radius",
		"boxes: [{center: [0, 0], size: [1e300, 1]}]" + rest:          "boxes[0].size",
		"robots: [{start: [0, 1e300], goal: [0, 0]}]":                 "robots[0].start",
		"robots: [{start: [0, 0], goal: [0, 0], radius: 0}]":          "robots[0].radius",
		"robots: [{start: [0, 0], goal: [0, 0], radius: 1e-300}]":     "robots[0].radius",
		"robots: [{start: [0, 0], goal: [0, 0], speed: 0}]":           "robots[0].speed",
		"robots: [{start: [0, 0], goal: [0, 0], speed: 1e-300}]":      "robots[0].speed",
		`robots: [{name: "a\u001b[2J", start: [0, 0], goal: [0, 0]}]`: "robots[0].name",
		`units: "m\n"` + rest: "units",
	} {
		s, err := nav2d.ReadScene(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var value *nav2d.ValueError
		if _, err := s.Task(); !errors.As(err, &value) || value.Key != key {
			t.Errorf("%s: %v, want a ValueError for %s", text, err, key)
		}
	}
}

// TestProblemsAreCounted: a scene in which everything overlaps does not give a message
// per pair.
func TestProblemsAreCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("only the drawing of demonstrations has goroutines, which another test watches")
	}
	s := &nav2d.Scene{}
	for range 2100 {
		s.Robots = append(s.Robots, nav2d.Robot{Start: nav2d.At(0, 0), Goal: nav2d.At(0.5, 0)})
	}
	_, err := s.Task()
	var more *nav2d.MoreError
	if want := 2*2100*2099/2 - 20; !errors.As(err, &more) || more.Count != want {
		t.Fatalf("error %.200v, want %d more", err, want)
	}
	if text := err.Error(); strings.Count(text, "\n") != 20 || !strings.HasSuffix(text, "and 4 407 880 more") {
		t.Errorf("the message has %d lines and ends in %q", strings.Count(text, "\n")+1, text[len(text)-40:])
	}
	for count, want := range map[int]string{7: "7", 999: "999", 2097: "2 097", 1000000: "1 000 000"} {
		if got, want := (&nav2d.MoreError{Count: count}).Error(), fmt.Sprintf("nav2d: and %s more", want); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
