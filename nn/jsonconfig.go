package nn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// document is a published configuration: the keys of a JSON object that nobody has
// asked for yet, and the first thing that was wrong.
type document struct {
	network string
	keys    map[string]json.RawMessage
	err     error
}

// parseDocument reads the object of a config.json.
func parseDocument(network string, raw []byte) *document {
	d := &document{network: network}
	if len(raw) > maxDocument {
		d.fail("config.json", fmt.Sprintf("%d bytes long", len(raw)), fmt.Sprintf("at most %d", maxDocument))
		return d
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if err := decoder.Decode(&d.keys); err != nil {
		d.fail("config.json", err.Error(), "a JSON object")
	} else if decoder.More() {
		d.fail("config.json", "more than one value", "a JSON object")
	}
	return d
}

// Limits of what a configuration may ask for: far above every published network, and
// small enough that nothing overflows before the weights are seen.
const (
	maxDocument = 1 << 20
	maxSize     = 1 << 16 // channels, tokens
	maxCount    = 64      // entries of a list, layers of a tower
	maxLevels2D = 8       // levels of a network of images
	maxLayers2D = 16      // blocks of a level, layers of a transformer
)

func (d *document) fail(field, got, want string) {
	if d.err == nil {
		d.err = &ConfigError{d.network, field, got, want}
	}
}

// take removes a key and decodes it; it reports whether there was a value.
func (d *document) take(name string, value any, want string) bool {
	raw, ok := d.keys[name]
	delete(d.keys, name)
	if !ok || string(raw) == "null" {
		return false
	}
	if err := json.Unmarshal(raw, value); err != nil {
		d.fail(name, short(raw), want)
		return false
	}
	return true
}

// short is a value that fits an error message.
func short(raw json.RawMessage) string {
	if len(raw) > 60 {
		return string(raw[:57]) + "..."
	}
	return string(raw)
}

// number reads an integer between 1 and most; without the key it is the default, and
// the key must be there when that is 0.
func (d *document) number(name string, otherwise, most int) int {
	v := otherwise
	if !d.take(name, &v, "a whole number") && otherwise == 0 {
		d.fail(name, "missing", "a whole number")
		return 1
	}
	if v < 1 || v > most {
		d.fail(name, fmt.Sprint(v), fmt.Sprintf("between 1 and %d", most))
		return 1
	}
	return v
}

// real reads a number.
func (d *document) real(name string, otherwise float64) float64 {
	d.take(name, &otherwise, "a number")
	return otherwise
}

func (d *document) flag(name string, otherwise bool) bool {
	d.take(name, &otherwise, "true or false")
	return otherwise
}

func (d *document) text(name, otherwise string) string {
	d.take(name, &otherwise, "a string")
	return otherwise
}

// numbers reads a list of 1 to maxCount integers between 1 and most.
func (d *document) numbers(name string, most int) []int {
	var v []int
	if !d.take(name, &v, "a list of whole numbers") {
		d.fail(name, "missing", "a list of whole numbers")
		return []int{1}
	}
	d.inRange(name, v, most)
	return v
}

func (d *document) inRange(name string, v []int, most int) {
	if len(v) < 1 || len(v) > maxCount {
		d.fail(name, fmt.Sprintf("a list of %d", len(v)), fmt.Sprintf("1 to %d numbers", maxCount))
	}
	for _, x := range v {
		if x < 1 || x > most {
			d.fail(name, fmt.Sprint(x), fmt.Sprintf("between 1 and %d", most))
		}
	}
}

// perLevel reads a number for all levels, or a list of one for each.
func (d *document) perLevel(name string, otherwise, levels, most int) []int {
	raw, ok := d.keys[name]
	if ok && len(raw) > 0 && raw[0] == '[' {
		v := d.numbers(name, most)
		if len(v) != levels {
			d.fail(name, short(raw), fmt.Sprintf("a number for each of the %d levels", levels))
		}
		return v
	}
	return slices.Repeat([]int{d.number(name, otherwise, most)}, levels)
}

// uniform reads a number for all levels, which may be told for each.
func (d *document) uniform(name string, otherwise, levels, most int) int {
	said := short(d.keys[name])
	v := d.perLevel(name, otherwise, levels, most)
	if len(v) == 0 { // which has failed
		return 1
	}
	if slices.Min(v) != slices.Max(v) {
		d.fail(name, said, "one number for all levels")
	}
	return v[0]
}

// side reads the side of a square, which may be told twice.
func (d *document) side(name string, otherwise, most int) int {
	var both []int
	if raw := d.keys[name]; len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &both) == nil && len(both) == 2 && both[0] == both[1] {
		d.keys[name] = json.RawMessage(fmt.Sprint(both[0]))
	}
	return d.number(name, otherwise, most)
}

// allFalse passes over a list that switches a feature off at every level.
func (d *document) allFalse(name string) {
	var v []bool
	if json.Unmarshal(d.keys[name], &v) == nil && !slices.Contains(v, true) {
		delete(d.keys, name)
	}
}

// words reads a list of names.
func (d *document) words(name string, count int) []string {
	var v []string
	if !d.take(name, &v, "a list of strings") {
		d.fail(name, "missing", "a list of strings")
	} else if len(v) != count {
		d.fail(name, fmt.Sprintf("a list of %d", len(v)), fmt.Sprintf("%d names, one for each level", count))
	}
	return append(v, make([]string, max(0, count-len(v)))...)
}

// only fails when a key has a value that the network does not have.
func (d *document) only(name string, allowed ...any) {
	var v any
	if !d.take(name, &v, "a value") {
		return
	}
	for _, a := range allowed {
		if v == a {
			return
		}
	}
	d.fail(name, fmt.Sprint(v), fmt.Sprintf("%v: the network has nothing else", allowed))
}

// absent gives a key that is not there the value that it then has.
func (d *document) absent(name, value string) {
	if _, ok := d.keys[name]; !ok && d.err == nil && d.keys != nil {
		d.keys[name] = json.RawMessage(value)
	}
}

// atDefault passes over a key that says what it would say if it were not there: of a feature
// that is switched off.
func (d *document) atDefault(name, value string) {
	if string(d.keys[name]) == value {
		delete(d.keys, name)
	}
}

// ignore passes over keys that say nothing about the network.
func (d *document) ignore(names ...string) {
	for _, n := range names {
		delete(d.keys, n)
	}
}

// end returns the first error; keys that nobody asked for must be switched off.
func (d *document) end() error {
	var names []string
	for name, raw := range d.keys {
		off := slices.Contains([]string{"null", "false", "0", `""`, "[]", "{}", "0.0"}, string(raw))
		if !off && !strings.HasPrefix(name, "_") {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		d.fail(names[0], short(d.keys[names[0]]), "null or no such key: the network does not know it")
	}
	return d.err
}
