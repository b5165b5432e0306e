package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// document is a JSON object whose keys nobody has asked for yet, and the first thing that
// was wrong.
type document struct {
	file string
	keys map[string]json.RawMessage
	err  error
}

// maxDocument is more than any configuration has.
const maxDocument = 1 << 20

func parseDocument(file string, raw []byte) *document {
	d := &document{file: file}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if err := decoder.Decode(&d.keys); err != nil {
		d.fail("the file", "no JSON object ("+err.Error()+")", "a JSON object")
	} else if decoder.More() {
		d.fail("the file", "more than one value", "a JSON object")
	}
	return d
}

func (d *document) fail(key, got, want string) {
	if d.err == nil {
		d.err = &ConfigError{d.file, key, got, want}
	}
}

// has reports whether a key has a value that is not null.
func (d *document) has(key string) bool {
	raw, ok := d.keys[key]
	return ok && string(raw) != "null"
}

// filled fails for keys that are null: the library has no value for them either, and a default in
// its place would be another policy.
func (d *document) filled(keys ...string) {
	for _, key := range keys {
		if _, ok := d.keys[key]; ok && !d.has(key) {
			d.fail(key, "null", "a value")
		}
	}
}

// take removes a key and decodes it; it reports whether there was a value.
func (d *document) take(key string, value any, want string) bool {
	raw, ok := d.keys[key]
	delete(d.keys, key)
	if !ok || string(raw) == "null" {
		return false
	}
	if err := json.Unmarshal(raw, value); err != nil {
		d.fail(key, short(raw), want)
		return false
	}
	return true
}

// short is a value that fits an error message.
func short(raw []byte) string {
	if len(raw) > 60 {
		return string(raw[:57]) + "..."
	}
	return string(raw)
}

// number reads an integer from 1 to most. Without the key it is the default.
func (d *document) number(key string, otherwise, most int) int {
	v := otherwise
	if !d.take(key, &v, "a whole number") {
		return otherwise
	}
	if v < 1 || v > most {
		d.fail(key, fmt.Sprint(v), fmt.Sprintf("a whole number from 1 to %d", most))
		return otherwise
	}
	return v
}

// real reads a finite number.
func (d *document) real(key string, otherwise float64) float64 {
	v := otherwise
	if !d.take(key, &v, "a number") || math.IsNaN(v) || math.IsInf(v, 0) {
		return otherwise
	}
	return v
}

func (d *document) flag(key string, otherwise bool) bool {
	d.take(key, &otherwise, "true or false")
	return otherwise
}

// word reads one of some strings.
func (d *document) word(key, otherwise string, known ...string) string {
	v := otherwise
	if d.take(key, &v, "a string") && len(known) > 0 && !slices.Contains(known, v) {
		d.fail(key, v, strings.Join(known, ", "))
	}
	return v
}

// sides reads two integers from 1 on, or null.
func (d *document) sides(key string, otherwise [2]int) [2]int {
	var v []int
	raw, ok := d.keys[key]
	if !ok {
		return otherwise
	}
	delete(d.keys, key)
	if string(raw) == "null" {
		return [2]int{}
	}
	if json.Unmarshal(raw, &v) != nil || len(v) != 2 || min(v[0], v[1]) < 1 || max(v[0], v[1]) > maxSide {
		d.fail(key, short(raw), fmt.Sprintf("[height, width] between 1 and %d, or null", maxSide))
		return otherwise
	}
	return [2]int(v)
}

// ignore passes over keys that say nothing about running a policy, and over all that begin
// with one that ends in an asterisk.
func (d *document) ignore(names ...string) {
	for _, n := range names {
		prefix, many := strings.CutSuffix(n, "*")
		for key := range d.keys {
			if key == n || many && strings.HasPrefix(key, prefix) {
				delete(d.keys, key)
			}
		}
	}
}

// end returns the first error; a key that nobody asked for is one.
func (d *document) end() error {
	var names []string
	for name, raw := range d.keys {
		if string(raw) != "null" {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		d.fail(names[0], short(d.keys[names[0]]), "null or no such key: it is not one of a diffusion policy that is known here")
	}
	return d.err
}
