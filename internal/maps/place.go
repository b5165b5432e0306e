package maps

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/spelling"
)

// PlaceError says that a map has no place of a name, or several.
type PlaceError struct {
	Name    string
	Several bool
	Nearest string   // the name that looks most alike, "" if none does
	Known   []string // some of the names there are
	More    int      // names beyond those
}

// knownPlaces is how many names are told.
const knownPlaces = 12

func newPlaceError(name string, places []Place) error {
	var known []string
	for _, p := range places {
		if !slices.Contains(known, p.Name) {
			known = append(known, p.Name)
		}
	}
	slices.Sort(known)
	e := &PlaceError{Name: name, Nearest: spelling.Nearest(name, known), Known: known}
	if len(known) > knownPlaces {
		e.Known, e.More = known[:knownPlaces], len(known)-knownPlaces
	}
	return e
}

func (e *PlaceError) Error() string {
	switch {
	case e.Several:
		return fmt.Sprintf("maps: several places are called %s: say which by LEVEL/NAME, or by its coordinates", quote.Text(e.Name))
	case len(e.Known) == 0:
		return fmt.Sprintf("maps: no place %s: the map names none; give [x, y]", quote.Text(e.Name))
	}
	var names []string
	for _, n := range e.Known {
		names = append(names, quote.Text(n))
	}
	list := strings.Join(names, ", ")
	if e.More > 0 {
		list += fmt.Sprintf(" and %d more", e.More)
	}
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", quote.Text(e.Nearest))
	}
	return fmt.Sprintf("maps: no place %s%s; there are %s", quote.Text(e.Name), hint, list)
}
