package plan

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/weights"
)

// Model is a diffusion model of the motion of one robot: states (x, y, vx, vy) at
// the waypoints of a trajectory.
type Model struct {
	Spec
	Name string
	Net  *nn.TemporalUNet

	schedule *schedule.Schedule
}

// Spec describes a model without its weights. A file keeps it beside them.
type Spec struct {
	Network  Network        `json:"network"`
	Schedule Exponential    `json:"schedule"`
	Limits   dataset.Limits `json:"limits"` // of the four channels, in map units and seconds
	Card     Card           `json:"card"`
}

// Network is the architecture of a model.
type Network struct {
	Horizon  int   `json:"horizon"`
	Width    int   `json:"width"`
	DimMults []int `json:"dim_mults"`
}

// Exponential is the noise schedule of a model.
type Exponential struct {
	Steps int     `json:"steps"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

// Card says where a model comes from.
type Card struct {
	Map     string   `json:"map,omitempty"`     // whose demonstrations it learned
	Data    string   `json:"data,omitempty"`    // what it learned from
	Steps   int      `json:"steps,omitempty"`   // of training
	Loss    float64  `json:"loss,omitempty"`    // on held-out demonstrations
	Command []string `json:"command,omitempty"` // that trained it
	Start   *Card    `json:"start,omitempty"`   // of the model whose weights it started from
}

// The published networks, options 0 and 1 of their authors, and schedule.
var (
	SmallNetwork      = Network{Horizon: 64, Width: 32, DimMults: []int{1, 2, 4}}
	LargeNetwork      = Network{Horizon: 64, Width: 32, DimMults: []int{1, 2, 4, 8}}
	PublishedSchedule = Exponential{Steps: 25, Start: 1e-4, End: 1}
)

// headerKey is the name of the description among the metadata of a safetensors file.
const headerKey = "pcd.model"

// ModelError says why a file or folder is not a model that can be used.
type ModelError struct {
	Path   string
	Reason string
	Err    error // cause, or nil
}

func (e *ModelError) Error() string {
	s := fmt.Sprintf("plan: model %s: %s", e.Path, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *ModelError) Unwrap() error { return e.Err }

// OpenModel reads a model from a safetensors file of this program, or from the
// folder of a published model: args.yaml and checkpoints/. The published
// checkpoints lack the limits of their data, which are taken from the first of
// limits.json in the folder, as {"min": […], "max": […]}; the trajectories in
// ../../data_trajectories, where the published archives put them; and the known
// limits of the published data.
func OpenModel(path string) (*Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &ModelError{Path: path, Reason: "cannot be read", Err: err}
	}
	if info.IsDir() {
		return openPublished(path)
	}
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		return nil, &ModelError{Path: path, Reason: "cannot be read", Err: err}
	}
	defer sd.Close()
	return fromStateDict(path, sd)
}

// fromStateDict builds a model from a file with a description.
func fromStateDict(path string, sd *weights.StateDict) (*Model, error) {
	text, ok := sd.Metadata[headerKey]
	if !ok {
		return nil, &ModelError{Path: path, Reason: "it has weights but no description; open the folder of a published model instead"}
	}
	var spec Spec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		return nil, &ModelError{Path: path, Reason: "its description cannot be read", Err: err}
	}
	return load(path, spec, sd, nil)
}

// load builds the network of a description and fills it.
func load(path string, spec Spec, sd *weights.StateDict, keys weights.KeyMap) (*Model, error) {
	m, err := spec.Build(1) // the sampler shares the rows out among goroutines
	if err != nil {
		return nil, &ModelError{Path: path, Reason: "its description cannot be used", Err: err}
	}
	if err := weights.Load(targets(m.Net), sd, weights.LoadOptions{Keys: keys}); err != nil {
		return nil, &ModelError{Path: path, Reason: "its weights do not fit", Err: err}
	}
	m.Net.Refresh()
	return m, nil
}

// Build returns the model that is described, with zero weights, whose network
// shares a batch among a number of goroutines; 0 is one per processor.
func (s Spec) Build(workers int) (*Model, error) {
	if err := s.Limits.Check(); err != nil {
		return nil, err
	}
	if n := len(s.Limits.Min); n != channels {
		return nil, fmt.Errorf("states have %d channels, want x, y, vx and vy", n)
	}
	noise, err := schedule.Exponential(s.Schedule.Steps, s.Schedule.Start, s.Schedule.End)
	if err != nil {
		return nil, err
	}
	net, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{
		Horizon: s.Network.Horizon, Width: s.Network.Width, DimMults: s.Network.DimMults, Workers: workers,
	})
	if err != nil {
		return nil, err
	}
	return &Model{Spec: s, Name: s.Card.Map, Net: net, schedule: noise}, nil
}

// channels is the number of channels of a state: x, y, vx, vy.
const channels = 4

// targets lists the parameters of a network for loading.
func targets(net *nn.TemporalUNet) []weights.Target {
	var out []weights.Target
	for _, p := range net.Params() {
		out = append(out, weights.Target{Name: p.Name, Shape: p.Shape, Data: p.Data})
	}
	return out
}

// Metadata returns the description for the metadata of a weights file.
func (s Spec) Metadata() (map[string]string, error) {
	text, err := json.Marshal(s)
	return map[string]string{headerKey: string(text)}, err
}
