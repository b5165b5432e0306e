package push

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/pusht"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/weights"
)

// Horizon is the number of actions that a policy predicts at once.
const Horizon = 16

// conditionSize is the length of what a policy is told: two observations.
const conditionSize = pusht.ObservationSteps * pusht.ObservationSize

// Model is a diffusion policy for PushT: a distribution of the next sixteen
// actions given the last two observations.
type Model struct {
	Spec
	Name string
	Net  *nn.ConditionalUNet1D
}

// Spec describes a model without its weights. A file keeps it beside them.
type Spec struct {
	Network     Network        `json:"network"`
	Steps       int            `json:"steps"`       // of the squared-cosine noise schedule
	Observation dataset.Linear `json:"observation"` // of the 20 numbers of an observation, px
	Action      dataset.Linear `json:"action"`      // of the target of the agent, px
	Card        Card           `json:"card"`
}

// Network is the architecture of a model.
type Network struct {
	Widths []int `json:"widths"` // channels by level
	Kernel int   `json:"kernel"`
	Groups int   `json:"groups"`
	Time   int   `json:"time"` // width of the timestep embedding
}

// Card says where a model comes from.
type Card struct {
	Data    string   `json:"data,omitempty"`    // what it learned from
	Steps   int      `json:"steps,omitempty"`   // of training
	Batch   int      `json:"batch,omitempty"`   // examples per step
	Loss    float64  `json:"loss,omitempty"`    // on held-out episodes
	Command []string `json:"command,omitempty"` // that trained it
}

// The published network and the one that ships, and the published number of
// diffusion steps.
var (
	PublishedNetwork = Network{Widths: []int{256, 512, 1024}, Kernel: 5, Groups: 8, Time: 256}
	SmallNetwork     = Network{Widths: []int{64, 128, 256}, Kernel: 5, Groups: 8, Time: 256}
)

// PublishedSteps is the published number of diffusion steps.
const PublishedSteps = 32

// headerKey is the name of the description among the metadata of a safetensors file.
const headerKey = "pcd.push"

// ModelError says why a file is not a model that can be used.
type ModelError struct {
	Path   string
	Reason string
	Err    error // cause, or nil
}

func (e *ModelError) Error() string {
	s := fmt.Sprintf("push: model %s: %s", e.Path, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *ModelError) Unwrap() error { return e.Err }

// OpenModel reads a model from a safetensors file of this program, or from a
// checkpoint of the published policy that was trained with [PublishedSteps], see
// [OpenCheckpoint].
func OpenModel(path string) (*Model, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, &ModelError{Path: path, Reason: "cannot be read", Err: err}
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
		return fromCheckpoint(path, sd, PublishedSteps)
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
	for _, n := range []struct {
		name     string
		linear   dataset.Linear
		channels int
	}{{"observation", s.Observation, pusht.ObservationSize}, {"action", s.Action, 2}} {
		if err := n.linear.Check(); err != nil {
			return nil, fmt.Errorf("normaliser of the %s: %w", n.name, err)
		}
		if got := len(n.linear.Scale); got != n.channels {
			return nil, fmt.Errorf("normaliser of the %s has %d channels, want %d", n.name, got, n.channels)
		}
	}
	if _, err := s.Schedule(); err != nil {
		return nil, err
	}
	net, err := nn.NewConditionalUNet1D(nn.ConditionalUNet1DConfig{
		Horizon: Horizon, StateDim: 2, ConditionDim: conditionSize, DownDims: s.Network.Widths,
		Kernel: s.Network.Kernel, Groups: s.Network.Groups, TimeDim: s.Network.Time, Workers: workers,
	})
	if err != nil {
		return nil, err
	}
	return &Model{Spec: s, Net: net}, nil
}

// Schedule returns the noise schedule of the model.
func (s Spec) Schedule() (*schedule.Schedule, error) { return schedule.SquaredCosine(s.Steps) }

// targets lists the parameters of a network for loading.
func targets(net *nn.ConditionalUNet1D) []weights.Target {
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

// The range of actions that the published policy maps to [-1, 1], in pixels.
var (
	PublishedActionMin = [2]float32{0.0091, 0.2790}
	PublishedActionMax = [2]float32{511.9651, 511.9563}
)
