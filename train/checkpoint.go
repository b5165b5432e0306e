package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/settings"
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
	Done   int    `json:"done"`
	Config Config `json:"config"`
	Log    *meter `json:"log,omitempty"` // of steps that the log has no line of yet; not in older checkpoints
	Signature
}

func (t *Trainer) state() state {
	return state{Done: t.done, Config: t.config, Log: t.log.kept(), Signature: t.loss.Signature()}
}

// readState reads the state in the metadata of a checkpoint. Checkpoints from before
// there were several objectives keep the settings of the noise objective among the
// others.
func readState(text string) (s state, err error) {
	var settings struct {
		Settings json.RawMessage `json:"settings"`
	}
	if err := errors.Join(json.Unmarshal([]byte(text), &s), json.Unmarshal([]byte(text), &settings)); err != nil {
		return s, err
	}
	if s.Objective != "" {
		s.Settings = settings.Settings // numbers as they are written
		return s, nil
	}
	var old struct {
		Schedule string        `json:"schedule"`
		Config   noiseSettings `json:"config"`
	}
	if err := json.Unmarshal([]byte(text), &old); err != nil {
		return s, err
	}
	old.Config.Schedule = old.Schedule
	s.Objective, s.Settings = noiseObjective, old.Config
	return s, nil
}

// CheckpointError says why a checkpoint does not belong to a run.
type CheckpointError struct {
	Path   string
	Reason string
	// Differences are settings of the checkpoint that are not those of the run, each as
	// "batch: 4 instead of 8".
	Differences []string
	Err         error // cause, or nil
}

func (e *CheckpointError) Error() string {
	s := fmt.Sprintf("train: checkpoint %s: %s", e.Path, e.Reason)
	if len(e.Differences) > 0 {
		s += " (" + settings.List(e.Differences) + "); " + ownFolder
	}
	if e.Err != nil {
		first, _, _ := strings.Cut(e.Err.Error(), "\n") // not every array of another network
		s += ": " + first
	}
	return s
}

func (e *CheckpointError) Unwrap() error { return e.Err }

// ownFolder is the remedy for a checkpoint of another run.
const ownFolder = "go on with what it was made with, or choose another directory"

// targets lists the arrays of a checkpoint by name.
func (t *Trainer) targets() []weights.Target {
	var out []weights.Target
	for i, p := range t.params {
		for _, part := range []struct {
			prefix string
			data   []float32
		}{{modelPrefix, p.Data}, {averagePrefix, t.ema[i]}, {firstPrefix, t.optimizer.m[i]}, {secondPrefix, t.optimizer.v[i]}} {
			out = append(out, weights.Target{Name: part.prefix + p.Name, Shape: p.Shape, Data: part.data})
		}
	}
	for i, p := range t.buffers {
		out = append(out, weights.Target{Name: modelPrefix + p.Name, Shape: p.Shape, Data: p.Data},
			weights.Target{Name: averagePrefix + p.Name, Shape: p.Shape, Data: t.ema[len(t.params)+i]})
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
// network; only the number of steps may differ, and a warm-up that is over.
func (t *Trainer) Resume(path string) error {
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		return &CheckpointError{Path: path, Reason: "cannot be read", Err: err}
	}
	defer sd.Close()
	s, err := readState(sd.Metadata["train"])
	if err != nil {
		return &CheckpointError{Path: path, Reason: "has no training state", Err: err}
	}
	if err := t.differs(s); err != nil {
		err.Path = path
		return err
	}
	if err := weights.Load(t.targets(), sd, weights.LoadOptions{}); err != nil {
		return &CheckpointError{Path: path, Reason: "is of another network; " + ownFolder, Err: err}
	}
	t.done, t.log = s.Done, meter{}
	if s.Log != nil {
		t.log = *s.Log
	}
	t.loss.Refresh()
	return nil
}

// differs says what keeps a checkpoint from belonging to this run, or nothing.
func (t *Trainer) differs(s state) *CheckpointError {
	want := t.state()
	s.Config.Steps = want.Config.Steps
	if over := max(s.Config.Warmup, want.Config.Warmup); s.Done >= over {
		s.Config.Warmup = want.Config.Warmup // it has ended either way
	}
	diff, err := settings.Differences(s.decisive(), want.decisive())
	switch {
	case err != nil:
		return &CheckpointError{Reason: "cannot be compared", Err: err}
	case len(diff) > 0:
		return &CheckpointError{Reason: "was made with other settings", Differences: diff}
	case s.Data != want.Data:
		return &CheckpointError{Reason: "was made with other data; " + ownFolder}
	case s.Done < 0 || s.Done > want.Config.Steps:
		return &CheckpointError{Reason: fmt.Sprintf("is at step %d already, of %d steps; ask for more steps, or choose another directory", s.Done, want.Config.Steps)}
	}
	return nil
}

// decisive returns what must be the same for the weights to come out as they would have.
func (s state) decisive() any {
	return struct {
		Config
		Objective string `json:"objective"`
		Loss      any    `json:"loss"` // settings of the objective
	}{s.Config, s.Objective, s.Settings}
}
