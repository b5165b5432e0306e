package push

import (
	"fmt"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
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
	Net  modelfile.Conditional
	// Loaded is the policy of somebody else that the model runs, in the place of a network of
	// its own; see [OpenPolicy].
	Loaded *policy.Policy

	digest string // of a loaded one
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
type ModelError = modelfile.Error

// OpenModel reads a model from a safetensors file of this program, or from a
// checkpoint of the published policy, which was trained with [PublishedSteps].
func OpenModel(path string) (*Model, error) {
	sd, err := modelfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	return fromStateDict(path, sd)
}

// fromStateDict builds a model from a file with a description.
func fromStateDict(path string, sd *weights.StateDict) (*Model, error) {
	var spec Spec
	described, err := modelfile.Describe(path, sd, headerKey, &spec)
	if err != nil {
		return nil, err
	}
	if !described {
		return fromCheckpoint(path, sd)
	}
	return load(path, spec, sd, nil)
}

// load builds the network of a description and fills it.
func load(path string, spec Spec, sd *weights.StateDict, keys weights.KeyMap) (*Model, error) {
	net, err := modelfile.Load(path, spec, sd, keys)
	if err != nil {
		return nil, err
	}
	return spec.With(modelfile.FromNN(net))
}

// Check returns what is wrong with the description by itself.
func (s Spec) Check() error {
	for _, n := range []struct {
		name     string
		linear   dataset.Linear
		channels int
	}{{"observation", s.Observation, pusht.ObservationSize}, {"action", s.Action, actionSize}} {
		if err := n.linear.Check(); err != nil {
			return fmt.Errorf("normaliser of the %s: %w", n.name, err)
		}
		if got := len(n.linear.Scale); got != n.channels {
			return fmt.Errorf("normaliser of the %s has %d channels, want %d", n.name, got, n.channels)
		}
	}
	n := s.Network
	switch {
	case len(n.Widths) == 0 || n.Kernel < 1 || n.Groups < 1 || n.Time < 1:
		return fmt.Errorf("the network is %+v, want positive sizes", n)
	case s.Steps > modelfile.MaxSteps:
		return fmt.Errorf("the schedule has %d steps, want at most %d", s.Steps, modelfile.MaxSteps)
	}
	_, err := s.Schedule()
	return err
}

// actionSize is the length of an action: a target of the agent in the plane.
const actionSize = 2

// config describes the network.
func (s Spec) config(workers int) nn.ConditionalUNet1DConfig {
	return nn.ConditionalUNet1DConfig{
		Horizon: Horizon, StateDim: actionSize, ConditionDim: conditionSize, DownDims: s.Network.Widths,
		Kernel: s.Network.Kernel, Groups: s.Network.Groups, TimeDim: s.Network.Time, Workers: workers,
	}
}

// Layout returns the names and shapes of the parameters of the network.
func (s Spec) Layout() ([]weights.Spec, error) { return s.config(1).Layout() }

// NewNetwork returns the network that is described, with zero weights, which shares a
// batch among a number of goroutines; 0 is one per processor.
func (s Spec) NewNetwork(workers int) (*nn.ConditionalUNet1D, error) {
	return nn.NewConditionalUNet1D(s.config(workers))
}

// With returns the model that is described with a network that computes it: that of
// [Spec.NewNetwork] through [modelfile.FromNN], or another runtime's.
func (s Spec) With(net modelfile.Conditional) (*Model, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if want := (tensor.Shape{Horizon, actionSize}); !net.Shape().Equal(want) {
		return nil, fmt.Errorf("push: the network takes actions of shape %v, want %v", net.Shape(), want)
	}
	return &Model{Spec: s, Net: net}, nil
}

// Build is NewNetwork and With: the model with zero weights.
func (s Spec) Build(workers int) (*Model, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	net, err := s.NewNetwork(workers)
	if err != nil {
		return nil, err
	}
	return s.With(modelfile.FromNN(net))
}

// Digest identifies the model in manifests; see [modelfile.Digest].
func (m *Model) Digest() (string, error) {
	if m.Loaded != nil {
		return m.digest, nil
	}
	return modelfile.Digest(m.Spec, m.Net.Params())
}

// Schedule returns the noise schedule of the model.
func (s Spec) Schedule() (*schedule.Schedule, error) { return schedule.SquaredCosine(s.Steps) }

// Save writes the description with parameters as a model, in half precision.
func (s Spec) Save(path string, params []*nn.Param) error {
	return modelfile.Save(path, headerKey, s, params, weights.F16)
}

// Metadata returns the description for the metadata of a weights file.
func (s Spec) Metadata() (map[string]string, error) { return modelfile.Metadata(headerKey, s) }

// The range of actions that the published policy maps to [-1, 1], in pixels.
var (
	PublishedActionMin = [2]float32{0.0091, 0.2790}
	PublishedActionMax = [2]float32{511.9651, 511.9563}
)
