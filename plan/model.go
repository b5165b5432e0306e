package plan

import (
	"fmt"
	"os"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// Model is a diffusion model of the motion of one robot: states (x, y, vx, vy) at
// the waypoints of a trajectory.
type Model struct {
	Spec
	Name string
	Net  modelfile.Denoiser

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
	// Hall is the workspace that it was fitted to; nil for models of no particular place.
	Hall *HallCard `json:"hall,omitempty"`
}

// HallCard says where a model of one hall is at home: points p of its map are Center + Scale p
// in the units of the hall.
type HallCard struct {
	Center [2]float64 `json:"center"`
	Scale  float64    `json:"scale"`
	Units  string     `json:"units,omitempty"`
	Radius float64    `json:"radius"` // of the robot of its demonstrations
}

// In returns the model in the frame of another scene of the hall that it was fitted to, which
// may have other bounds. Models of no particular place are the same everywhere.
func (m *Model) In(f nav2d.Frame) *Model {
	h := m.Card.Hall
	if h == nil || h.Scale == f.Scale && h.Center == [2]float64{f.Center.X, f.Center.Y} {
		return m
	}
	out := *m
	moved := func(all []float32) []float32 {
		scale := h.Scale / f.Scale
		move := [4]float64{(h.Center[0] - f.Center.X) / f.Scale, (h.Center[1] - f.Center.Y) / f.Scale}
		next := make([]float32, len(all))
		for c, v := range all {
			next[c] = float32(float64(v)*scale + move[c])
		}
		return next
	}
	out.Limits.Min, out.Limits.Max = moved(m.Limits.Min), moved(m.Limits.Max)
	return &out
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
type ModelError = modelfile.Error

// OpenModel reads a model from a safetensors file of this program, from the folder of
// a training, which has that file as model.safetensors, or from the folder of a
// published model: args.yaml and checkpoints/. The published
// checkpoints lack the limits of their data, which are taken from the first of
// limits.json in the folder, as {"min": […], "max": […]}; the trajectories in
// ../../data_trajectories, where the published archives put them; and the known
// limits of the published data.
func OpenModel(path string) (*Model, error) {
	file := modelfile.File(path)
	info, err := os.Stat(file)
	if err != nil {
		return nil, &ModelError{Path: path, Reason: "cannot be read", Err: err}
	}
	if info.IsDir() {
		w, err := Published(path)
		if err != nil {
			return nil, err
		}
		return w.Open()
	}
	path = file
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
		return nil, &ModelError{Path: path, Reason: `it has weights but no description: "pcd weights convert --description" adds one`}
	}
	return load(path, spec, sd, nil)
}

// load builds the network of a description and fills it.
func load(path string, spec Spec, sd *weights.StateDict, keys weights.KeyMap) (*Model, error) {
	net, err := modelfile.Load(path, spec, sd, keys)
	if err != nil {
		return nil, err
	}
	return spec.With(net)
}

// Check returns what is wrong with the description by itself.
func (s Spec) Check() error {
	if err := s.Limits.Check(); err != nil {
		return err
	}
	n := s.Network
	switch {
	case len(s.Limits.Min) != channels:
		return fmt.Errorf("states have %d channels, want x, y, vx and vy", len(s.Limits.Min))
	case n.Horizon < 1 || n.Horizon > modelfile.MaxHorizon:
		return fmt.Errorf("the horizon is %d waypoints, want 1 to %d", n.Horizon, modelfile.MaxHorizon)
	case n.Width < 1 || len(n.DimMults) == 0:
		return fmt.Errorf("the network has the width %d and %d levels, want at least 1", n.Width, len(n.DimMults))
	case s.Schedule.Steps < 1 || s.Schedule.Steps > modelfile.MaxSteps:
		return fmt.Errorf("the schedule has %d steps, want 1 to %d", s.Schedule.Steps, modelfile.MaxSteps)
	}
	if err := s.checkPositions(); err != nil {
		return err
	}
	_, err := s.noise()
	return err
}

// maxPosition bounds the positions in the data of a model, in map units. Maps reach from
// -1 to 1. Where data reach a thousand times as far, the float32 numbers of a sample are
// nearly a ten-thousandth of a map unit apart.
const maxPosition = 1000

// limitsError says that the positions which a model learned are not those of a map.
type limitsError struct {
	Bound   string // min or max
	Channel int    // 0 is x, 1 is y
	Value   float32
}

func (e *limitsError) Error() string {
	return fmt.Sprintf("limits.%s[%d] is %v, want %d to %d: positions are in map units, and maps reach from -1 to 1; scale the trajectories to that and train again",
		e.Bound, e.Channel, e.Value, -maxPosition, maxPosition)
}

// checkPositions returns a [limitsError] for limits of positions that no map has.
func (s Spec) checkPositions() error {
	for c := range 2 {
		if v := s.Limits.Min[c]; v < -maxPosition {
			return &limitsError{"min", c, v}
		}
		if v := s.Limits.Max[c]; v > maxPosition {
			return &limitsError{"max", c, v}
		}
	}
	return nil
}

// noise returns the noise schedule of the model.
func (s Spec) noise() (*schedule.Schedule, error) {
	return schedule.Exponential(s.Schedule.Steps, s.Schedule.Start, s.Schedule.End)
}

// config describes the network.
func (s Spec) config(workers int) nn.TemporalUNetConfig {
	return nn.TemporalUNetConfig{Horizon: s.Network.Horizon, Width: s.Network.Width, DimMults: s.Network.DimMults, Workers: workers}
}

// Layout returns the names and shapes of the parameters of the network.
func (s Spec) Layout() ([]weights.Spec, error) { return s.config(1).Layout() }

// NewNetwork returns the network that is described, with zero weights, which shares a
// batch among a number of goroutines; 0 is one per processor.
func (s Spec) NewNetwork(workers int) (*nn.TemporalUNet, error) {
	return nn.NewTemporalUNet(s.config(workers))
}

// With returns the model that is described with a network that computes it: that of
// [Spec.NewNetwork], or another runtime's.
func (s Spec) With(net modelfile.Denoiser) (*Model, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if want := (tensor.Shape{s.Network.Horizon, channels}); !net.Shape().Equal(want) {
		return nil, fmt.Errorf("plan: the network takes states of shape %v, its description says %v", net.Shape(), want)
	}
	noise, err := s.noise()
	if err != nil {
		return nil, err
	}
	return &Model{Spec: s, Name: s.Card.Map, Net: net, schedule: noise}, nil
}

// Digest identifies the model in manifests; see [modelfile.Digest].
func (m *Model) Digest() (string, error) { return modelfile.Digest(m.Spec, m.Net.Params()) }

// channels is the number of channels of a state: x, y, vx, vy.
const channels = 4

// Save writes the description with parameters as a model, in half precision.
func (s Spec) Save(path string, params []*nn.Param) error {
	return modelfile.Save(path, headerKey, s, params, weights.F16)
}

// metadata returns the description for the metadata of a weights file.
func (s Spec) metadata() (map[string]string, error) { return modelfile.Metadata(headerKey, s) }

// Identity identifies what a model samples: its [Model.Digest] without what is said of
// it, which changes no sample.
func (m *Model) Identity() (string, error) {
	spec := m.Spec
	spec.Card = Card{}
	return modelfile.Digest(spec, m.Net.Params())
}
