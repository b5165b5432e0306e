// Package settings is about what users may set. [Number] is a row of the table of numbers,
// with its range and its words. [Differences] compares settings by what their JSON says, so
// that those of a file and those of a program are told apart field by field.
package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Canonical returns what the JSON of v says, without what is zero or empty.
// Settings that get another field stay the same settings, as long as its zero value
// means what was done before.
func Canonical(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // 64-bit seeds stay what they are
	var out any
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	return pruned(out), nil
}

// pruned drops the zero fields of objects; nil is what remains of nothing.
func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			if v[name] = pruned(field); v[name] == nil {
				delete(v, name)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && f == 0 {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}

// Differences lists how the JSON of a differs from that of b, as "field: value of a instead of
// value of b".
func Differences(a, b any) ([]string, error) {
	x, err := Canonical(a)
	if err != nil {
		return nil, err
	}
	y, err := Canonical(b)
	return compared("", x, y), err
}

func compared(name string, a, b any) []string {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !(isX && isY) {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{fmt.Sprintf("%s: %s instead of %s", name, shown(a, b), shown(b, a))}
	}
	names := maps.Clone(x)
	maps.Copy(names, y)
	var out []string
	for _, field := range slices.Sorted(maps.Keys(names)) {
		full := field
		if name != "" {
			full = name + "." + field
		}
		out = append(out, compared(full, x[field], y[field])...)
	}
	return out
}

// longestShown bounds how much of a value a message shows, in bytes.
const longestShown = 60

// shown returns a value as a message shows it beside another one, cut when it is long. A
// zero is nil here.
func shown(v, beside any) string {
	if v == nil {
		switch beside.(type) {
		case json.Number:
			return "0"
		case bool:
			return "false"
		}
		return "none"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > longestShown {
		return string(text[:longestShown]) + "…"
	}
	return string(text)
}

// mostListed bounds how many differences a message lists.
const mostListed = 6

// List writes differences for a message: the first of them, and how many more there are.
func List(differences []string) string {
	n := min(len(differences), mostListed)
	list := strings.Join(differences[:n], "; ")
	if more := len(differences) - n; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
