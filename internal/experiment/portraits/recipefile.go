package portraits

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/regular"
)

// longestRecipe is how many bytes a recipe may have.
const longestRecipe = 1 << 20

// ReadRecipe returns the recipe of a part of the shipped model with the settings of a JSON
// file in the place of its own. A setting that no recipe has is an error. Mistakes in the file
// are [experiment.SpecError]s.
func ReadRecipe(path string, p Part) (Recipe, error) {
	r := DefaultRecipe(p)
	raw, err := regular.ReadFile(path, longestRecipe)
	if size := new(regular.SizeError); errors.As(err, &size) {
		return r, &experiment.SpecError{Err: err}
	}
	if err != nil {
		return r, err
	}
	if err := decodeRecipe(&r, raw); err != nil {
		return r, &experiment.SpecError{Err: fmt.Errorf(`images: the recipe %s cannot be read: %w; want a JSON object of settings, such as {"latent": 8, "train": {"batch": 4}}`, path, err)}
	}
	if r.Part != p {
		return r, &experiment.SpecError{Err: fmt.Errorf("images: %s is a recipe of the %.40q, not of the %s", path, r.Part, p)}
	}
	return r, nil
}

// decodeRecipe changes what a file names.
func decodeRecipe(r *Recipe, raw []byte) error {
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return errors.New("it is null")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more than one value")
	}
	return nil
}
