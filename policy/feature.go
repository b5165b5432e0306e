package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// FeatureType says what a feature is.
type FeatureType string

// The types of features that a policy uses. Others are listed by some files and not used.
const (
	Visual      FeatureType = "VISUAL" // an image
	State       FeatureType = "STATE"  // what the robot feels of itself
	Environment FeatureType = "ENV"    // what a simulator says of the world
	Action      FeatureType = "ACTION" // what the robot is told to do
)

// Feature is a quantity that a policy is told or tells.
type Feature struct {
	Key   string      `json:"key"` // for instance observation.state
	Type  FeatureType `json:"type"`
	Shape []int       `json:"shape"` // [channels, height, width] of an image, else [numbers]
}

// The keys of features that have a meaning of their own.
const (
	stateKey       = "observation.state"
	environmentKey = "observation.environment_state"
	actionKey      = "action"
	imagePrefix    = "observation.image"
)

// Size returns how many numbers a value of the feature has.
func (f Feature) Size() int {
	n := 1
	for _, s := range f.Shape {
		n *= s
	}
	return n
}

// Limits of what a configuration may ask for: far above every published policy, and small
// enough that nothing overflows before the weights are seen.
const (
	maxFeatures = 64
	maxNumbers  = 1 << 16 // of a vector
	maxSide     = 1 << 13 // of an image, in pixels
	maxSteps    = 1 << 10 // of observation, of actions
	maxTraining = 1 << 16 // diffusion steps
)

// decodeFeatures reads an object of features in the order of the file, which decides about
// the order of cameras.
func decodeFeatures(raw []byte, decode func(key string, raw []byte) (Feature, error)) ([]Feature, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("no object")
	}
	var out []Feature
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, fmt.Errorf("two features %s", key)
		}
		seen[key] = true
		if len(out) == maxFeatures {
			return nil, fmt.Errorf("more than %d features", maxFeatures)
		}
		f, err := decode(key, value)
		if err != nil {
			return nil, fmt.Errorf("feature %s: %w", key, err)
		}
		out = append(out, f)
	}
	return out, nil
}

// typedFeature reads a feature of the form {"type": T, "shape": [...]}.
func typedFeature(key string, raw []byte) (Feature, error) {
	var v struct {
		Type  FeatureType
		Shape []int
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return Feature{}, fmt.Errorf("%s, want a type and a shape", short(raw))
	}
	f := Feature{key, v.Type, v.Shape}
	return f, f.check()
}

// shapedFeature reads a feature that is only a shape; its key says what it is.
func shapedFeature(key string, raw []byte) (Feature, error) {
	f := Feature{Key: key, Type: State}
	if err := json.Unmarshal(raw, &f.Shape); err != nil {
		return Feature{}, fmt.Errorf("%s, want a shape", short(raw))
	}
	switch {
	case strings.HasPrefix(key, imagePrefix):
		f.Type = Visual
	case key == environmentKey:
		f.Type = Environment
	case key == actionKey:
		f.Type = Action
	}
	return f, f.check()
}

// check returns an error for a shape that is none of the type.
func (f Feature) check() error {
	switch {
	case f.Type == Visual && (len(f.Shape) != 3 || f.Shape[0] < 1 || f.Shape[0] > maxNumbers ||
		min(f.Shape[1], f.Shape[2]) < 1 || max(f.Shape[1], f.Shape[2]) > maxSide):
		return fmt.Errorf("shape %v, want [channels, height, width] with sides from 1 to %d pixels", f.Shape, maxSide)
	case f.used() && f.Type != Visual && (len(f.Shape) != 1 || f.Shape[0] < 1 || f.Shape[0] > maxNumbers):
		return fmt.Errorf("shape %v, want one length from 1 to %d", f.Shape, maxNumbers)
	}
	return nil
}

// used reports whether a policy is told features of the type.
func (f Feature) used() bool {
	return f.Type == Visual || f.Type == State || f.Type == Environment || f.Type == Action
}
