package experiment

import (
	"encoding/json"
	"fmt"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/settings"
)

// digestOf returns a digest of what the JSON of v says.
func digestOf(v any) (string, error) {
	c, err := settings.Canonical(v)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(c) // writes the fields of objects in order
	return manifest.DigestBytes(text), err
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
	if u, ok := any(c).(Used); ok && h.Settings != nil {
		if got.Settings, err = u.Used(h.Settings); err != nil {
			return fmt.Errorf("%s: settings: %w", path, err)
		}
	}
	diff, err := settings.Differences(got, want)
	if err != nil {
		return err
	}
	if len(diff) > 0 {
		return &MismatchError{Path: path, What: "settings", Differences: diff}
	}
	return nil
}

func matchModel[C any](path string, h *Header[C], m Model) error {
	diff, err := settings.Differences(h.Model, m.Card)
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
