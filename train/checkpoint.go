package train

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/weights"
)

// The prefixes of the tensors of a checkpoint.
const (
	modelPrefix   = "model."
	averagePrefix = "ema."
	firstPrefix   = "adam.m."
	secondPrefix  = "adam.v."
)

// state is the part of a checkpoint that is not tensors.
type state struct {
	Done     int    `json:"done"`
	Config   Config `json:"config"`
	Data     string `json:"data"` // digest of the examples
	Schedule string `json:"schedule"`
}

func (t *Trainer) state() state {
	return state{Done: t.done, Config: t.config, Data: t.digest, Schedule: t.sampler.schedule.Name()}
}

// CheckpointError says why a checkpoint does not belong to a run.
type CheckpointError struct {
	Path   string
	Reason string
	Err    error // cause, or nil
}

func (e *CheckpointError) Error() string {
	s := fmt.Sprintf("train: checkpoint %s: %s", e.Path, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *CheckpointError) Unwrap() error { return e.Err }

// targets lists the arrays of a checkpoint by name.
func (t *Trainer) targets() []weights.Target {
	var out []weights.Target
	for i, p := range t.net.Params() {
		for _, part := range []struct {
			prefix string
			data   []float32
		}{{modelPrefix, p.Data}, {averagePrefix, t.ema[i]}, {firstPrefix, t.optimizer.m[i]}, {secondPrefix, t.optimizer.v[i]}} {
			out = append(out, weights.Target{Name: part.prefix + p.Name, Shape: p.Shape, Data: part.data})
		}
	}
	return out
}

// Save writes a checkpoint that appears whole or not at all.
func (t *Trainer) Save(path string) error {
	meta, err := json.Marshal(t.state())
	if err != nil {
		return err
	}
	return writeTargets(path, t.targets(), map[string]string{"train": string(meta)})
}

// SaveAverage writes the averaged weights under the names of the network, with
// metadata of the caller's.
func (t *Trainer) SaveAverage(path string, meta map[string]string) error {
	var targets []weights.Target
	for i, p := range t.net.Params() {
		targets = append(targets, weights.Target{Name: p.Name, Shape: p.Shape, Data: t.ema[i]})
	}
	return writeTargets(path, targets, meta)
}

func writeTargets(path string, targets []weights.Target, meta map[string]string) error {
	sd := &weights.StateDict{}
	for _, x := range targets {
		if err := sd.Add(weights.New(x.Name, x.Shape, x.Data)); err != nil {
			return err
		}
	}
	return atomicfile.Write(path, func(w io.Writer) error { return weights.WriteSafetensors(w, sd, meta) })
}

// Resume continues from a checkpoint. It returns a [CheckpointError] and changes
// nothing when the checkpoint was made with other settings, data or another
// network; only the number of steps may differ.
func (t *Trainer) Resume(path string) error {
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		return &CheckpointError{Path: path, Reason: "cannot be read", Err: err}
	}
	defer sd.Close()
	var s state
	if err := json.Unmarshal([]byte(sd.Metadata["train"]), &s); err != nil {
		return &CheckpointError{Path: path, Reason: "has no training state", Err: err}
	}
	if reason := t.differs(s); reason != "" {
		return &CheckpointError{Path: path, Reason: reason}
	}
	if err := weights.Load(t.targets(), sd, weights.LoadOptions{}); err != nil {
		return &CheckpointError{Path: path, Reason: "does not fit the network", Err: err}
	}
	t.done = s.Done
	t.net.Refresh()
	return nil
}

// differs says what keeps a checkpoint from belonging to this run, or nothing.
func (t *Trainer) differs(s state) string {
	want := t.state()
	s.Config.Steps = want.Config.Steps
	a, errA := json.Marshal(s.Config)
	b, errB := json.Marshal(want.Config)
	switch {
	case errA != nil || errB != nil || string(a) != string(b):
		return fmt.Sprintf("was made with the settings %s, not %s", a, b)
	case s.Data != want.Data:
		return "was made with other data"
	case s.Schedule != want.Schedule:
		return fmt.Sprintf("was made for the schedule %s, not %s", s.Schedule, want.Schedule)
	case s.Done < 0 || s.Done > want.Config.Steps:
		return fmt.Sprintf("is at step %d of %d", s.Done, want.Config.Steps)
	}
	return ""
}
