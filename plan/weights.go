package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// Weights are those of a model in a file without its description, which is here.
type Weights struct {
	Path   string
	Prefix string // of the names of the tensors that are the network's
	Spec   Spec

	options weights.Options // how the file is read
}

// Describe returns the file of weights at path with a description. What the tensors tell
// may be left out of it: the network, whose horizon is then the published one, and the
// number of steps of checkpoints that hold their noise schedule, whose ends are then the
// published ones. prefix chooses among networks where there are several. It returns a
// [ModelError] for weights that the description does not fit.
func Describe(path, prefix string, spec Spec, o weights.Options) (*Weights, error) {
	w := &Weights{Path: modelfile.File(path), options: o}
	sd, err := w.open()
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	u, prefix, err := temporalNetwork(sd, prefix)
	if err != nil {
		return nil, &ModelError{Path: path, Reason: "its architecture cannot be used", Err: err}
	}
	spec.complete(u)
	w.Prefix, w.Spec = prefix, spec
	_, err = w.Open()
	return w, err
}

// complete fills in what the tensors tell.
func (s *Spec) complete(u *nn.TemporalUNetArchitecture) {
	n := networkOf(u)
	if s.Network.Horizon != 0 {
		n.Horizon = s.Network.Horizon
	}
	if s.Network.Width != 0 || s.Network.DimMults != nil {
		n.Width, n.DimMults = s.Network.Width, s.Network.DimMults
	}
	s.Network = n
	if s.Schedule.Steps == 0 {
		s.Schedule.Steps = u.Steps
	}
	if s.Schedule.Start == 0 && s.Schedule.End == 0 {
		s.Schedule.Start, s.Schedule.End = PublishedSchedule.Start, PublishedSchedule.End
	}
}

// ReadSpec returns the description at path: the text of a file that ends in .json, in
// which a field that is not known is an error, or that of another model.
func ReadSpec(path string) (Spec, error) {
	if !strings.HasSuffix(path, ".json") {
		m, err := OpenModel(path)
		if err != nil {
			return Spec{}, err
		}
		return m.Spec, nil
	}
	var s Spec
	data, err := regular.ReadFile(path, maxLimits)
	if err != nil {
		return s, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err = d.Decode(&s); err == nil && d.More() {
		err = errors.New("there is more than one value")
	}
	if err == nil {
		if err = s.Limits.Check(); err != nil {
			err = fmt.Errorf("limits: %w", err)
		}
	}
	if err != nil {
		return s, &ModelError{Path: path, Reason: "is not the description of a model", Err: err}
	}
	return s, nil
}

// Undescribed reports whether a file holds the network of a model without its
// description.
func Undescribed(path string) (bool, error) {
	sd, err := modelfile.Open(path)
	if err != nil {
		return false, err
	}
	defer sd.Close()
	if _, ok := sd.Metadata[headerKey]; ok {
		return false, nil
	}
	_, _, err = temporalNetwork(sd, "")
	return err == nil, nil
}

// Open makes the model.
func (w *Weights) Open() (*Model, error) {
	sd, err := w.open()
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	return load(w.Path, w.Spec, sd, w.keys())
}

// open opens the file.
func (w *Weights) open() (*weights.StateDict, error) {
	sd, err := weights.Open(w.Path, w.options)
	if err != nil {
		return nil, &ModelError{Path: w.Path, Reason: "cannot be read", Err: err}
	}
	return sd, nil
}

// keys chooses and renames the tensors.
func (w *Weights) keys() weights.KeyMap {
	return weights.KeyMap{weights.StripPrefix(w.Prefix), weights.DropOthers()}
}

// Convert writes the weights with their description as a file that [OpenModel] opens,
// whose name ends in .safetensors. A zero element type keeps each tensor's own.
func (w *Weights) Convert(out string, as weights.DType) (*weights.Conversion, error) {
	meta, err := w.Spec.metadata()
	if err != nil {
		return nil, err
	}
	return weights.Convert(w.Path, out, weights.ConvertOptions{Options: w.options, Keys: w.keys(), DType: as, Meta: meta})
}

// networkOf returns the network that tensors tell, with the published horizon, which
// they do not.
func networkOf(u *nn.TemporalUNetArchitecture) Network {
	return Network{Horizon: publishedHorizon, Width: u.UNetInputDim, DimMults: u.DimMults}
}

// temporalNetwork finds the network of a file under a prefix, or the only one there is.
func temporalNetwork(sd *weights.StateDict, prefix string) (*nn.TemporalUNetArchitecture, string, error) {
	found, err := nn.Recognise(sd)
	if err != nil {
		return nil, "", err
	}
	chosen := found
	if prefix != "" {
		chosen = nil
		for _, a := range found {
			if a.Prefix == prefix {
				chosen = append(chosen, a)
			}
		}
	}
	switch {
	case len(chosen) != 1 || chosen[0].Temporal == nil:
		return nil, "", fmt.Errorf("the file holds %s, want one temporal U-Net", describe(found))
	case chosen[0].Temporal.StateDim != channels:
		return nil, "", fmt.Errorf("states have %d channels, want x, y, vx and vy", chosen[0].Temporal.StateDim)
	}
	return chosen[0].Temporal, chosen[0].Prefix, nil
}

// describe names the networks of a file.
func describe(found []nn.Architecture) string {
	if len(found) == 0 {
		return "no network that is known"
	}
	var names []string
	for _, a := range found {
		kind := "classifier"
		switch {
		case a.Temporal != nil:
			kind = "temporal U-Net"
		case a.Conditional != nil:
			kind = "conditional U-Net"
		}
		names = append(names, fmt.Sprintf("a %s under %q", kind, a.Prefix))
	}
	return strings.Join(names, " and ")
}
