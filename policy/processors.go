package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/weights"
)

// The files of the processors of vintage C.
const (
	preprocessorFile  = "policy_preprocessor.json"
	postprocessorFile = "policy_postprocessor.json"
)

// processor is a list of steps from raw observations to normalised ones, or from normalised
// actions to raw ones.
type processor struct {
	file      string
	rename    map[string]string // of keys of observations
	normalize *normalizeStep    // nil without one
	closer    *weights.StateDict
}

// normalizeStep is the step that scales.
type normalizeStep struct {
	epsilon  float64
	features []Feature
	modes    map[FeatureType]Mode
	only     []string // keys that are normalised; nil for all
	stats    besideModel
}

// readProcessor reads a file of steps and opens the statistics that it names. scales is the
// name of the step that scales.
func readProcessor(dir, file, scales string) (*processor, error) {
	raw, err := regular.ReadFile(filepath.Join(dir, file), maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &FileError{file, "is missing beside " + preprocessorFile, nil}
	}
	if err != nil {
		return nil, &FileError{file, "cannot be read", err}
	}
	p := &processor{file: file, rename: map[string]string{}}
	d := parseDocument(file, raw)
	d.ignore("name")
	var steps []json.RawMessage
	if !d.take("steps", &steps, "a list of steps") {
		d.fail("steps", "missing", "a list of steps")
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	for i, raw := range steps {
		if err := p.step(dir, i, raw, scales); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

// step reads one step.
func (p *processor) step(dir string, i int, raw []byte, scales string) error {
	d := parseDocument(p.file, raw)
	if d.has("class") {
		var class string
		d.take("class", &class, "a string")
		return &ConfigError{p.file, fmt.Sprintf("steps[%d].class", i), class, "a step with a registry_name: classes by name are code, which is not run"}
	}
	name, state := d.word("registry_name", ""), d.word("state_file", "")
	var config json.RawMessage
	d.take("config", &config, "an object")
	if err := d.end(); err != nil {
		return err
	}
	if config == nil {
		config = json.RawMessage("{}")
	}
	c := parseDocument(p.file, config)
	switch name {
	case "rename_observations_processor":
		c.take("rename_map", &p.rename, "an object of names")
	case "to_batch_processor":
	case "device_processor":
		c.ignore("device")
		if t := c.word("float_dtype", ""); t != "" && t != "float32" {
			c.fail("float_dtype", t, "null or float32")
		}
	case scales:
		if p.normalize != nil {
			c.fail("steps", "two of "+name, "one")
		}
		return p.readScaling(dir, c, state)
	default:
		c.fail(fmt.Sprintf("steps[%d].registry_name", i), name, "rename_observations_processor, to_batch_processor, device_processor or "+scales)
	}
	return c.end()
}

// readScaling reads the step that scales and opens its statistics.
func (p *processor) readScaling(dir string, c *document, state string) error {
	s := &normalizeStep{epsilon: c.real("eps", defaultEpsilon), modes: map[FeatureType]Mode{}}
	s.features = c.features("features", typedFeature)
	var names map[string]string
	c.take("norm_map", &names, "an object of modes by type")
	for t, name := range names {
		mode, err := parseMode(name)
		if err != nil {
			c.fail("norm_map."+t, name, err.Error())
		}
		s.modes[FeatureType(t)] = mode
	}
	c.take("normalize_observation_keys", &s.only, "a list of keys, or null")
	if !(s.epsilon > 0 && s.epsilon < 1) {
		c.fail("eps", fmt.Sprint(s.epsilon), "a number above 0 and below 1")
	}
	if err := c.end(); err != nil {
		return err
	}
	p.normalize = s
	if state == "" {
		return nil
	}
	if !filepath.IsLocal(state) || filepath.Base(state) != state || quote.Text(state) != state {
		return &ConfigError{p.file, "state_file", state, "the name of a file in the folder"}
	}
	sd, err := weights.Open(filepath.Join(dir, state), weights.Options{})
	if err != nil {
		return &FileError{state, "cannot be read", err}
	}
	s.stats.sd, p.closer = sd, sd
	return nil
}

// Close closes the file of statistics.
func (p *processor) Close() {
	if p != nil && p.closer != nil {
		p.closer.Close() // only read
	}
}

// normalizer returns the normalisation of a feature, by the features and modes of the step.
func (s *normalizeStep) normalizer(f Feature) (*normalizer, error) {
	if s == nil {
		return nil, &StatisticsError{f.Key, "normalisation", "has no step in the processors"}
	}
	at := slices.IndexFunc(s.features, func(g Feature) bool { return g.Key == f.Key })
	if at < 0 {
		return nil, &StatisticsError{f.Key, "normalisation", "is missing: the step of the processors does not list the feature"}
	}
	g := s.features[at]
	if !slices.Equal(g.Shape, f.Shape) {
		return nil, &StatisticsError{f.Key, "shape", fmt.Sprintf("%v in the processors, want %v as in %s", g.Shape, f.Shape, configFile)}
	}
	mode := s.modes[g.Type]
	if s.only != nil && f.Type != Action && !slices.Contains(s.only, f.Key) {
		mode = identityMode
	}
	return newNormalizer(f, mode, s.stats, false, s.epsilon)
}
