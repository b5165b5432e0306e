package nn

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-pcd/pcd/internal/yamlfile"
)

// ClassifierConfig describes a [Classifier]. [ReadClassifierConfig] reads it from YAML.
type ClassifierConfig struct {
	InChannels int              `yaml:"in_channels" json:"in_channels"`
	Width      int              `yaml:"width" json:"width"` // channels at the highest resolution; 0 is 64
	Heads      []ClassifierHead `yaml:"heads" json:"heads"`
	Workers    int              `yaml:"-" json:"-"` // goroutines; 0 is GOMAXPROCS
}

// ClassifierHead is a question about an image.
type ClassifierHead struct {
	Name    string   `yaml:"name" json:"name"`
	Hidden  int      `yaml:"hidden" json:"hidden"` // width between the linear maps
	Classes []string `yaml:"classes" json:"classes"`
}

// ReadClassifierConfig reads a description such as
//
//	in_channels: 4
//	heads:
//	  - name: age_group
//	    hidden: 256
//	    classes: [0-2, 3-6, 7-9]
//
// It returns a [ConfigError] for what makes no network, and says where a file is not
// what it should be.
func ReadClassifierConfig(r io.Reader) (ClassifierConfig, error) {
	var c ClassifierConfig
	if err := yamlfile.Decode(r, &c, yamlfile.Options{MaxBytes: maxDocument, Strict: true}); err != nil {
		return c, fmt.Errorf("nn: classifier: %w", err)
	}
	c = c.withDefaults()
	return c, c.check()
}

func (c ClassifierConfig) withDefaults() ClassifierConfig {
	if c.Width == 0 {
		c.Width = 64
	}
	return c
}

func (c *ClassifierConfig) logits() (n int) {
	for _, h := range c.Heads {
		n += len(h.Classes)
	}
	return n
}

// check returns an error for sizes that make no network.
func (c *ClassifierConfig) check() error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{"Classifier", field, fmt.Sprint(got), want}
	}
	switch {
	case c.InChannels < 1 || c.InChannels > maxSize:
		return bad("in_channels", c.InChannels, fmt.Sprintf("between 1 and %d", maxSize))
	case c.Width < 1 || c.Width > maxSize/8:
		return bad("width", c.Width, fmt.Sprintf("between 1 and %d", maxSize/8))
	case len(c.Heads) < 1 || len(c.Heads) > maxCount:
		return bad("heads", len(c.Heads), fmt.Sprintf("1 to %d", maxCount))
	}
	seen := map[string]bool{}
	for _, h := range c.Heads {
		switch {
		case h.Name == "" || strings.ContainsAny(h.Name, ". \n") || seen[h.Name]:
			return bad("name of a head", fmt.Sprintf("%.40q", h.Name), "a word of its own without dots")
		case h.Hidden < 1 || h.Hidden > maxSize:
			return bad("hidden of "+h.Name, h.Hidden, fmt.Sprintf("between 1 and %d", maxSize))
		case len(h.Classes) < 2 || len(h.Classes) > maxSize:
			return bad("classes of "+h.Name, len(h.Classes), fmt.Sprintf("between 2 and %d", maxSize))
		}
		seen[h.Name] = true
	}
	return nil
}
