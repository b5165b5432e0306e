package portraits

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-pcd/pcd/internal/regular"
)

// longestRecipe is how many bytes a recipe may have.
const longestRecipe = 1 << 20

// ReadRecipe returns the recipe of a part of the shipped model with the settings of a JSON
// file in the place of its own. A setting that no recipe has is an error.
func ReadRecipe(path string, p Part) (Recipe, error) {
	r := DefaultRecipe(p)
	raw, err := regular.ReadFile(path, longestRecipe)
	if err != nil {
		return r, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, fmt.Errorf("images: the recipe %s cannot be read: %w", path, err)
	}
	if r.Part != p {
		return r, fmt.Errorf("images: %s is a recipe of the %.40q, not of the %s", path, r.Part, p)
	}
	return r, nil
}
