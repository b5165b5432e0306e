package nav2d

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/spelling"
	"github.com/go-pcd/pcd/tensor"
)

// UnknownNameError says that something was asked for by a name that does not
// exist, and which names do.
type UnknownNameError struct {
	Kind    string // "map" or "pattern"
	Name    string
	Known   []string
	Nearest string // the known name that looks most alike, "" if none does
}

func (e *UnknownNameError) Error() string {
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", e.Nearest)
	}
	return fmt.Sprintf("nav2d: no %s %q%s; there are %s", e.Kind, e.Name, hint, strings.Join(e.Known, ", "))
}

func unknownName(kind, name string, known []string) error {
	return &UnknownNameError{Kind: kind, Name: name, Known: known, Nearest: spelling.Nearest(name, known)}
}

// ShapeError says that a cost was given variables that are not one trajectory.
type ShapeError struct {
	What string
	Got  []tensor.Shape
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("nav2d: %s takes one variable of shape [waypoints, 2 or more channels], got %v", e.What, e.Got)
}

// OptionError says that an option or a count is negative.
type OptionError struct {
	Name  string
	Value int
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("nav2d: %s is %d, want 0 or more", e.Name, e.Value)
}
