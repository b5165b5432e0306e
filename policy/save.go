package policy

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// The names of the statistics of vintage C in a folder, as the library writes them.
const (
	preStatisticsFile  = "policy_preprocessor_step_3_normalizer_processor.safetensors"
	postStatisticsFile = "policy_postprocessor_step_0_unnormalizer_processor.safetensors"
)

// Files are the names of the files that [Policy.Save] writes.
var Files = []string{configFile, weightsFile, preprocessorFile, postprocessorFile, preStatisticsFile, postStatisticsFile}

// Save writes the policy to a folder of the newest layout, vintage C, which the library loads
// and [Open] reads: weights as float32, statistics of the modes that are used. A policy of an
// older layout is written as one of the newest. All files appear, or none. It returns a
// [ConfigError] for a policy whose cameras are normalised in different ways, which that
// layout has no place for.
func (p *Policy) Save(dir string) error {
	config, err := p.configJSON()
	if err != nil {
		return err
	}
	tensors, err := p.tensors()
	if err != nil {
		return err
	}
	inputs := p.config.told()
	pre, err := p.statistics(append(slices.Clone(inputs), p.config.Action))
	if err != nil {
		return err
	}
	post, err := p.statistics([]Feature{p.config.Action})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	text := func(name string, v any) atomicfile.Output {
		return atomicfile.Output{Path: filepath.Join(dir, name), Save: func(path string) error { return atomicfile.WriteBytes(path, indented(v)) }}
	}
	binary := func(name string, sd *weights.StateDict) atomicfile.Output {
		return atomicfile.Output{Path: filepath.Join(dir, name), Save: func(path string) error {
			return atomicfile.Write(path, func(w io.Writer) error {
				return weights.WriteSafetensors(w, sd, map[string]string{"format": "pt"})
			})
		}}
	}
	return atomicfile.Together(text(configFile, config), binary(weightsFile, tensors),
		text(preprocessorFile, p.preprocessor()), text(postprocessorFile, p.postprocessor()),
		binary(preStatisticsFile, pre), binary(postStatisticsFile, post))
}

// indented is a document as the library indents its own.
func indented(v any) []byte {
	raw, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		panic(err) // objects of plain values
	}
	return append(raw, '\n')
}

// tensors returns the weights of all networks under their names.
func (p *Policy) tensors() (*weights.StateDict, error) {
	sd := &weights.StateDict{}
	add := func(prefix string, params []*nn.Param) error {
		for _, q := range params {
			if err := sd.Add(weights.New(prefix+q.Name, q.Shape, q.Values())); err != nil {
				return err
			}
			if norm, ok := strings.CutSuffix(q.Name, ".running_var"); ok { // of which the library keeps a count, too
				if err := sd.Add(weights.NewInts(prefix+norm+".num_batches_tracked", nil, []int64{0})); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i, n := range p.encoders {
		prefix := encoderPrefix
		if p.config.SeparateEncoders {
			prefix = fmt.Sprintf("%s%d.", encoderPrefix, i)
		}
		if err := add(prefix, slices.Concat(n.Params(), n.Buffers())); err != nil {
			return nil, err
		}
	}
	return sd, add(unetPrefix, p.unet.Params())
}

// normalizerOf returns how a feature is normalised.
func (p *Policy) normalizerOf(f Feature) *normalizer {
	if f.Type == Action {
		return p.action
	}
	return p.inputs[f.Key]
}

// statistics returns the statistics of features, each that its mode needs.
func (p *Policy) statistics(features []Feature) (*weights.StateDict, error) {
	sd := &weights.StateDict{}
	for _, f := range features {
		n, shape := p.normalizerOf(f), f.Shape
		if n.mode == identityMode {
			continue
		}
		if f.Type == Visual {
			shape = []int{f.Shape[0], 1, 1}
		}
		low, high := n.mode.statistics()
		for _, s := range []struct {
			name   string
			values []float32
		}{{low, n.low}, {high, n.high}} {
			if err := sd.Add(weights.New(f.Key+"."+s.name, shape, s.values)); err != nil {
				return nil, err
			}
		}
	}
	return sd, nil
}

// modes returns the modes by type of feature, also of types that the policy is not told.
func (p *Policy) modes() (map[FeatureType]Mode, error) {
	out, seen := maps.Clone(p.config.Modes), map[FeatureType]bool{}
	if out == nil {
		out = map[FeatureType]Mode{}
	}
	for _, f := range append(p.config.told(), p.config.Action) {
		mode := p.normalizerOf(f).mode
		if seen[f.Type] && out[f.Type] != mode {
			return nil, &ConfigError{configFile, "normalization mode of " + f.Key, string(mode), fmt.Sprintf("%s as of the other features of type %s", out[f.Type], f.Type)}
		}
		if _, listed := out[f.Type]; listed || mode != identityMode {
			out[f.Type] = mode
		}
		seen[f.Type] = true
	}
	return out, nil
}

// preprocessor returns the steps from observations to what the networks take.
func (p *Policy) preprocessor() any {
	rename := p.rename
	if rename == nil {
		rename = map[string]string{}
	}
	return object{{"name", "policy_preprocessor"}, {"steps", []object{
		{{"registry_name", "rename_observations_processor"}, {"config", object{{"rename_map", rename}}}},
		{{"registry_name", "to_batch_processor"}, {"config", object{}}},
		deviceStep(),
		p.scaling("normalizer_processor", append(p.config.told(), p.config.Action), preStatisticsFile),
	}}}
}

// postprocessor returns the steps from what the network gives to actions.
func (p *Policy) postprocessor() any {
	return object{{"name", "policy_postprocessor"}, {"steps", []object{
		p.scaling("unnormalizer_processor", []Feature{p.config.Action}, postStatisticsFile), deviceStep(),
	}}}
}

func deviceStep() object {
	return object{{"registry_name", "device_processor"}, {"config", object{{"device", "cpu"}, {"float_dtype", nil}}}}
}

// scaling returns the step that scales features.
func (p *Policy) scaling(name string, features []Feature, file string) object {
	modes, _ := p.modes() // configJSON has seen that there is one for each type
	return object{{"registry_name", name}, {"config", object{
		{"eps", epsilonOf(p.normalizerOf(features[0]))}, {"features", featuresJSON(features)}, {"norm_map", modes},
	}}, {"state_file", file}}
}

// epsilonOf returns the number beside deviations, in as few digits as it takes.
func epsilonOf(n *normalizer) json.Number { return json.Number(fmt.Sprint(n.epsilon)) }
