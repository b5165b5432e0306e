package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/go-pcd/pcd/internal/manifest"
)

// canonical returns what the JSON of v says, without what is zero or empty.
// Settings that get another field stay the same settings, as long as its zero value
// means what was done before.
func canonical(v any) (any, error) {
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

// digestOf returns a digest of what the JSON of v says.
func digestOf(v any) (string, error) {
	c, err := canonical(v)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(c) // writes the fields of objects in order
	return manifest.DigestBytes(text), err
}

// differences lists how the JSON of a differs from that of b.
func differences(a, b any) ([]string, error) {
	x, err := canonical(a)
	if err != nil {
		return nil, err
	}
	y, err := canonical(b)
	return compared("", x, y), err
}

func compared(name string, a, b any) []string {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !(isX && isY) {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{fmt.Sprintf("%s: %s instead of %s", name, shown(a), shown(b))}
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

// shown returns a value as a message shows it, cut when it is long.
func shown(v any) string {
	if v == nil {
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

// identity is what a cell's numbers depend on, besides the model.
type identity struct {
	Cell     any `json:"cell"` // without its amounts
	Settings any `json:"settings"`
}

// identityOf returns the identity of a cell.
func identityOf[C Cell[C]](c C) (identity, error) {
	var nothing C
	settings, err := c.Settings()
	return identity{Cell: c.Sized(nothing), Settings: settings}, err
}

// begin fills the header of a result that is about to grow. A result from before
// there were digests stays without: nobody knows what made its first part.
func (h *Header[C]) begin(c C, id identity, m Model, fresh bool) error {
	h.Machine, h.Version = manifest.ThisMachine(), manifest.Version()
	h.Cell = c
	if !fresh {
		return nil
	}
	digest, err := digestOf(id)
	if err != nil {
		return err
	}
	h.Digests = &Digests{Model: m.Digest, Settings: digest}
	if m.Card != nil {
		if h.Model, err = json.Marshal(m.Card); err != nil {
			return err
		}
	}
	if id.Settings != nil {
		h.Settings, err = json.Marshal(id.Settings)
	}
	return err
}

// match returns a [MismatchError] when the result at path is not one of cell c
// computed by model m.
func match[C Cell[C]](path string, h *Header[C], c C, m Model) error {
	if err := matchSettings(path, h, c); err != nil {
		return err
	}
	return matchModel(path, h, m)
}

// matchSettings is match for a cell of any model.
func matchSettings[C Cell[C]](path string, h *Header[C], c C) error {
	want, err := identityOf(c)
	if err != nil {
		return err
	}
	var nothing C
	got := identity{Cell: h.Cell.Sized(nothing), Settings: want.Settings}
	if h.Settings != nil {
		got.Settings = h.Settings
	}
	diff, err := differences(got, want)
	if err != nil {
		return err
	}
	if len(diff) > 0 {
		return &MismatchError{Path: path, What: "settings", Differences: diff}
	}
	return nil
}

func matchModel[C any](path string, h *Header[C], m Model) error {
	diff, err := differences(h.Model, m.Card)
	if err != nil {
		return err
	}
	if h.Digests != nil {
		if h.Digests.Model == m.Digest {
			return nil
		}
		diff = append([]string{fmt.Sprintf("digest: %.16s… instead of %.16s…", h.Digests.Model, m.Digest)}, diff...)
	}
	if len(diff) == 0 {
		return nil
	}
	return &MismatchError{Path: path, What: "models", Differences: diff}
}
