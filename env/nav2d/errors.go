package nav2d

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/spelling"
	"github.com/go-pcd/pcd/tensor"
)

// unknownNameError says that something was asked for by a name that does not
// exist, and which names do.
type unknownNameError struct {
	Kind    string // "map" or "pattern"
	Name    string
	Known   []string
	Nearest string // the known name that looks most alike, "" if none does
}

func (e *unknownNameError) Error() string {
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", e.Nearest)
	}
	return fmt.Sprintf("nav2d: no %s %q%s; there are %s", e.Kind, e.Name, hint, strings.Join(e.Known, ", "))
}

func unknownName(kind, name string, known []string) error {
	return &unknownNameError{Kind: kind, Name: name, Known: known, Nearest: spelling.Nearest(name, known)}
}

// shapeError says that a cost was given variables that are not one trajectory.
type shapeError struct {
	What string
	Got  []tensor.Shape
}

func (e *shapeError) Error() string {
	return fmt.Sprintf("nav2d: %s takes one variable of shape [waypoints, 2 or more channels], got %v", e.What, e.Got)
}

// optionError says that an option or a count is negative.
type optionError struct {
	Name  string
	Value int
}

func (e *optionError) Error() string {
	return fmt.Sprintf("nav2d: %s is %d, want 0 or more", e.Name, e.Value)
}
